package gitdriver

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// unkept is where a merge of lines lost a change of one side, or has a change that no side
// made (rules/git: lost changes): a field of a document. found is false where there is no
// such place, or where the texts cannot be compared field by field.
//
// Where both sides changed a field, or one changed the other's renamed field, the lines
// decide what comes of it. Of a list without keys that both changed, each element counts.
func (v Versions) unkept(merged []byte) (where string, found bool) {
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	names := renamedNames(sides)
	c := comparer{known: schema.New(nil, nil, true)}
	for i, p := range [4]pkgmerge.Package{sides[identity.Origin], sides[identity.Upstream], sides[identity.Local], result} {
		c.add(i, p, names)
	}
	for _, id := range c.order {
		if path, found := c.unkept(id); found {
			return c.name(id, path), true
		}
	}
	return "", false
}

// mayAlias reports whether a text has aliases, by which a change comes where its line does not
// stand.
func mayAlias(text []byte) bool {
	return bytes.Contains(text, []byte(": *")) || bytes.Contains(text, []byte("- *"))
}

// renamedNames are the identities that the base has for the documents that a side renamed.
func renamedNames(sides [3]pkgmerge.Package) map[identity.ID]identity.ID {
	names := map[identity.ID]identity.ID{}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		for _, pair := range renamed(sides[identity.Origin].Resources, sides[side].Resources) {
			names[pair[1].ID()] = pair[0].ID()
		}
	}
	return names
}

// documentID tells the documents of a file apart, also those of one identity.
type documentID struct {
	identity.ID
	n int
}

// comparer compares the documents of the versions of a file, and of a merge of them.
type comparer struct {
	known *schema.Schema
	order []documentID
	// documents are the base's, theirs, ours, and those of the merge.
	documents [4]map[documentID]*pkgmerge.Resource
}

// add adds the documents of a version.
func (c *comparer) add(version int, p pkgmerge.Package, names map[identity.ID]identity.ID) {
	c.documents[version] = map[documentID]*pkgmerge.Resource{}
	for _, r := range p.Resources {
		id := documentID{ID: r.ID()}
		if name, found := names[id.ID]; found {
			id.ID = name
		}
		for c.documents[version][id] != nil {
			id.n++
		}
		if !slices.ContainsFunc(c.documents[:version], func(other map[documentID]*pkgmerge.Resource) bool { return other[id] != nil }) {
			c.order = append(c.order, id)
		}
		c.documents[version][id] = r
	}
}

// name names a field of a document.
func (c *comparer) name(id documentID, path *merge.Path) string {
	field := path.String()
	switch {
	case id.Name == "" || id.Kind == "":
		return field
	case field == "":
		return id.Kind + " " + id.Name
	}
	return field + " of " + id.Kind + " " + id.Name
}

// unkept is the first field of a document that was not kept. A document that cannot be
// compared was kept.
func (c *comparer) unkept(id documentID) (path *merge.Path, found bool) {
	var trees [4]*yaml.Node
	var kind schema.Resource
	for version, documents := range c.documents {
		r := documents[id]
		if r == nil {
			continue
		}
		var err error
		if trees[version], err = r.Tree(); err != nil {
			return nil, false
		}
		kind = c.known.Resource(id.Group, identity.Version(r.Meta.APIVersion), id.Kind)
	}
	return unkeptOf(trees, kind)
}

// unkeptOf is the first place that a merge did not keep. The versions are the base, theirs,
// ours and the merge; nil where one lacks it.
func unkeptOf(versions [4]*yaml.Node, kind schema.Resource) (path *merge.Path, found bool) {
	versions = followKeys(versions, kind)
	var sides [3]changes // theirs, ours, the merge's
	for i, to := range versions[1:] {
		all, err := merge.Differences(versions[0], to, kind)
		if err != nil {
			return nil, false
		}
		sides[i] = changesOf(all)
	}
	theirs, ours, merged := sides[0], sides[1], sides[2]
	theirs.follow(ours)
	ours.follow(theirs)
	for _, d := range slices.Concat(ours.all, theirs.all) {
		switch {
		case !ours.touch(d.Path) || !theirs.touch(d.Path):
			if !merged.have(d) {
				return d.Path, true
			}
		case ours.have(d) && theirs.have(d):
			if !merged.have(d) {
				return d.Path, true
			}
		case ours.removalLost(d, theirs) || theirs.removalLost(d, ours) || !elementsKept(d, ours, theirs, merged):
			return d.Path, true
		}
	}
	for _, d := range merged.all {
		if !ours.touch(d.Path) && !theirs.touch(d.Path) {
			return d.Path, true
		}
	}
	return nil, false
}

// changes are where a version differs from the base.
type changes struct {
	all []merge.Difference
	at  map[string]merge.Difference
	// above are the paths above a change.
	above map[string]bool
	// renamed are the paths of fields that have another name since.
	renamed map[string]bool
}

func changesOf(all []merge.Difference) changes {
	c := changes{all: all, at: map[string]merge.Difference{}, above: map[string]bool{}, renamed: map[string]bool{}}
	for _, d := range all {
		c.at[d.Path.String()] = d
		for _, path := range pathsTo(d.Path) {
			c.above[path.String()] = true
		}
	}
	return c
}

