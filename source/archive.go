package source

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// maxUnpacked is the size of an archive's files together, in bytes, above which it is an error. With headers and padding it
	// may be twice as large.
	maxUnpacked = 256 << 20
	// maxEntries is the number of an archive's files, links and directories above which it is an error.
	maxEntries = 50_000
)

// Unpack returns the files of an archive, zip or tar, with gzip or without, sorted by name (rules/versions: archives). The one top
// directory of an archive is dropped. It is an error if the archive is damaged or cut off, if anything follows its end, if a name or
// a link leads out of it, if a link goes over another link, or if it has more than 50,000 entries or 256 MiB.
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
	return sorted(u.files)
}

// unpacking is the files of an archive so far, or of the layers of an image.
type unpacking struct {
	files []pkgmerge.File
	// dirs are the names of the archive's directories that have entries.
	dirs []string
	// names has all names of the archive.
	names *place
	// fault is what is wrong with the names of the archive.
	fault error
	// room is the number of bytes that the files may still have.
	room int64
	// entries and places are the numbers of entries and of names so far; directories without entries are names, too.
	entries, places int
}

// tar adds the files of a tar, with gzip or without.
func (u *unpacking) tar(data []byte) error {
	content, err := unzip(data)
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	u.names, u.dirs = newPlace(), nil
	for archive := tar.NewReader(content); ; {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			if err := content.checkEnd(); err != nil {
				return fmt.Errorf("read the archive: %w", err)
			}
			return u.fault
		case err != nil:
			return fmt.Errorf("read the archive: %w", err)
		}
		if err := u.addEntry(header, archive); err != nil {
			return err
		}
	}
}

// tarStream reads the bytes of a tar, without gzip.
type tarStream struct {
	from io.Reader
	// room is the number of bytes that it may still have.
	room int64
	// hasEnded reports whether the last call asked for a byte behind the last one.
	hasEnded bool
}

// unzip returns the bytes of a tar, with gzip or without.
func unzip(data []byte) (*tarStream, error) {
	s := &tarStream{from: bytes.NewReader(data), room: 2 * maxUnpacked}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		zipped, err := gzip.NewReader(s.from)
		if err != nil {
			return nil, err
		}
		s.from = zipped
	}
	return s, nil
}

func (s *tarStream) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if s.room -= int64(n); s.room < 0 {
		return 0, fmt.Errorf("it has more than %d MiB with its headers", 2*maxUnpacked>>20)
	}
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil // the next call returns it
	}
	s.hasEnded = errors.Is(err, io.EOF)
	return n, err
}

