package source_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
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
	var header bytes.Buffer
	if err := tar.NewWriter(&header).WriteHeader(&tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 300 << 20}); err != nil {
		t.Fatal(err)
	}
	zeros := gzipped(t, gzip.BestSpeed, make([]byte, 1<<20))
	bomb := append(gzipped(t, gzip.BestSpeed, header.Bytes()), bytes.Repeat(zeros, 300)...)
	if _, err := source.Unpack(bomb); err == nil || !strings.Contains(err.Error(), "more than 256 MiB") {
		t.Errorf("got %v", err)
	}
}

// A link is measured where it will lie, after the one top directory is dropped, and its way goes over no other link. Chains of
// links that each stay inside lead out together.
func TestArchiveLinks(t *testing.T) {
	link := func(name, to string) tar.Header {
		return tar.Header{Name: name, Linkname: to, Typeflag: tar.TypeSymlink}
	}
	file := tar.Header{Name: "p/d/f"}
	for want, headers := range map[string][]tar.Header{
		`d/x: the link to "../../x" leads out`:             {file, link("p/d/x", "../../x")},
		`x: the link to "../p/d" leads out`:                {file, link("p/x", "../p/d")},
		`l.yaml: the link to "x/d/x/etc" goes over`:        {file, link("p/d/x", ".."), link("p/d/l.yaml", "x/d/x/etc")},
		`l: the link to "d/x/" goes over another link`:     {file, link("p/d/x", ".."), link("p/l", "d/x/")},
		`l: the link to "d/x/." goes over another link`:    {link("p/l", "d/x/."), file, link("p/d/x", "..")},
		`l: the link to "./d//x/y" goes over another link`: {link("p/l", "./d//x/y"), file, link("p/d/x", "..")},
		`l: the link to "none/../../x" leads out`:          {file, link("p/l", "none/../../x")},
		`l: the link to "..\\x" leads out`:                 {file, link("p/l", `..\x`)},
		"d/x/a: it lies below a file or a link":            {file, link("p/d/x", "../e"), {Name: "p/d/x/a"}, {Name: "p/e/b"}},
		"p/d: twice in the archive":                        {{Name: "p/d/", Typeflag: tar.TypeDir}, link("p/d", "/etc")},
		"p/d/f: twice in the archive":                      {file, link("p/d/f", "g")},
		"p/d: twice":                                       {link("p/d", "e"), {Name: "p/d/", Typeflag: tar.TypeDir}, {Name: "p/e/a"}},
	} {
		for what, top := range map[string]tar.Header{"one top": {Name: "p/g"}, "a longer name": {Name: "p/" + strings.Repeat("g", 150)}} {
			if files, err := source.Unpack(archive(t, append(headers, top)...)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %d files, %v, want an error with %q", what, len(files), err, want)
			}
		}
	}
	inside := []tar.Header{file, link("p/d/x", ".."), link("p/y", "d/x"), link("p/d/z", "../d/./f"), link("p/none", "a/b/../c"), link("p/self", "self")}
	if files, err := source.Unpack(archive(t, inside...)); err != nil || len(files) != len(inside) {
		t.Errorf("links that stay inside: %d files, %v", len(files), err)
	}
	name := filepath.Join(t.TempDir(), "pkg.tgz")
	if err := os.WriteFile(name, archive(t, tar.Header{Name: "a"}, tar.Header{Name: "d/f"}, link("d/x", "../a")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readBy(name); err != nil {
		t.Error(err)
	}
	if _, err := readBy(name + "//d"); err == nil || !strings.Contains(err.Error(), `x: the link to "../a" leads out`) {
		t.Errorf("a directory whose link leads out of it: %v", err)
	}
}

// What programs read in several ways, or what hides a file, is an error.
func TestArchiveVariants(t *testing.T) {
	reg := func(name, text string) []byte { return tarred(t, []entry{{name, text, 0o644}}, tar.FormatUSTAR) }
	a, b := reg("a", "a"), reg("b", "b")
	const block = 512
	with := func(change func(header []byte)) []byte {
		data := bytes.Clone(a)
		change(data[:block])
		copy(data[148:156], "        ")
		sum := 0
		for _, c := range data[:block] {
			sum += int(c)
		}
		copy(data[148:156], fmt.Sprintf("%06o\x00 ", sum))
		return data
	}
	typed := func(kind byte) []byte { return with(func(header []byte) { header[156] = kind }) }
	pax := func(kind byte, records map[string]string) []byte {
		var body bytes.Buffer
		for key, value := range records {
			size := len(key) + len(value) + 5
			fmt.Fprintf(&body, "%02d %s=%s\n", size, key, value)
		}
		header := typed(kind)[:block]
		copy(header[124:136], fmt.Sprintf("%011o\x00", body.Len()))
		data := with(func(h []byte) { copy(h, header) })[:block]
		return append(append(data, body.Bytes()...), make([]byte, block-body.Len())...)
	}
	zeros := make([]byte, 2*block)
	bodyOfA := a[:2*block]
	for name, c := range map[string]struct {
		data []byte
		want string // a name of a file, or a part of an error
	}{
		"as it is":                       {a, "a"},
		"more zeros":                     {append(bytes.Clone(a), make([]byte, 9000)...), "a"},
		"two tars":                       {append(bytes.Clone(a), b...), "something follows its end"},
		"two members, two tars":          {gzipped(t, 6, a, b), "something follows its end"},
		"two members, one tar":           {gzipped(t, 6, a[:700], a[700:]), "a"},
		"an empty member":                {gzipped(t, 6, nil, a, nil), "a"},
		"zeros behind gzip":              {append(gzipped(t, 6, a), zeros...), "gzip: invalid header"},
		"text behind gzip":               {append(gzipped(t, 6, a), "more"...), "EOF"},
		"nothing":                        {nil, "it is cut off"},
		"nothing, zipped":                {gzipped(t, 6, nil), "it is cut off"},
		"no end":                         {bodyOfA, "it is cut off"},
		"half an end":                    {append(bytes.Clone(bodyOfA), zeros[:block]...), "it is cut off"},
		"a block between the ends":       {append(append(bytes.Clone(bodyOfA), zeros[:block]...), b...), "invalid tar header"},
		"a hard link":                    {typed(tar.TypeLink), "a: neither a file"},
		"a device":                       {typed(tar.TypeBlock), "a: neither a file"},
		"a volume":                       {typed('V'), "a: neither a file"},
		"the rest of a file":             {typed('M'), "a: neither a file"},
		"an unknown type":                {typed('Z'), "a: neither a file"},
		"a contiguous file":              {typed(tar.TypeCont), "a"},
		"a file with a directory's mode": {with(func(header []byte) { copy(header[100:108], "0040755\x00") }), "a"},
		"a file with a directory's name": {with(func(header []byte) { copy(header, "a/\x00") }), "a: neither a file"},
		"an absolute name":               {reg("/a", ""), `"/a": the name leads out`},
		"a name behind a name":           {append(pax('x', map[string]string{"path": "../z"}), a...), `"../z": the name leads out`},
		"a comment":                      {append(pax('g', map[string]string{"comment": "1234"}), a...), "a"},
		"a name for all":                 {append(pax('g', map[string]string{"path": "zzzz"}), a...), "gives all files the same path"},
		"a link for all":                 {append(pax('g', map[string]string{"linkpath": "z"}), a...), "gives all files the same linkpath"},
		"a size for all":                 {append(pax('g', map[string]string{"size": "0000"}), a...), "gives all files the same size"},
		"a longer size":                  {append(pax('x', map[string]string{"size": "9999"}), a...), "unexpected EOF"},
		"a huge sparse file":             {append(pax('x', map[string]string{"GNU.sparse.size": "99999999999", "GNU.sparse.numblocks": "0"}), a...), "a"},
		"a zip with bytes in front":      {append([]byte("PKx"), zipOf(t, []entry{{"a", "a", 0o644}}, zip.Store)...), "something precedes it"},
		"a zip with bytes behind":        {append(zipOf(t, []entry{{"a", "a", 0o644}}, zip.Store), 'x'), "something follows its end"},
		"a zip's directory with a text":  {zipOf(t, []entry{{"a", "a", fs.ModeDir | 0o755}}, zip.Store), "a: neither a file"},
		"a zip with a name twice":        {zipOf(t, []entry{{"a", "a", 0o644}, {"a", "b", fs.ModeSymlink}}, zip.Store), "a: twice in the archive"},
	} {
		files, err := source.Unpack(c.data)
		var got []string
		for _, f := range files {
			got = append(got, f.Name)
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if text := strings.Join(got, ", "); text != c.want && (err == nil || !strings.Contains(text, c.want)) {
			t.Errorf("%s: got %s, want %s", name, text, c.want)
		}
	}
}

// Directories count for the limit of entries, those too that only names tell of. Time does not grow with the square of a name.
func TestManyDirectories(t *testing.T) {
	dirs := make([]tar.Header, 50_001)
	for i := range dirs {
		dirs[i] = tar.Header{Name: "d/", Typeflag: tar.TypeDir}
	}
	deep := strings.Repeat("d/", 300_000) + "a"
	for name, data := range map[string][]byte{"entries": archive(t, dirs...), "a deep name": archive(t, tar.Header{Name: deep, Format: tar.FormatPAX})} {
		if _, err := source.Unpack(data); err == nil || !strings.Contains(err.Error(), "more than 50000 files, links and directories") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