// pathsTo are a path and those above it, from the resource down.
func pathsTo(p *merge.Path) []*merge.Path {
	out := []*merge.Path{nil}
	for _, step := range p.Steps() {
		last := out[len(out)-1]
		if step.Keys != nil {
			out = append(out, last.Element(step.Keys))
		} else {
			out = append(out, last.Field(step.Field))
		}
	}
	return out
}

// touch reports whether there is a change at a path, above it or below it.
func (c changes) touch(p *merge.Path) bool {
	return c.above[p.String()] || slices.ContainsFunc(pathsTo(p), func(above *merge.Path) bool {
		_, found := c.at[above.String()]
		return found
	})
}

// have reports whether there is the same change.
func (c changes) have(d merge.Difference) bool {
	got, found := c.at[d.Path.String()]
	return found && sameOrNone(got.To, d.To)
}

func sameOrNone(a, b *yaml.Node) bool {
	if a == nil || b == nil {
		return a == b
	}
	return merge.Same(a, b)
}

// follow has a change of a field that the other version renamed count as a change of what
// that calls it: one that it added beside the one that it removed, mostly alike.
func (c changes) follow(other changes) {
	for _, gone := range other.all {
		if gone.To != nil || gone.Path == nil || !c.touch(gone.Path) {
			continue
		}
		for _, came := range other.all {
			if came.From == nil && came.Path != nil && parentOf(came.Path) == parentOf(gone.Path) && likeness(gone.From, came.To) >= mostly {
				c.at[came.Path.String()] = merge.Difference{}
				other.renamed[gone.Path.String()] = true
			}
		}
	}
}

// removalLost reports whether c removed what the other version changed and does not remove
// too: one of the two is not in any merge of the lines.
func (c changes) removalLost(d merge.Difference, other changes) bool {
	if got, found := c.at[d.Path.String()]; !found || got.From == nil || got.To != nil || c.renamed[d.Path.String()] {
		return false
	}
	return slices.ContainsFunc(other.all, func(o merge.Difference) bool {
		return o.To != nil && slices.ContainsFunc(pathsTo(o.Path), func(above *merge.Path) bool { return above.String() == d.Path.String() })
	})
}

// parentOf is the path above a path.
func parentOf(p *merge.Path) string {
	paths := pathsTo(p)
	return paths[len(paths)-2].String()
}

// likeness is how much two maps have in common, 0 for anything else.
func likeness(a, b *yaml.Node) float64 {
	if a == nil || b == nil || a.Kind != yaml.MappingNode || b.Kind != yaml.MappingNode {
		return 0
	}
	return pkgmerge.NewResource("", 0, a).Likeness(pkgmerge.NewResource("", 0, b))
}

// elementsKept reports whether of a list without keys that both sides changed the merge has
// no element that no version has, but for those with the changes of both in one, and has each
// other one as often as the changes of both sides say.
func elementsKept(d merge.Difference, ours, theirs, merged changes) bool {
	path := d.Path.String()
	base, o, u, m := d.From, ours.at[path].To, theirs.at[path].To, merged.at[path].To
	for _, list := range []*yaml.Node{base, o, u, m} {
		if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) > maxElements {
			return true
		}
	}
	for _, list := range []*yaml.Node{base, m} {
		for _, e := range list.Content {
			was, n := times(e, base), times(e, m)
			if was > 0 && !mergedCount(was, times(e, u), times(e, o), n) || n > max(was, times(e, u), times(e, o), 1) {
				return false
			}
		}
	}
	gone, mine, other := without(base, m), without(o, base, m), without(u, base, m)
	return !slices.ContainsFunc(without(m, base, o, u), func(e *yaml.Node) bool { return !combined(e, gone, mine, other) })
}

// maxElements is how many elements a list may have, of which each is compared with each.
const maxElements = 500

// times is how often a list has an element.
func times(e *yaml.Node, list *yaml.Node) (n int) {
	for _, other := range list.Content {
		if merge.Same(e, other) {
			n++
		}
	}
	return n
}

// combined reports whether an element is one that was in a list, with the changes of two. All
// are maps, lists, or strings of several lines: no other scalar has the changes of two.
func combined(e *yaml.Node, gone, ours, theirs []*yaml.Node) bool {
	for _, b := range gone {
		for _, l := range ours {
			for _, u := range theirs {
				if b.Kind != e.Kind || u.Kind != e.Kind || l.Kind != e.Kind || e.Kind == yaml.ScalarNode && !strings.Contains(e.Value, "\n") {
					continue
				}
				if _, found := unkeptOf([4]*yaml.Node{b, u, l, e}, schema.Resource{}); !found {
					return true
				}
			}
		}
	}
	return false
}

// without are the elements of a list that none of some others has.
func without(list *yaml.Node, others ...*yaml.Node) (out []*yaml.Node) {
	for _, e := range list.Content {
		if !slices.ContainsFunc(others, func(other *yaml.Node) bool {
			return slices.ContainsFunc(other.Content, func(n *yaml.Node) bool { return merge.Same(e, n) })
		}) {
			out = append(out, e)
		}
	}
	return out
}
