package tests

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// document is a resource of a drawn package.
type document struct {
	name       string
	a, b       int
	containers []int
}

// look is a style of files.
type look struct {
	header, above, separator, comment, end string
	indent                                 int
	wide, blank, open, flow                bool
}

func looks() *rapid.Generator[look] {
	return rapid.Custom(func(t *rapid.T) look {
		bit := func(name string) bool { return rapid.Bool().Draw(t, name) }
		one := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
		return look{
			header: one("header", "", "# Licence\n\n", "# Licence\n---\n", "---\n", "\uFEFF", "%YAML 1.2\n---\n", "\n\n"),
			above:  one("above", "", "# Above.\n", "# Far above.\n\n# Above.\n"), comment: one("comment", "", " # behind", "  #behind"),
			separator: one("separator", "---\n", "--- # next\n", "---\n---\n", "...\n---\n"),
			end:       one("end", "", "...\n", "# end\n", "---\n", "\n\n"), indent: rapid.SampledFrom([]int{1, 2, 4}).Draw(t, "indent"),
			wide: bit("wide"), blank: bit("blank"), open: bit("open"), flow: bit("flow"),
		}
	})
}

// text writes a document.
func (l look) text(d document) string {
	in := strings.Repeat(" ", l.indent)
	var b strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&b, format+l.comment+"\n", args...) }
	b.WriteString(l.above)
	write("apiVersion: apps/v1")
	write("kind: Deployment")
	if l.flow {
		write("metadata: { name:   %s, annotations: {} }", d.name)
	} else {
		b.WriteString("metadata:\n" + in + "name:   \"" + d.name + "\"\n")
	}
	if l.blank {
		b.WriteString("\n\n")
	}
	b.WriteString("spec:\n")
	write(in+"replicas: %d", d.a)
	write(in+"minReadySeconds:   %d", d.b)
	b.WriteString(in + "template:\n" + in + in + "spec:\n" + in + in + in + "containers:\n")
	dash := in + in + in
	if l.wide {
		dash += in
	}
	for i, c := range d.containers {
		write(dash+"- name: c%d", i)
		write(dash+"  image: 'i%d:%d'", i, c)
	}
	if len(d.containers) == 0 {
		b.WriteString(dash + " []\n")
	}
	return b.String()
}

// file writes a file of documents.
func (l look) file(docs []document) string {
	var parts []string
	for _, d := range docs {
		parts = append(parts, l.text(d))
	}
	text := l.header + strings.Join(parts, l.separator) + l.end
	if l.open {
		text = strings.TrimRight(text, "\n")
	}
	return text
}

// drawDocuments draws documents with names of their own.
func drawDocuments(t *rapid.T, names ...string) (docs []document) {
	number := rapid.IntRange(0, 2)
	for _, name := range names {
		if rapid.IntRange(0, 5).Draw(t, "is there") > 0 {
			docs = append(docs, document{
				name: name, a: number.Draw(t, "a"), b: number.Draw(t, "b"),
				containers: rapid.SliceOfN(number, 1, 3).Draw(t, "containers"),
			})
		}
	}
	return docs
}

