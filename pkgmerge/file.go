package pkgmerge

import "io/fs"

// File is a file of a package, with all its bytes (design 17.2).
type File struct {
	// Name is the file below the top of its package, with slashes.
	Name string
	// Mode is 0o644, 0o755 for a file that may be executed, or fs.ModeSymlink.
	Mode fs.FileMode
	// Data are the bytes of the file; of a symbolic link, its target.
	Data []byte
}