// checkEnd reads what follows the last entry: the two blocks of zeros that end a tar, more zeros that fill it up, and the
// checksum of gzip. A tar that was cut off between two files has no such blocks.
func (s *tarStream) checkEnd() error {
	if s.hasEnded {
		return errors.New("it is cut off: the two blocks of zeros at its end are missing")
	}
	for block := make([]byte, 32<<10); ; {
		n, err := s.Read(block)
		switch {
		case len(bytes.Trim(block[:n], "\x00")) > 0:
			return errors.New("something follows its end")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// addEntry adds an entry of a tar. The entry's type tells a directory from a file, never a bit of its mode.
func (u *unpacking) addEntry(header *tar.Header, content io.Reader) error {
	mode := fs.FileMode(header.Mode & 0o777) // #nosec G115 -- it has nine bits
	switch header.Typeflag {
	case tar.TypeXGlobalHeader:
		for _, key := range []string{"path", "linkpath", "size"} {
			if _, has := header.PAXRecords[key]; has {
				return fmt.Errorf("read the archive: a header gives all files the same %s", key)
			}
		}
		return nil
	case tar.TypeDir:
		return u.add(header.Name, mode|fs.ModeDir, content)
	case tar.TypeSymlink:
		mode, content = fs.ModeSymlink, strings.NewReader(header.Linkname)
	case tar.TypeReg, tar.TypeCont, tar.TypeGNUSparse:
	default:
		mode |= fs.ModeIrregular
	}
	if strings.HasSuffix(header.Name, "/") {
		mode |= fs.ModeIrregular
	}
	return u.add(header.Name, mode, content)
}

const (
	// zipEnd is the size of a zip's end, in bytes, without its comment.
	zipEnd = 22
	// zipEntry is the size of an entry's header in a zip, in bytes, without its name and its extra fields.
	zipEntry = 30
	// maxZipExtra is the size of the extra fields of such a header, in bytes, above which it is an error.
	maxZipExtra = 4 << 10
)

// zip adds the files of a zip.
func (u *unpacking) zip(data []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	if len(archive.File) > maxEntries {
		return errTooManyEntries()
	}
	if err := checkZip(archive, data); err != nil {
		return fmt.Errorf("read the archive: %w", err)
	}
	u.names = newPlace()
	for _, entry := range archive.File {
		content, err := entry.Open()
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
		mode := entry.Mode()
		if mode.IsDir() && (entry.UncompressedSize64 > 0 || !strings.HasSuffix(entry.Name, "/")) {
			mode |= fs.ModeIrregular
		}
		err = u.add(entry.Name, mode, content)
		if err = errors.Join(err, content.Close()); err != nil {
			return err
		}
	}
	return u.fault
}

// checkZip returns an error if a zip does not end with its directory, or if the directory, which has no checksum, has another name
// for an entry than the entry's header. A zip that was cut off behind a zip in it ends with the directory of that one,
// which says that it stands elsewhere.
func checkZip(archive *zip.Reader, data []byte) error {
	end := len(data) - zipEnd - len(archive.Comment)
	if end < 0 || !bytes.HasPrefix(data[end:], []byte("PK\x05\x06")) {
		return errors.New("something follows its end")
	}
	size, offset := binary.LittleEndian.Uint32(data[end+12:]), binary.LittleEndian.Uint32(data[end+16:])
	if uint64(size)+uint64(offset) != uint64(end) {
		return errors.New("its directory is not at its end; it is cut off, or something precedes it")
	}
	for _, entry := range archive.File {
		content, err := entry.DataOffset()
		if err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
		if !hasZipHeader(data[:min(int(content), len(data))], entry.Name) {
			return fmt.Errorf("%s: its name in the archive's directory is another one", entry.Name)
		}
	}
	return nil
}

// hasZipHeader reports whether a part of a zip ends with the header of an entry of a name.
func hasZipHeader(part []byte, name string) bool {
	for extra := range maxZipExtra + 1 {
		at := len(part) - extra - len(name) - zipEntry
		if at < 0 {
			return false
		}
		header := part[at:]
		if bytes.HasPrefix(header, []byte("PK\x03\x04")) && int(binary.LittleEndian.Uint16(header[26:])) == len(name) &&
			int(binary.LittleEndian.Uint16(header[28:])) == extra && string(header[zipEntry:zipEntry+len(name)]) == name {
			return true
		}
	}
	return false
}

// add adds an entry of an archive.
func (u *unpacking) add(name string, mode fs.FileMode, content io.Reader) (err error) {
	if u.entries++; u.entries > maxEntries {
		return errTooManyEntries()
	}
	f := pkgmerge.File{Name: path.Clean(name)}
	switch isOut := !fs.ValidPath(f.Name) || strings.Contains(f.Name, `\`); {
	case mode.Type() == fs.ModeDir && (isOut || f.Name == "."):
		return nil
	case isOut || f.Name == ".":
		return fmt.Errorf("%q: the name leads out of the archive, or has a backslash", name)
	case mode.Type() != 0 && mode.Type() != fs.ModeSymlink && mode.Type() != fs.ModeDir:
		return fmt.Errorf("%s: neither a file nor a directory nor a symbolic link", f.Name)
	}
	added, fault := u.names.enter(f.Name, mode)
	u.fault = cmp.Or(u.fault, fault)
	if u.places += added; u.places > 2*maxEntries {
		return errTooManyEntries()
	}
	if mode.IsDir() {
		u.dirs = append(u.dirs, f.Name)
		return nil
	}
	if f.Data, err = io.ReadAll(io.LimitReader(content, u.room+1)); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if u.room -= int64(len(f.Data)); u.room < 0 {
		return fmt.Errorf("%s: the archive has more than %d MiB", f.Name, maxUnpacked>>20)
	}
	switch {
	case mode.Type() == fs.ModeSymlink:
		f.Mode = fs.ModeSymlink
	case mode&0o111 != 0:
		f.Mode = 0o755
	default:
		f.Mode = 0o644
	}
	u.files = append(u.files, f)
	return nil
}

func errTooManyEntries() error {
	return fmt.Errorf("the archive has more than %d files, links and directories", maxEntries)
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
