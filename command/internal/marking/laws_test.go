package marking_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/marking"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/caselist"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestLawReportedIsMarkedOrLeft: in every case of testdata and every assignment of its versions to
// the sides, a reported conflict is in its file between markers, or the merge counts it as left, so
// that the exit code is 1 (rules/git: markers).
func TestLawReportedIsMarkedOrLeft(t *testing.T) {
	cases, err := caselist.Read("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	merged, left, step := 0, 0, seed.Step(9)
	for i, c := range cases {
		versions := [3][]byte{}
		for side, name := range [3]string{"origin.yaml", "upstream.yaml", "local.yaml"} {
			versions[side] = c.Files[name] // a case may lack a version
		}
		for assignment := i % step; assignment < 27; assignment += step {
			packages, ok := packagesOf([3][]byte{versions[assignment%3], versions[assignment/3%3], versions[assignment/9]})
			if !ok {
				continue
			}
			m, err := marking.Merge(t.Context(), packages, pkgmerge.Options{Strategy: pkgmerge.ResourceMerge{}}, pkgmerge.Rules{})
			if err != nil {
				continue // bad input
			}
			merged++
			shown, unmarked := conflictsOf(t, m)
			if m.Conflicts < shown+unmarked || m.Conflicts == 0 && countReported(m.Result) > 0 {
				t.Errorf("%s, assignment %d: %d conflicts are counted, of %d between markers and %d unmarked, with %d reported",
					c.Name, assignment, m.Conflicts, shown, unmarked, countReported(m.Result))
			}
			left += unmarked
		}
	}
	if merged < 10000/step || left == 0 && step == 1 {
		t.Errorf("%d merges, with %d conflicts that could not be marked", merged, left)
	}
}

// TestLawMergedAtOnce: the second of two merges that are made at once has the files and the collisions that it has when
// it is made alone.
func TestLawMergedAtOnce(t *testing.T) {
	cases, err := caselist.Read("../../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	differ, step := 0, 4*seed.Step(4)
	for i, c := range cases {
		versions := [3][]byte{}
		for side, name := range [3]string{"origin.yaml", "upstream.yaml", "local.yaml"} {
			versions[side] = c.Files[name] // a case may lack a version
		}
		for assignment := i % step; assignment < 27; assignment += step {
			packages, ok := packagesOf([3][]byte{versions[assignment%3], versions[assignment/3%3], versions[assignment/9]})
			if !ok {
				continue
			}
			options := pkgmerge.Options{Strategy: pkgmerge.ResourceMerge{}}
			ours, theirs, err := pkgmerge.MergeMarked(t.Context(), packages, options, pkgmerge.Rules{})
			if err != nil {
				continue // bad input
			}
			if ours != theirs {
				differ++
			}
			options.Policy = pkgmerge.Prefer(merge.MarkUpstream)
			alone, err := pkgmerge.Merge(t.Context(), packages, options)
			if err != nil {
				t.Fatal(c.Name, err)
			}
			if got, want := outlineOf(t, theirs), outlineOf(t, alone); got != want {
				t.Errorf("%s, assignment %d: made at once it is\n%s\nalone\n%s", c.Name, assignment, got, want)
			}
		}
	}
	if differ < 300/seed.Step(4) {
		t.Errorf("only %d merges depend on the preference", differ)
	}
}

// TestDocumentsOfOneName: of several documents of one name, the one that local deleted and upstream changed is marked,
// and the others stay outside of the markers (rules/git: markers).
func TestDocumentsOfOneName(t *testing.T) {
	document := func(comment, data string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:" + comment + "\n  name: settings\ndata:\n  A: " + data + "\n"
	}
	origin := document(" # kpt-merge: /settings", "one")
	upstream := document(" # kpt-merge: /settings", "two")
	local := document("", "three") + "---\n" + document("", "four")
	packages, ok := packagesOf([3][]byte{identity.Origin: []byte(origin), identity.Upstream: []byte(upstream), identity.Local: []byte(local)})
	if !ok {
		t.Fatal("no packages")
	}
	m, err := marking.Merge(t.Context(), packages, pkgmerge.Options{Strategy: pkgmerge.ResourceMerge{}}, pkgmerge.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := m.Result.Files()
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	want := "<<<<<<< local\n=======\n" + upstream + "---\n>>>>>>> upstream\n" + local
	if got := string(files[0].Data); got != want || m.Conflicts != 1 {
		t.Errorf("%d conflicts in\n%s", m.Conflicts, got)
	}
}

// outlineOf returns the files and the paths of collisions of a result.
func outlineOf(t *testing.T, r *pkgmerge.Result) string {
	t.Helper()
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range files {
		fmt.Fprintf(&out, "%s %v\n%s", f.Name, f.Mode, f.Data)
	}
	for _, c := range r.Changes {
		fmt.Fprintln(&out, c.ID, c.Action, c.File(), len(c.Conflicts))
		for _, conflict := range c.Conflicts {
			if conflict.Kind != merge.CommentChanged {
				fmt.Fprintln(&out, conflict.Path)
			}
		}
	}
	return out.String()
}

// packagesOf returns packages of one file each.
func packagesOf(texts [3][]byte) (packages [3]pkgmerge.Package, ok bool) {
	for side, text := range texts {
		var files []pkgmerge.File
		if len(text) > 0 {
			files = append(files, pkgmerge.File{Name: "file.yaml", Mode: 0o644, Data: text})
		}
		var err error
		if packages[side], err = pkgmerge.NewPackage(files); err != nil {
			return packages, false
		}
	}
	return packages, true
}

// conflictsOf counts the conflicts between markers, and the conflicts reported as local's.
func conflictsOf(t *testing.T, m *marking.Marked) (shown, unmarked int) {
	t.Helper()
	files, err := m.Result.Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		n, _ := marker.Format{}.Parse(f.Data).Conflicts()
		shown += n
	}
	for _, c := range m.Result.Changes {
		for _, conflict := range c.Conflicts {
			if !c.Marks(conflict) {
				unmarked++
			}
		}
	}
	return shown, unmarked
}

// countReported counts the conflicts that a result reports.
func countReported(r *pkgmerge.Result) (n int) {
	for _, c := range r.Changes {
		n += len(c.Conflicts)
	}
	for _, c := range r.FileChanges {
		n += len(c.Conflicts)
	}
	return n
}
