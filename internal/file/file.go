// Package file defines the files of a package, and finds ignored files (rules/files: reading a directory).
package file

import "io/fs"

// File is a file of a package.
type File struct {
	// Name is the path below the package, with slashes.
	Name string
	// Mode is 0o644, 0o755 for an executable file, or fs.ModeSymlink.
	Mode fs.FileMode
	// Data is the content of the file, or the target of a symbolic link.
	Data []byte
}

// Like is a type with the fields of File, such as the public one of package pkgmerge.
type Like interface {
	~struct {
		Name string
		Mode fs.FileMode
		Data []byte
	}
}

// As converts files to another type.
func As[To, From Like](files []From) []To {
	if files == nil {
		return nil
	}
	out := make([]To, len(files))
	for i, f := range files {
		out[i] = To(f)
	}
	return out
}

// WithoutIgnored returns the files that no .krmignore of a package lists. The package may be another version
// of the files.
func WithoutIgnored[F Like](files, pkg []F) (rest []F) {
	data := make(map[string][]byte, len(pkg))
	for _, f := range As[File](pkg) {
		if f.Mode.IsRegular() {
			data[f.Name] = f.Data
		}
	}
	ignorer := NewIgnorer(func(name string) []byte {
		if text, found := data[name]; found && text == nil {
			return []byte{} // nil means that there is no file
		}
		return data[name]
	})
	for _, f := range files {
		if !ignorer.Ignores(File(f).Name, false) {
			rest = append(rest, f)
		}
	}
	return rest
}
