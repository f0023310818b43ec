package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// maxUnpacked is the size of an archive's files together, in bytes, above which it is an error.
	maxUnpacked = 256 << 20
	// maxUnpackedFiles is the number of an archive's files above which it is an error.
	maxUnpackedFiles = 50_000
)

// Unpack returns the files of an archive, zip or tar, with gzip or without, sorted by name (rules/versions: archives). The one top
// directory of an archive is dropped. It is an error if a name or a link leads out of the archive, or if the archive
// has more than 50,000 files or 256 MiB.
func Unpack(data []byte) ([]pkgmerge.File, error) {
	u := unpacking{room: maxUnpacked}
	var err error
	if bytes.HasPrefix(data, []byte("PK")) {
		err = u.zip(data)
	} else {
		err = u.tar(data)
	}
	if err != nil {
		return nil, err
	}
	dropTop(u.files)
	slices.SortFunc(u.files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(u.files); i++ {
		if u.files[i].Name == u.files[i-1].Name {
			return nil, fmt.Errorf("%s: twice in the archive", u.files[i].Name)
		}
	}
	return u.files, nil
}

// unpacking is the files of an archive so far, with room for some more bytes.
type unpacking struct {
	files []pkgmerge.File
	room  int64
}

// tar adds the files of a tar, with gzip or without.
func (u *unpacking) tar(data []byte) error {
	content, err := unzip(data)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	for archive := tar.NewReader(content); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
		if err := u.addEntry(header, archive); err != nil {
			return err
		}
	}
}

// unzip returns a reader of a tar, with gzip or without.
func unzip(data []byte) (io.Reader, error) {
	content := bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return gzip.NewReader(content)
	}
	return content, nil
}

func (u *unpacking) addEntry(header *tar.Header, content io.Reader) error {
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeSymlink:
		return u.add(header.Name, fs.ModeSymlink, strings.NewReader(header.Linkname))
	case tar.TypeLink:
		return fmt.Errorf("%s: neither a file nor a directory nor a symbolic link", header.Name)
	}
	return u.add(header.Name, header.FileInfo().Mode(), content)
}

func (u *unpacking) zip(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	for _, entry := range archive.File {
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
		err = u.add(entry.Name, entry.Mode(), content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// add adds an entry of an archive. A directory adds nothing.
func (u *unpacking) add(name string, mode fs.FileMode, content io.Reader) (err error) {
	if mode.IsDir() {
		return nil
	}
	f := pkgmerge.File{Name: path.Clean(name)}
	switch {
	case !fs.ValidPath(f.Name) || f.Name == "." || strings.Contains(f.Name, `\`):
		return fmt.Errorf("%q: the name leads out of the archive, or has a backslash", name)
	case mode.Type() != 0 && mode.Type() != fs.ModeSymlink:
		return fmt.Errorf("%s: neither a file nor a directory nor a symbolic link", f.Name)
	case len(u.files) == maxUnpackedFiles:
		return fmt.Errorf("the archive has more than %d files", maxUnpackedFiles)
	}
	if f.Data, err = io.ReadAll(io.LimitReader(content, u.room+1)); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if u.room -= int64(len(f.Data)); u.room < 0 {
		return fmt.Errorf("%s: the archive has more than %d MiB", f.Name, maxUnpacked>>20)
	}
	if f.Mode, err = unpackedMode(mode, f); err == nil {
		u.files = append(u.files, f)
	}
	return err
}

// unpackedMode returns the mode of a file for that of its entry. It is an error if a link leads out of the archive.
func unpackedMode(mode fs.FileMode, f pkgmerge.File) (fs.FileMode, error) {
	switch {
	case mode.Type() == fs.ModeSymlink:
		to := string(f.Data)
		if target := path.Join(path.Dir(f.Name), to); path.IsAbs(to) || !fs.ValidPath(target) {
			return 0, fmt.Errorf("%s: the link to %q leads out of the archive", f.Name, to)
		}
		return fs.ModeSymlink, nil
	case mode&0o111 != 0:
		return 0o755, nil
	}
	return 0o644, nil
}

// dropTop drops the directory that all files are in.
func dropTop(files []pkgmerge.File) {
	if len(files) == 0 {
		return
	}
	top, _, _ := strings.Cut(files[0].Name, "/")
	for _, f := range files {
		if !strings.HasPrefix(f.Name, top+"/") {
			return
		}
	}
	for i := range files {
		files[i].Name = strings.TrimPrefix(files[i].Name, top+"/")
	}
}
