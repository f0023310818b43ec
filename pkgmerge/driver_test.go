package pkgmerge_test

import (
	"context"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// taking is a Driver that takes upstream's version of the resources that it matches.
type taking struct {
	pkgmerge.ResourceMerge
	match func([3]pkgmerge.Package) []*pkgmerge.Match
}

func (d taking) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	for side := range versions {
		var err error
		if versions[side], err = versions[side].Unlisted(); err != nil {
			return nil, versions, err
		}
	}
	return takingRun{d, versions}, versions, nil
}

func (taking) Merge(m *pkgmerge.Match) (merge.Outcome, error) {
	if m.Has(identity.Upstream) {
		return merge.Outcome{Verdict: merge.TakeUpstream}, nil
	}
	return merge.Outcome{Verdict: merge.TakeLocal}, nil
}

type takingRun struct {
	taking
	versions [3]pkgmerge.Package
}

func (takingRun) Read(_ *pkgmerge.Match, versions [3]*yaml.Node) ([3]*yaml.Node, []string, error) {
	return versions, nil, nil
}

func (takingRun) Write(*pkgmerge.Match, merge.Outcome) (*pkgmerge.Resource, error) { return nil, nil }

func (takingRun) Finish([]*pkgmerge.Change) ([]pkgmerge.Notice, error) { return nil, nil }

func (r takingRun) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	return pkgmerge.Matching{Matches: r.match(r.versions), Packages: r.versions, Schema: known}, nil
}

// byIndex matches resources by their index, below count.
func byIndex(count int) func([3]pkgmerge.Package) []*pkgmerge.Match {
	return func(versions [3]pkgmerge.Package) (out []*pkgmerge.Match) {
		for i := range count {
			m := &pkgmerge.Match{ID: identity.ID{Name: "any"}}
			for side, p := range versions {
				if i < len(p.Resources) {
					m.Versions[side] = p.Resources[i]
				}
			}
			out = append(out, m)
		}
		return out
	}
}

// ofOneFile returns packages of one file each; origin is empty.
func ofOneFile(t *testing.T, upstream, local string) (packages [3]pkgmerge.Package) {
	t.Helper()
	for side, text := range map[identity.Side]string{identity.Upstream: upstream, identity.Local: local} {
		var err error
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "all.yaml", Mode: 0o644, Data: []byte(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	packages[identity.Origin], _ = pkgmerge.NewPackage(nil)
	return packages
}

const list = `# of mine
apiVersion: v1
kind: List
items:
- kind: A
  x: 1
-   kind: B # last
    x: 1
`

// The items of a List of local's change in it, and the resources that the Driver leaves out stay.
func TestDriverMergesItemsOfLists(t *testing.T) {
	packages := ofOneFile(t, "kind: A\nx: 2\n", list)
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: taking{match: byIndex(1)}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(list, "x: 1", "x: 2", 1)
	if got := string(files[0].Data); len(files) != 1 || got != want {
		t.Errorf("%d files, the first\n%s\nwant\n%s", len(files), got, want)
	}
	if len(result.Changes) != 1 {
		t.Errorf("%d changes, want that of the one match", len(result.Changes))
	}
}

// A resource has one match.
func TestDriverMatchesTwice(t *testing.T) {
	twice := func(versions [3]pkgmerge.Package) []*pkgmerge.Match {
		return append(byIndex(1)(versions), byIndex(1)(versions)...)
	}
	_, err := pkgmerge.Merge(context.Background(), ofOneFile(t, "kind: A\n", "kind: A\n"), pkgmerge.Options{Strategy: taking{match: twice}})
	if err == nil || !strings.Contains(err.Error(), "matched it twice") {
		t.Errorf("error %v, want one of a resource that is matched twice", err)
	}
}

// A file can come into a package, with its resources, if it has any.
func TestPackageWithFile(t *testing.T) {
	p := ofOneFile(t, "kind: A\n", "kind: A\n")[identity.Upstream]
	more, err := p.WithFile(pkgmerge.File{Name: "a.yaml", Mode: 0o644, Data: []byte("kind: B\n")})
	if err != nil || len(more.Resources) != 2 || more.Resources[1].Meta.Kind != "B" || len(more.Files) != 2 || more.Files[0].Name != "a.yaml" {
		t.Errorf("%v, %v, %v", more.Resources, more.Files, err)
	}
	if len(p.Resources) != 1 || len(p.Files) != 1 {
		t.Error("the package itself has changed")
	}
	if _, err := p.WithFile(pkgmerge.File{Name: "a.txt", Mode: 0o644, Data: []byte("text\n")}); err == nil {
		t.Error("no error for a file without resources")
	}
}
