// Package file has the files of a package, wherever they come from, and knows which files are no
// part of one (rules/files: reading a directory).
package file

import "io/fs"

// File is a file of a package.
type File struct {
	// Name is the path below the package, with slashes.
	Name string
	// Mode is 0o644, 0o755 for a file that may be executed, or fs.ModeSymlink.
	Mode fs.FileMode
	// Data are the bytes of the file; of a symbolic link, its target.
	Data []byte
}

// Like is a type of files that has the fields of File, as package pkgmerge has one for programs
// outside of the module.
type Like interface {
	~struct {
		Name string
		Mode fs.FileMode
		Data []byte
	}
}

// As are files as another type has them.
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

// WithoutIgnored are the files that no .krmignore of a package names. The files are of the
// same version of the package, or of another one.
func WithoutIgnored[F Like](files, of []F) (rest []F) {
	data := make(map[string][]byte, len(of))
	for _, f := range As[File](of) {
		if f.Mode.IsRegular() {
			data[f.Name] = f.Data
		}
	}
	ignorer := NewIgnorer(func(name string) []byte {
		if text, found := data[name]; found && text == nil {
			return []byte{} // nil says that there is no file
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
