package krmignore

import "github.com/resource-merge/resource-merge/pkgmerge"

// Files are those of some files that no .krmignore among the files of a package names:
// of the same package, or of another version of it.
func Files(some, of []pkgmerge.File) (rest []pkgmerge.File) {
	data := make(map[string][]byte, len(of))
	for _, f := range of {
		if f.Mode.IsRegular() {
			data[f.Name] = f.Data
		}
	}
	ignorer := New(func(name string) []byte {
		if text, found := data[name]; found && text == nil {
			return []byte{} // nil says that there is no file
		}
		return data[name]
	})
	for _, f := range some {
		if !ignorer.Ignores(f.Name, false) {
			rest = append(rest, f)
		}
	}
	return rest
}
