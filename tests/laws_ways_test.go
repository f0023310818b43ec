package tests

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/gitdriver"
	"github.com/resource-merge/resource-merge/internal/marker"
	"github.com/resource-merge/resource-merge/internal/marking"
	"github.com/resource-merge/resource-merge/internal/mergecheck"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// ways are the ways out of a merge that keep what collides in different ways.
func ways() []string { return []string{"upstream", "local", "union", "mark", "driver"} }

// TestLawWays checks on every case of testdata, and assignments of its versions to the sides,
// that whatever the way out, a change that one side made is in the result, lies between
// markers, or is named in a conflict, and that nothing is in the result that no side has.
func TestLawWays(t *testing.T) {
	tally := map[string]int{}
	step := 27 / budget(27)
	for i, dir := range caseDirs(t) {
		name := strings.TrimPrefix(filepath.ToSlash(dir), "testdata/")
		t.Run(name, func(t *testing.T) {
			for j, a := range assignments(t, dir) {
				if (i+j)%step != 0 {
					continue
				}
				if reason := waysExempt(t, dir, a); reason != "" {
					tally[reason]++
					continue
				}
				for _, way := range ways() {
					tally[a.checkWay(t, way)]++
				}
			}
		})
	}
	for _, way := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%6d %s", tally[way], way)
	}
	for _, way := range append(ways(), "driver by lines") {
		if tally[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}

// waysExempt names why an assignment is not merged as files; "" if it is.
func waysExempt(t *testing.T, dir string, a assignment) string {
	if a.config != "" || a.input {
		return "a config, or a whole list as input"
	}
	if strings.Contains(dir, "bad-input") || strings.Contains(dir, "known") {
		return "bad input, and accepted gaps"
	}
	if reason := unmatched(t, a); reason == "a merge comment that is not the only one to tell" || reason == "matched by more than kind and name" {
		return reason
	}
	if reason := exempt(dir, a); strings.HasPrefix(reason, "a line comment of upstream's") {
		return reason
	}
	text := stream(slices.Concat(a.docs[:]...))
	for _, word := range []string{"internal.config.kubernetes.io", "config.kubernetes.io/path", "upstream-identifier", "kind: Kptfile", "cli-utils.sigs.k8s.io/inventory-id"} {
		if strings.Contains(text, word) {
			return "has " + word
		}
	}
	return ""
}

func (a assignment) files(side int) map[string]string {
	if len(a.docs[side]) == 0 {
		return nil
	}
	return map[string]string{"a.yaml": stream(a.docs[side])}
}

func packageOf(t *testing.T, files map[string]string) pkgmerge.Package {
	t.Helper()
	var list []pkgmerge.File
	for name, text := range files {
		list = append(list, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte(text)})
	}
	p, err := pkgmerge.NewPackage(list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkWay checks the law on one way out, and says what came of it.
func (a assignment) checkWay(t *testing.T, way string) string {
	t.Helper()
	p := mergecheck.Package{Origin: a.files(0), Upstream: a.files(1), Local: a.files(2), Result: map[string]string{}}
	var crds []*yaml.Node
	for _, docs := range a.docs {
		for _, doc := range docs {
			if strings.Contains(doc, "kind: CustomResourceDefinition\n") {
				crds = append(crds, content(t, doc))
			}
		}
	}
	p.Schema = schema.New(nil, schema.Trees(crds...), true)
	var r *pkgmerge.Result
	if way == "driver" {
		if p.Renames() {
			return "driver: a side has a document under another name"
		}
		p.Marks, p.Git = true, true
		v := gitdriver.Versions{Path: "a.yaml", NoBase: len(p.Origin) == 0}
		v.Texts = [3][]byte{marker.Ours: []byte(p.Local["a.yaml"]), marker.Base: []byte(p.Origin["a.yaml"]), marker.Theirs: []byte(p.Upstream["a.yaml"])}
		m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Style: marker.Merge, Labels: [3]string{"ours", "base", "theirs"}})
		if err != nil {
			t.Fatal(err)
		}
		if m.Reason != "" {
			return "left to git"
		}
		p.Result["a.yaml"] = string(m.Text)
		if m.Way == gitdriver.ByLines {
			way = "driver by lines"
		}
	} else {
		packages := [3]pkgmerge.Package{packageOf(t, p.Origin), packageOf(t, p.Upstream), packageOf(t, p.Local)}
		o := pkgmerge.Options{Adopt: []pkgmerge.Adoption{}, MergeComments: pkgmerge.CommentRenamed, NoOrigin: len(p.Origin) == 0}
		var err error
		if way == "mark" {
			var m *marking.Marked
			if m, err = marking.Merge(context.Background(), packages, o, pkgmerge.Rules{}); err == nil {
				r = m.Result
			}
			p.Marks = true
		} else {
			o.Policy = pkgmerge.Prefer(map[string]merge.Preference{"upstream": merge.PreferUpstream, "local": merge.PreferLocal, "union": merge.PreferUnion}[way])
			r, err = pkgmerge.Merge(context.Background(), packages, o)
		}
		if err != nil {
			return "fails"
		}
		files, err := r.Files()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			p.Result[f.Name] = string(f.Data)
		}
		p.Told = told(r)
	}
	if objections := mergecheck.CheckPackage(p); len(objections) > 0 {
		t.Errorf("%s under %s:\n%s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s--- told\n%v", a.name, way, strings.Join(objections, "\n"),
			p.Origin["a.yaml"], p.Upstream["a.yaml"], p.Local["a.yaml"], p.Result["a.yaml"], p.Told)
	}
	return way
}

// told is what a result reports.
func told(r *pkgmerge.Result) (out []mergecheck.Told) {
	for _, c := range r.Changes {
		for _, side := range identity.Sides() {
			if !c.Has(side) {
				continue
			}
			meta := c.Versions[side].Meta
			add := func(path *merge.Path, lines, comment bool) {
				out = append(out, mergecheck.Told{Kind: meta.Kind, Namespace: meta.Namespace, Name: meta.Name, File: c.File(), Path: path.String(), Lines: lines, Comment: comment})
			}
			for _, conflict := range c.Conflicts {
				add(conflict.Path, false, conflict.Kind == merge.CommentChanged)
				if conflict.Part == merge.LinesPart {
					add(conflict.Path, true, false)
				}
			}
			for _, remark := range c.Remarks {
				if remark.Kind == merge.ElementsMerged {
					continue // each element counts as the changes of both sides say
				}
				add(remark.Path, remark.Kind == merge.LinesMerged, false)
			}
		}
	}
	for _, c := range r.FileChanges {
		if len(c.Conflicts) > 0 {
			out = append(out, mergecheck.Told{File: c.Name})
		}
	}
	return out
}
