package values_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// subchart returns the archive of a chart whose values.yaml has a text; gzip does not compress it if it has to be damaged.
func subchart(t *testing.T, level int, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(zipped)
	for _, f := range [][2]string{{"sub/Chart.yaml", "name: sub\nversion: 1.0.0\n"}, {"sub/values.yaml", text}} {
		err := w.WriteHeader(&tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))})
		if err == nil {
			_, err = w.Write([]byte(f[1]))
		}
		if err != nil {
			t.Fatal(err)
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

func chartWith(archives ...[]byte) error {
	files := []pkgmerge.File{{Name: "Chart.yaml", Data: []byte("name: a\nversion: 1.0.0\n")}}
	for i, data := range archives {
		files = append(files, pkgmerge.File{Name: fmt.Sprintf("charts/%d.tgz", i), Data: data})
	}
	_, err := values.NewChart("chart", files)
	return err
}

// The archive of a subchart that is cut off or has a flipped bit is an error, and never a chart with fewer values.
func TestDamagedSubcharts(t *testing.T) {
	data := subchart(t, gzip.NoCompression, "a: 1\n")
	if err := chartWith(data); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(data); n += 7 {
		if err := chartWith(data[:n]); err == nil {
			t.Fatalf("cut after %d of %d bytes: no error", n, len(data))
		}
	}
	const header = 10 // of gzip, whose time and system say nothing about the files
	for at := header; at < len(data); at += 5 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1
		if err := chartWith(damaged); err == nil {
			t.Fatalf("flipped at %d: no error", at)
		}
	}
}

// The archives of subcharts have one limit together.
func TestSubchartBombs(t *testing.T) {
	bomb := subchart(t, gzip.BestSpeed, strings.Repeat("#", 130<<20))
	if err := chartWith(bomb, bomb); err == nil || !strings.Contains(err.Error(), "more than 256 MiB together") {
		t.Errorf("got %v", err)
	}
}