// drawFiles draws the files of a package.
func drawFiles(t *rapid.T) []pkgmerge.File {
	var files []pkgmerge.File
	add := func(name string, mode fs.FileMode, text string) {
		if rapid.IntRange(0, 7).Draw(t, "is there") > 0 {
			if rapid.IntRange(0, 5).Draw(t, "CRLF") == 0 && mode != fs.ModeSymlink {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			files = append(files, pkgmerge.File{Name: name, Mode: mode, Data: []byte(text)})
		}
	}
	modes := rapid.SampledFrom([]fs.FileMode{0o644, 0o755})
	number := rapid.IntRange(0, 2)
	lines := func(of ...string) string {
		var b strings.Builder
		for i, line := range of {
			b.WriteString(strings.ReplaceAll(line, "%d", fmt.Sprint(number.Draw(t, fmt.Sprint("line ", i)))) + "\n")
		}
		return b.String()
	}
	names := []string{"w", "x", "y", "z"}
	cut := rapid.IntRange(0, len(names)).Draw(t, "cut")
	for i, part := range [][]string{names[:cut], names[cut:]} {
		if docs := drawDocuments(t, part...); len(docs) > 0 {
			add(fmt.Sprintf("app/%d.yaml", i), modes.Draw(t, "mode"), looks().Draw(t, "look").file(docs))
		}
	}
	add("README.md", 0o644, lines("# %d", "", "text %d", "", "more %d"))
	add("bin/logo.png", 0o644, lines("\x89PNG%d\x00"))
	add("bin/run.sh", modes.Draw(t, "mode"), lines("#!/bin/sh", "echo a %d", "", "echo b %d"))
	add("chart/templates/web.yaml", 0o644, lines("{{- if .Values.on }}", "kind: Service", "spec: {{ .Values.n%d }}", "{{- end }}"))
	add("chart/values.yaml", 0o644, lines("# Values.", "on: %d", "", "image:", "    tag:   %d # tag", "list: [ 1, %d ]"))
	add("dashboards/a.json", 0o644, lines("{", "\t\"title\": \"%d\",", "\t\"panels\": [{\"id\": 1}, {\"id\": %d}]", "}"))
	add("keep.txt", 0o644, "always\n")
	add("latest", fs.ModeSymlink, lines("v%d"))
	add("twice.yaml", 0o644, lines("a: %d", "b: 1", "a: 1"))
	return append(files, pkgmerge.File{Name: "always.txt", Mode: 0o644, Data: []byte("always\n")})
}

// mergeOf merges versions of a package, without merge comments.
func mergeOf(t *rapid.T, o, u, l []pkgmerge.File) []pkgmerge.File {
	var packages [3]pkgmerge.Package
	for side, files := range [3][]pkgmerge.File{o, u, l} {
		p, err := pkgmerge.NewPackage(files)
		if err != nil {
			t.Fatal(err)
		}
		packages[side] = p
	}
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{MergeComments: pkgmerge.CommentRenamed})
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// same compares files to the byte.
func sameFiles(t *rapid.T, got, want []pkgmerge.File) {
	want = slices.Clone(want)
	slices.SortFunc(want, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	show := func(files []pkgmerge.File) map[string]string {
		out := map[string]string{}
		for _, f := range files {
			out[f.Name] = fmt.Sprint(f.Mode, "\n", string(f.Data))
		}
		return out
	}
	g, w := show(got), show(want)
	for _, f := range append(want, got...) {
		if g[f.Name] != w[f.Name] {
			t.Fatalf("%s: got\n%q\nwant\n%q", f.Name, g[f.Name], w[f.Name])
		}
	}
}

// What upstream left alone stays local's, whatever it is like.
func TestFilesOfLocalStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, l := drawFiles(t), drawFiles(t)
		sameFiles(t, mergeOf(t, o, o, l), l)
	})
}

// What local left alone becomes upstream's, byte for byte.
func TestFilesOfUpstreamCome(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, u := drawFiles(t), drawFiles(t)
		sameFiles(t, mergeOf(t, o, u, o), u)
	})
}

// What upstream has already, comes to nothing.
func TestFilesOfBothStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, x := drawFiles(t), drawFiles(t)
		sameFiles(t, mergeOf(t, o, x, x), x)
	})
}

// To merge once more changes nothing. Comments that are apart from their document are
// left out: which document they are a header of depends on which is the first one.
func TestFilesMergeOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, u, l := drawFiles(t), drawFiles(t), drawFiles(t)
		for _, files := range [3][]pkgmerge.File{o, u, l} {
			for i, f := range files {
				files[i].Data = bytes.ReplaceAll(bytes.ReplaceAll(f.Data, []byte("\r"), nil), []byte("# Far above.\n\n"), nil)
			}
		}
		once := mergeOf(t, o, u, l)
		sameFiles(t, mergeOf(t, o, u, once), once)
	})
}

// A field that upstream changed changes its line in local's file, and nothing else.
func TestOneFieldIsOneLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		docs := drawDocuments(t, "w", "x", "y")
		if len(docs) == 0 {
			return
		}
		changed := slices.Clone(docs)
		at := rapid.IntRange(0, len(docs)-1).Draw(t, "at")
		changed[at].a = 7
		theirs, ours := looks().Draw(t, "theirs"), looks().Draw(t, "ours")
		theirs.above, theirs.comment = ours.above, ours.comment
		file := func(text string) []pkgmerge.File {
			return []pkgmerge.File{{Name: "a.yaml", Mode: 0o644, Data: []byte(text)}}
		}
		merged := mergeOf(t, file(theirs.file(docs)), file(theirs.file(changed)), file(ours.file(docs)))
		sameFiles(t, merged, file(ours.file(changed)))
	})
}
