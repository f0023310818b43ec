package tests

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/filedraw"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawOneSide checks on drawn files that local's side of all markers is the merge under the policy local, byte for byte,
// and that upstream's side is the merge under the policy upstream, unless something was removed, where that policy follows
// kpt's rule (rules/conflicts: kinds).
func TestLawOneSide(t *testing.T) {
	marked := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawPackage(t)
		m := mergeOne(t, ways.Mark, p)
		if m.Conflicts > 0 {
			marked++
		}
		isRemoval := func(told mergecheck.Told) bool { return strings.HasSuffix(told.Conflict, "-deleted") }
		checkSide(t, "local", m.Result[lawFile], mergeOne(t, "local", p).Result[lawFile], p)
		if !slices.ContainsFunc(m.Told, isRemoval) {
			checkSide(t, "upstream", m.Result[lawFile], mergeOne(t, "upstream", p).Result[lawFile], p)
		}
	})
	if marked == 0 {
		t.Error("no merge has a conflict")
	}
}

// TestLawOneSideInGit checks the same in git's driver, with markers of each style, where the config takes a side. A comment that
// only markers hold is lost under a policy (rules/git: collisions that only markers know).
func TestLawOneSideInGit(t *testing.T) {
	labels := [3]string{"ours", "base", "theirs"}
	formats := []command.MarkerFormat{{Style: "merge", Labels: labels}, {Style: "diff3", Labels: labels}, {Style: "zdiff3", Labels: labels}}
	marked := map[command.MarkerFormat]int{}
	rapid.Check(t, func(t *rapid.T) {
		p := drawPackage(t)
		format := rapid.SampledFrom(formats).Draw(t, "format")
		m := driveFile(t, p, format, "")
		if m.Conflicts == 0 || m.Method == command.ByLines {
			return
		}
		marked[format]++
		for _, side := range []string{"local", "upstream"} {
			if side == "upstream" && hasRemoval(t, p) {
				continue
			}
			taken, comments := string(driveFile(t, p, format, side).Text), oneSide(string(m.Text), side == "upstream")
			if strings.Count(comments, "#") == strings.Count(taken, "#") {
				checkSide(t, side, string(m.Text), taken, p)
			}
		}
	})
	if len(marked) == 0 {
		t.Error("no merge has a conflict")
	}
}

// checkSide compares a side of all markers of a text with the merge under the policy of this side. A file that ends with a marker has
// a line break at its end.
func checkSide(t *rapid.T, side, marked, want string, p mergecheck.Package) {
	if got := oneSide(marked, side == "upstream"); got != want && strings.TrimRight(got, "\r\n") != want {
		t.Fatalf("%s's side of all markers is\n%s--- under the policy it is\n%s%s--- with markers\n%s", side, got, want, show(p), marked)
	}
}

// drawPackage draws a package of one file.
func drawPackage(t *rapid.T) mergecheck.Package {
	v := filedraw.Draw(t, filedraw.Options{Plain: true})
	file := func(text string) map[string]string { return map[string]string{lawFile: text} }
	return mergecheck.Package{Origin: file(v[0]), Upstream: file(v[1]), Local: file(v[2])}
}

// driveFile merges the file of a package by git's driver, under a policy of the config if there is one.
func driveFile(t *rapid.T, p mergecheck.Package, format command.MarkerFormat, prefer string) command.MergedFile {
	v := command.FileVersions{Path: lawFile}
	v.Texts = [3][]byte{command.Ours: []byte(p.Local[lawFile]), command.Base: []byte(p.Origin[lawFile]), command.Theirs: []byte(p.Upstream[lawFile])}
	if prefer != "" {
		var config yaml.Node
		err := yaml.Unmarshal([]byte("apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {prefer: "+prefer+"}\n"), &config)
		if err == nil {
			v.Settings, err = command.ReadSettings(config.Content[0])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	m, err := command.MergeFile(t.Context(), v, format)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// hasRemoval reports whether a side removed what the other side changed, as on a branch.
func hasRemoval(t *rapid.T, p mergecheck.Package) bool {
	var packages [3]pkgmerge.Package
	for side, files := range [3]map[string]string{p.Origin, p.Upstream, p.Local} {
		packages[side] = packageOf(t, pkgmerge.File{Name: lawFile, Mode: 0o644, Data: []byte(files[lawFile])})
	}
	m, err := command.MergeMarked(t.Context(), packages, pkgmerge.Options{Profile: pkgmerge.Branch, Strategy: pkgmerge.ResourceMerge{}}, pkgmerge.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(m.Result.Changes, func(c *pkgmerge.Change) bool {
		return slices.ContainsFunc(c.Conflicts, func(conflict merge.Conflict) bool {
			return conflict.Kind == merge.LocalDeleted || conflict.Kind == merge.UpstreamDeleted
		})
	})
}
