package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawLineEnds checks on every case of testdata, and assignments of its versions to the sides, that files with the
// line ends "\r\n", and files with a byte order mark, merge as the same files without.
func TestLawLineEnds(t *testing.T) {
	const mark = "\uFEFF"
	encodings := []struct {
		name   string
		encode func(string) string
		decode func(string) string
	}{
		{"CRLF", func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }, func(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }},
		{"a byte order mark", func(text string) string { return mark + text }, func(text string) string { return strings.ReplaceAll(text, mark, "") }},
	}
	merged := 0
	for i, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for j, a := range assignments(c) {
				if !isChecked(i, j) || waysExempt(t, c.Name, a) != "" {
					continue
				}
				for _, way := range []string{ways.Mark, ways.Driver} {
					want := a.outcomes(t, way, a.pkg(), func(text string) string { return text })
					for _, e := range encodings {
						merged++
						if got := a.outcomes(t, way, encoded(a.pkg(), e.encode), e.decode); got != want {
							t.Errorf("%s under %s with %s\n--- local\n%s--- got\n%s--- want\n%s", a.name, way, e.name, a.pkg().Local["a.yaml"], got, want)
						}
					}
				}
			}
		})
	}
	if merged == 0 {
		t.Error("no case was merged")
	}
}

// encoded returns a package with its files encoded.
func encoded(p mergecheck.Package, encode func(string) string) mergecheck.Package {
	for _, files := range []map[string]string{p.Origin, p.Upstream, p.Local} {
		for name, text := range files {
			files[name] = encode(text)
		}
	}
	return p
}

// outcomes returns the decoded files of a merge, and what it tells.
func (a assignment) outcomes(t *testing.T, way string, p mergecheck.Package, decode func(string) string) string {
	t.Helper()
	all, err := ways.Merge(t.Context(), way, p)
	if err != nil {
		return "error"
	}
	var b strings.Builder
	for _, m := range all {
		for name, text := range m.Result {
			fmt.Fprintf(&b, "%s:\n%s", name, decode(text))
		}
		for _, told := range m.Told {
			fmt.Fprintf(&b, "told: %s %s\n", told.File, told.Path)
		}
	}
	return b.String()
}
