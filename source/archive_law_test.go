package source_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/pem"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// fatal is a test, or a draw of one.
type fatal interface{ Fatal(args ...any) }

// entry is an entry of an archive; a name that ends in a slash is a directory's.
type entry struct {
	name, text string
	mode       fs.FileMode
}

// tarred returns a tar of entries.
func tarred(t fatal, entries []entry, format tar.Format) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := tar.Header{Name: e.name, Mode: int64(e.mode.Perm()), Format: format}
		switch {
		case strings.HasSuffix(e.name, "/"):
			h.Typeflag = tar.TypeDir
		case e.mode&fs.ModeSymlink != 0:
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.text
		default:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(e.text))
		}
		err := w.WriteHeader(&h)
		if err == nil && h.Typeflag == tar.TypeReg {
			_, err = w.Write([]byte(e.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// gzipped returns a gzip with a member for each part.
func gzipped(t fatal, level int, parts ...[]byte) []byte {
	var b bytes.Buffer
	for _, part := range parts {
		w, err := gzip.NewWriterLevel(&b, level)
		if err == nil {
			_, err = w.Write(part)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// zipOf returns a zip of entries.
func zipOf(t fatal, entries []entry, method uint16) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := zip.FileHeader{Name: e.name, Method: method}
		h.SetMode(e.mode)
		to, err := w.CreateHeader(&h)
		if err == nil && e.text != "" {
			_, err = to.Write([]byte(e.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// texts returns the names and texts of files, and their modes if the archive has a checksum of these.
func texts(files []pkgmerge.File, hasModes bool) (out []string) {
	for _, f := range files {
		text := f.Name + "\n" + string(f.Data)
		if hasModes {
			text += "\n" + f.Mode.String()
		}
		out = append(out, text)
	}
	return out
}

// checkDamaged fails if a damaged archive has another result than the whole one.
func checkDamaged(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, what string, want []string, data []byte, hasModes bool) {
	t.Helper()
	files, err := source.Unpack(data)
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, texts(files, hasModes)); diff != "" {
		t.Fatalf("%s: another package (-want +got):\n%s", what, diff)
	}
}

// sample has what a careless reader takes for an end: texts of zeros, and archives in an archive.
func sample(t fatal) []entry {
	inner := []entry{{"other/a.yaml", "a: 1\n", 0o644}}
	return []entry{
		{"pkg/", "", fs.ModeDir | 0o755},
		{"pkg/zeros", strings.Repeat("\x00", 1024), 0o644},
		{"pkg/a.yaml", "a: 1\n", 0o644},
		{"pkg/inner.tar", string(tarred(t, inner, tar.FormatUSTAR)), 0o644},
		{"pkg/inner.zip", string(zipOf(t, inner, zip.Store)), 0o644},
		{"pkg/" + strings.Repeat("long/", 30) + "a.yaml", "a: 2\n", 0o755},
		{"pkg/link", "long/long", fs.ModeSymlink | 0o777},
		{"pkg/inner.tgz", string(gzipped(t, 0, tarred(t, inner, tar.FormatUSTAR))), 0o644},
	}
}

// A tar, a gzip or a zip that is cut off at any byte, and a gzip or a zip with any bit flipped, is an error or the same package. Nothing but
// an error is an archive without a part of its files. (A tar without gzip has no checksum of its texts, a zip none of its modes.)
func TestLawEveryDamageOfAnArchive(t *testing.T) {
	entries := sample(t)
	plain := tarred(t, entries, tar.FormatPAX)
	for name, a := range map[string]struct {
		data            []byte
		flips, hasModes bool
	}{
		"tar":        {plain, false, true},
		"gnu":        {tarred(t, entries, tar.FormatGNU), false, true},
		"gzip":       {gzipped(t, gzip.BestCompression, plain), true, true},
		"members":    {gzipped(t, gzip.BestCompression, plain[:1536], plain[1536:4096], plain[4096:]), true, true},
		"zip":        {zipOf(t, entries, zip.Deflate), true, false},
		"zip stored": {zipOf(t, entries, zip.Store), false, false},
	} {
		files, err := source.Unpack(a.data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := texts(files, a.hasModes)
		for n := 0; n < len(a.data); n += seed.Step(4) {
			if _, err := source.Unpack(a.data[:n]); err == nil {
				t.Fatalf("%s cut after %d of %d bytes: no error", name, n, len(a.data))
			}
		}
		for bit := 0; a.flips && bit < 8*len(a.data); bit += 3 * seed.Step(4) {
			damaged := bytes.Clone(a.data)
			damaged[bit/8] ^= 1 << (bit % 8)
			checkDamaged(t, name+" flipped", want, damaged, a.hasModes)
		}
	}
}

// drawEntries draws the entries of an archive: names of all lengths, texts of zeros and of noise, links.
func drawEntries(t *rapid.T) (entries []entry) {
	isThere := map[string]bool{}
	for range rapid.IntRange(1, 8).Draw(t, "entries") {
		name := rapid.SampledFrom([]string{"p/", "p/d/", "p/d/e/", "q/", ""}).Draw(t, "dir") + rapid.SampledFrom([]string{"a", "b.yaml", "c.tgz", strings.Repeat("n", 120)}).Draw(t, "name")
		if isThere[name] {
			continue
		}
		isThere[name] = true
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			entries = append(entries, entry{name, rapid.SampledFrom([]string{"b.yaml", "x/y", "../" + filepath.Base(filepath.Dir(name))}).Draw(t, "to"), fs.ModeSymlink | 0o777})
		case 1:
			entries = append(entries, entry{name, strings.Repeat("\x00", 256*rapid.IntRange(0, 6).Draw(t, "zeros")), 0o644})
		default:
			entries = append(entries, entry{name, string(rapid.SliceOfN(rapid.Byte(), 0, 700).Draw(t, "text")), 0o755})
		}
	}
	return entries
}

// As above, for archives and damages that are drawn: several bits, zeros in the place of bytes, bytes that are missing, bytes behind the end.
func TestLawDrawnDamageOfAnArchive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawEntries(t)
		hasModes := true
		var data []byte
		switch kind := rapid.SampledFrom([]string{"gzip", "members", "zip"}).Draw(t, "archive"); kind {
		case "zip":
			data, hasModes = zipOf(t, entries, rapid.SampledFrom([]uint16{zip.Store, zip.Deflate}).Draw(t, "method")), false
		default:
			plain := tarred(t, entries, rapid.SampledFrom([]tar.Format{tar.FormatPAX, tar.FormatGNU}).Draw(t, "format"))
			at := rapid.IntRange(0, len(plain)).Draw(t, "member")
			if kind == "gzip" {
				at = len(plain)
			}
			data = gzipped(t, rapid.IntRange(0, 9).Draw(t, "level"), plain[:at], plain[at:])
		}
		files, err := source.Unpack(data)
		if err != nil {
			return // such as a link that leads out
		}
		want := texts(files, hasModes)
		for range 20 {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			size := min(rapid.IntRange(1, 16).Draw(t, "size"), len(data)-at)
			damaged := bytes.Clone(data)
			switch rapid.IntRange(0, 3).Draw(t, "damage") {
			case 0:
				damaged[at] ^= 1 << (size % 8)
			case 1:
				clear(damaged[at : at+size])
			case 2:
				damaged = append(damaged[:at], damaged[at+size:]...)
			case 3:
				damaged = damaged[:at]
			}
			checkDamaged(t, "drawn", want, damaged, hasModes)
		}
		for _, behind := range [][]byte{{0x1f}, []byte("garbage at the end of it"), data} {
			if files, err := source.Unpack(append(bytes.Clone(data), behind...)); err == nil {
				t.Fatalf("with %d bytes behind its end: %q", len(behind), texts(files, false))
			}
		}
	})
}

// Every way in refuses an archive that is cut off or has a flipped bit: a file, a download whose length the server tells, one that ends
// when the server closes, a layer in a registry that knows the digest of the whole layer or that of the damaged one.
func TestLawDamagedArchivesByEveryWay(t *testing.T) {
	plain := tarred(t, sample(t), tar.FormatPAX)
	whole := gzipped(t, gzip.NoCompression, plain)
	var data []byte
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/closed.tgz" {
			w.Header().Set("Connection", "close")
			w.(http.Flusher).Flush()
		}
		_, _ = w.Write(data)
	}))
	defer server.Close()
	dir := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), ca, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", filepath.Join(dir, "ca.pem"))
	t.Chdir(dir)
	r := newRegistry(t)
	ways := map[string]func() string{
		"file": func() string {
			if err := os.WriteFile("pkg.tgz", data, 0o600); err != nil {
				t.Fatal(err)
			}
			return "pkg.tgz"
		},
		"download": func() string { return server.URL + "/pkg.tgz" },
		"closed":   func() string { return server.URL + "/closed.tgz" },
		"chart":    func() string { return r.serve(blob{chartType, data}) },
		"image": func() string {
			return r.serve(blob{gzipType, gzipped(t, 1, tarred(t, nil, tar.FormatUSTAR))}, blob{gzipType, data})
		},
		"digest": func() string {
			name := r.serve(blob{gzipType, whole})
			r.blobs[digestOf(whole)] = data
			return name
		},
	}
	damages := [][]byte{whole[:0], whole[:len(whole)/2], whole[:len(whole)-1], whole[:len(whole)-8], gzipped(t, 1, plain[:len(plain)-1024]), gzipped(t, 1, plain[:2048])}
	for at := 100; at < len(whole); at += len(whole) / 9 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 4
		damages = append(damages, damaged)
	}
	for name, way := range ways {
		data = whole
		if files, err := readBy(way()); err != nil || len(files) < 7 {
			t.Errorf("%s: %d files, %v", name, len(files), err)
		}
		for i, damaged := range damages {
			data = damaged
			if files, err := readBy(way()); err == nil {
				t.Errorf("%s, damage %d: %d files and no error", name, i, len(files))
			}
		}
	}
}

func readBy(text string) ([]pkgmerge.File, error) {
	s, err := source.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.Read(context.Background())
	return p.Files, err
}
