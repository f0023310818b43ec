package source

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// Archive is an archive of the file system, .tgz or .tar.gz, as a package, such as a chart's.
type Archive string

// Read reads the archive.
func (a Archive) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := os.ReadFile(string(a))
	if err != nil {
		return pkgmerge.Package{}, err
	}
	files, err := Unpack(bytes.NewReader(data))
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("%s: %w", string(a), err)
	}
	p, err := newPackage(ctx, string(a), files...)
	p.IsStream = false
	return p, err
}

// IsArchive reports whether a file is an archive by its name.
func IsArchive(name string) bool {
	return strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz")
}

// Unpack returns the files of an archive, tar with gzip, sorted by name (rules/versions: archives). The one top
// directory of an archive is dropped. It is an error if a name or a link leads out of the archive, or if the archive
// has more than 50,000 files or 256 MiB.
func Unpack(r io.Reader) ([]pkgmerge.File, error) {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("not a gzip archive: %w", err)
	}
	var files []pkgmerge.File
	room := int64(maxUnpacked)
	for archive := tar.NewReader(unzipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the archive: %w", err)
		}
		if header.Typeflag == tar.TypeDir || header.Typeflag == tar.TypeXGlobalHeader {
			continue
		}
		f, err := unpacked(header, archive, room)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		if room -= int64(len(f.Data)); len(files) > maxUnpackedFiles {
			return nil, fmt.Errorf("the archive has more than %d files", maxUnpackedFiles)
		}
	}
	dropTop(files)
	slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(files); i++ {
		if files[i].Name == files[i-1].Name {
			return nil, fmt.Errorf("%s: twice in the archive", files[i].Name)
		}
	}
	return files, nil
}

// unpacked returns one file of an archive with room for some more bytes.
func unpacked(header *tar.Header, from io.Reader, room int64) (pkgmerge.File, error) {
	f := pkgmerge.File{Name: path.Clean(header.Name), Mode: 0o644}
	if !fs.ValidPath(f.Name) || f.Name == "." {
		return f, fmt.Errorf("%q: the name leads out of the archive", header.Name)
	}
	switch header.Typeflag {
	case tar.TypeReg:
	case tar.TypeSymlink:
		target := path.Join(path.Dir(f.Name), header.Linkname) // #nosec G305 -- the next line checks it
		if path.IsAbs(header.Linkname) || !fs.ValidPath(target) {
			return f, fmt.Errorf("%s: the link to %q leads out of the archive", f.Name, header.Linkname)
		}
		f.Mode, f.Data = fs.ModeSymlink, []byte(header.Linkname)
		return f, nil
	default:
		return f, fmt.Errorf("%s: neither a file nor a directory nor a symbolic link", f.Name)
	}
	if header.Mode&0o111 != 0 {
		f.Mode = 0o755
	}
	data, err := io.ReadAll(io.LimitReader(from, room+1))
	if err != nil {
		return f, fmt.Errorf("%s: %w", f.Name, err)
	}
	if int64(len(data)) > room {
		return f, fmt.Errorf("%s: the archive has more than %d MiB", f.Name, maxUnpacked>>20)
	}
	f.Data = data
	return f, nil
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
