package source_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/source"
)

// archive returns an archive of headers, with a file's name as its content.
func archive(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for _, h := range headers {
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(h.Name))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := w.Write([]byte(h.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchive(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pkg.tgz")
	data := archive(t, tar.Header{Name: "pkg/", Typeflag: tar.TypeDir}, tar.Header{Name: "pkg/run.sh", Mode: 0o755}, tar.Header{Name: "./pkg/a/b.txt", Mode: 0o644},
		tar.Header{Name: "pkg/link", Linkname: "a/b.txt", Typeflag: tar.TypeSymlink})
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range read(t, parsed(t, name)).Files {
		got = append(got, f.Name+" "+f.Mode.String()+" "+string(f.Data))
	}
	if diff := cmp.Diff([]string{"a/b.txt -rw-r--r-- ./pkg/a/b.txt", "link L--------- a/b.txt", "run.sh -rwxr-xr-x pkg/run.sh"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestArchiveErrors(t *testing.T) {
	many := make([]tar.Header, 50_001)
	for i := range many {
		many[i] = tar.Header{Name: "a" + strings.Repeat("b", i%50) + string(rune('a'+i%26)) + strings.Repeat("c", i/1300)}
	}
	for want, data := range map[string][]byte{
		"read the archive: zip":        []byte("PK"),
		"the name leads out":           archive(t, tar.Header{Name: "../a"}),
		`"/etc/a": the name leads out`: archive(t, tar.Header{Name: "/etc/a"}),
		"leads out of the archive":     archive(t, tar.Header{Name: "a", Linkname: "../../b", Typeflag: tar.TypeSymlink}),
		`the link to "/etc/passwd"`:    archive(t, tar.Header{Name: "a", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink}),
		"neither a file":               archive(t, tar.Header{Name: "a", Typeflag: tar.TypeFifo}),
		"twice in the archive":         archive(t, tar.Header{Name: "a"}, tar.Header{Name: "./a"}),
		"more than 50000 files":        archive(t, many...),
		"read the archive":             archive(t, tar.Header{Name: "a"})[:30],
	} {
		if _, err := source.Unpack(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}

// TestArchiveBomb: a small archive of a large file is an error.
func TestArchiveBomb(t *testing.T) {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	if err := w.WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 300 << 20}); err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range 300 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Unpack(b.Bytes()); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("got %v", err)
	}
}
