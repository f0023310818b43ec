package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestTrees checks the laws on packages of several files. Without an upstream in it, a case
// is about the first two laws.
func TestTrees(t *testing.T) {
	cases, err := filepath.Glob("testdata/trees/*.txt")
	if err != nil || len(cases) == 0 {
		t.Fatal(err, "no cases")
	}
	for _, file := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			l := laws{tried: 100}
			for side, name := range [3]string{"origin", "upstream", "local"} {
				l.packages[side] = sideOf(t, string(text), name)
			}
			checkTree(t, l.overOrigin)
			if len(l.packages[1].Files) > 0 {
				checkTree(t, l.overUpstream)
			}
		})
	}
}

// checkTree checks a law that says something.
func checkTree(t *testing.T, law func() (made, error)) {
	t.Helper()
	m, err := law()
	var unexpressed []string
	if m.Overlay != nil {
		unexpressed = m.Unexpressed
	}
	if err != nil && !errors.Is(err, errIdle) || errors.Is(err, errIdle) && unexpressed == nil {
		t.Errorf("%v\n%s", err, m.tree.text("overlay"))
	}
	t.Logf("%v\n%s", unexpressed, m.tree.text("overlay"))
}

// sideOf is a version in a text that has the files of several, each below a line with its
// name.
func sideOf(t *testing.T, text, side string) pkgmerge.Package {
	t.Helper()
	heads := regexp.MustCompile(`(?m)^-- (\S+) --\n`)
	at := heads.FindAllStringSubmatchIndex(text, -1)
	var files []pkgmerge.File
	for i, head := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		if name, found := strings.CutPrefix(text[head[2]:head[3]], side+"/"); found {
			files = append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(text[head[1]:end])})
		}
	}
	p, err := pkgmerge.NewPackage(slices.Clone(files))
	if err != nil {
		t.Fatal(err)
	}
	return p
}
