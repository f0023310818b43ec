package identity

import (
	"path"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawEntries draws the items of a side: few kinds, names, namespaces and files, so that they collide in all ways.
func drawEntries(t *rapid.T, side string) []Entry {
	draw := func(label string, values ...string) string {
		return rapid.SampledFrom(values).Draw(t, side+label)
	}
	one := rapid.Custom(func(t *rapid.T) Entry {
		file := draw("file", "a.yaml", "b.yaml", "over/dev/a.yaml", "over/eu/b.yaml", "sub/a.yaml", "")
		e := Entry{
			Meta: Meta{
				APIVersion: draw("apiVersion", "extensions/v1beta1", "apps/v1", "v1", ""),
				Kind:       draw("kind", "Deployment", "Deployment", "ConfigMap", ""),
				Namespace:  draw("namespace", "", "x", "y", "default"),
				Name:       draw("name", "a", "b", "c"),
				Comment:    draw("comment", "", "", "", "# kpt-merge: /a", "# kpt-merge: x/b", "# kpt-merge: oops"),
				Naming:     rapid.SampledFrom([]Naming{ByName, ByName, ByName, ByGenerateName, ByPath}).Draw(t, "naming"),
			},
			Path: file, Package: ".",
			Identifier:    draw("identifier", "", "", "", "apps|Deployment|x|a", "|ConfigMap|~C|b", "||"),
			ClusterScoped: rapid.IntRange(0, 9).Draw(t, "scope") == 0,
		}
		if strings.HasPrefix(file, "sub/") {
			e.Package = "sub"
		}
		return e
	})
	return rapid.SliceOfN(one, 0, 8).Draw(t, side)
}

// For any entries: no panic, each is in one triple, none is joined with an entry of its own side, and an error names
// the ID and the side. The versions of a pair of origin and local at two paths, which deletes, are equal, unless
// paths are no evidence.
func TestLawMatch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sides := [3][]Entry{drawEntries(t, "origin "), drawEntries(t, "upstream "), drawEntries(t, "local ")}
		likeness := func(a, b EntryIndex) float64 { return float64((a.At+b.At+int(a.Side))%3) / 2 }
		renames := []Rename{{Kind: "Deployment", From: "a", To: "b"}, {Kind: "ConfigMap", From: "x/a", To: "y/c"}}
		matches, err := Match(sides, Options{Likeness: likeness, Renamed: rapid.Bool().Draw(t, "renamed"), Renames: renames[:rapid.IntRange(0, 2).Draw(t, "renames")]})
		if err != nil {
			if !strings.Contains(err.Error(), " occurs twice on the ") {
				t.Fatal(err)
			}
			return
		}
		var counts [3][]int
		for side := range sides {
			counts[side] = make([]int, len(sides[side]))
		}
		for _, triple := range matches.Triples {
			for _, side := range Sides() {
				if triple.Has(side) {
					counts[side][triple.At[side]]++
				}
			}
			if triple.Has(Origin) && !triple.Has(Upstream) && triple.Has(Local) {
				checkDeletes(t, sides, matches.Triples, triple, likeness)
			}
		}
		for side := range counts {
			for i, n := range counts[side] {
				if n != 1 {
					t.Fatalf("entry %d of %v is in %d triples", i, Side(side), n)
				}
			}
		}
	})
}

func checkDeletes(t *rapid.T, sides [3][]Entry, all []Triple, triple Triple, likeness func(a, b EntryIndex) float64) {
	o, l := sides[Origin][triple.At[Origin]], sides[Local][triple.At[Local]]
	if o.Path == l.Path || o.Path == "" || l.Path == "" || likeness(EntryIndex{Origin, triple.At[Origin]}, EntryIndex{Local, triple.At[Local]}) == 1 && o.Name == l.Name {
		return
	}
	if isOneFile(sides[Origin]) || hasGathered(sides, all, l.Path) {
		return
	}
	for _, other := range all {
		if !other.complete() {
			continue
		}
		a, b := sides[Origin][other.At[Origin]].Path, sides[Local][other.At[Local]].Path
		if a != b && path.Dir(a) == path.Dir(o.Path) && path.Dir(b) == path.Dir(l.Path) {
			return
		}
	}
	t.Fatalf("%+v may delete %+v", o, l)
}

// hasGathered reports whether local has the named resources that all sides have in one file, and moved one of them there.
func hasGathered(sides [3][]Entry, all []Triple, file string) bool {
	moved := false
	for _, t := range all {
		if !t.complete() || sides[Local][t.At[Local]].Naming == ByPath {
			continue
		}
		if sides[Local][t.At[Local]].Path != file {
			return false
		}
		moved = moved || sides[Origin][t.At[Origin]].Path != file && sides[Upstream][t.At[Upstream]].Path != file
	}
	return moved
}
