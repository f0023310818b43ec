package gitdriver

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// minLikeness is the least likeness of a document and its renamed version, halfLikeness the least one if the names tell
// it, too, and certainLikeness the least one that says more than a place.
const (
	certainLikeness = 0.95
	minLikeness     = 0.7
	halfLikeness    = 0.5
)

// Limits of the search for renamed documents: how many pairs of documents are compared, and how many documents may tell a
// change of names.
const (
	maxCompared = 10_000
	maxWitness  = 20
)

// sideDocuments tells which documents of the base the documents of a side are (rules/git: renamed documents).
type sideDocuments struct {
	// of has the base's document of each document of the side that another name, namespace or kind hides.
	of map[*pkgmerge.Resource]*pkgmerge.Resource
	// gone are the documents of the base that the side lacks, and added the documents of the side that the base lacks.
	gone, added []*placed
	// all are the documents of the side.
	all []*pkgmerge.Resource
}

// placed is a document and how many documents that both versions have precede it.
type placed struct {
	*pkgmerge.Resource
	preceding int
	leaves    map[string]int // nil until they are compared
	total     int
}

// pairDocuments finds the documents that a side renamed.
func pairDocuments(base, side []*pkgmerge.Resource) sideDocuments {
	s := sideDocuments{of: map[*pkgmerge.Resource]*pkgmerge.Resource{}, gone: unmatched(base, side), added: unmatched(side, base), all: side}
	if len(base) == 1 && len(side) == 1 && len(s.gone) == 1 && len(s.added) == 1 && sameKind(s.gone[0], s.added[0]) {
		s.pair(s.gone[0], s.added[0])
		return s
	}
	s.pairByChange()
	s.pairByLikeness()
	return s
}

// unmatched returns the documents of one version that the other lacks, by their own names.
func unmatched(documents, others []*pkgmerge.Resource) (out []*placed) {
	matched := map[identity.ID]bool{}
	for _, r := range others {
		matched[r.ID()] = true
	}
	preceding := 0
	for _, r := range documents {
		if matched[r.ID()] {
			preceding++
		} else {
			out = append(out, &placed{Resource: r, preceding: preceding})
		}
	}
	return out
}

func sameKind(a, b *placed) bool {
	return a.Meta.Kind == b.Meta.Kind && identity.Group(a.Meta.APIVersion) == identity.Group(b.Meta.APIVersion)
}

func sameName(a, b *placed) bool {
	return a.Meta.Naming == identity.ByName && a.Meta.Name == b.Meta.Name
}

// likeness returns the share of values and comments that two documents have in common, except for their names, wherever
// the values are in lists.
func (p *placed) likeness(other *placed) float64 {
	p.read()
	other.read()
	common := 0
	for leaf, n := range p.leaves {
		common += min(n, other.leaves[leaf])
	}
	return 2 * float64(common) / float64(max(1, p.total+other.total))
}

// read counts the leaves of the document once. A document that cannot be read has none.
func (p *placed) read() {
	if p.leaves != nil {
		return
	}
	p.leaves = map[string]int{}
	tree, err := p.Tree()
	if err != nil {
		return
	}
	p.total = addLeaves(p.leaves, "", tree)
	for _, name := range [2]string{"name", "namespace"} {
		if v := yamlnode.Field(yamlnode.Field(tree, "metadata"), name); v != nil {
			own := map[string]int{}
			p.total -= addLeaves(own, ".metadata."+name, v)
			for leaf := range own {
				delete(p.leaves, leaf)
			}
		}
	}
	p.total += addComments(p.leaves, tree)
}

// addComments counts the comments in a value, and returns their number.
func addComments(out map[string]int, v *yaml.Node) (n int) {
	for _, comment := range [3]string{v.HeadComment, v.LineComment, v.FootComment} {
		if comment != "" {
			out[comment]++
			n++
		}
	}
	for _, c := range v.Content {
		n += addComments(out, c)
	}
	return n
}

// pair makes a document of the base and one of the side two versions of one.
func (s *sideDocuments) pair(gone, added *placed) {
	s.of[added.Resource] = gone.Resource
	s.gone = slices.DeleteFunc(s.gone, func(p *placed) bool { return p == gone })
	s.added = slices.DeleteFunc(s.added, func(p *placed) bool { return p == added })
}

// change is a change of the names of several documents: a prefix and a suffix that came or went, and another namespace.
type change struct {
	fromPrefix, fromSuffix, toPrefix, toSuffix string
	fromNamespace, toNamespace                 string
}

// changeOf returns the change of names between two documents.
func changeOf(gone, added *placed) (c change) {
	c.fromNamespace, c.toNamespace = gone.Meta.Namespace, added.Meta.Namespace
	from, to := gone.Meta.Name, added.Meta.Name
	switch {
	case from == to:
	case strings.HasSuffix(to, from):
		c.toPrefix = strings.TrimSuffix(to, from)
	case strings.HasPrefix(to, from):
		c.toSuffix = strings.TrimPrefix(to, from)
	case strings.HasSuffix(from, to):
		c.fromPrefix = strings.TrimSuffix(from, to)
	case strings.HasPrefix(from, to):
		c.fromSuffix = strings.TrimPrefix(from, to)
	default: // one word for another
		common := 0
		for common < min(len(from), len(to)) && from[len(from)-1-common] == to[len(to)-1-common] {
			common++
		}
		c.fromPrefix, c.toPrefix = from[:len(from)-common], to[:len(to)-common]
	}
	return c
}

// keepsName reports whether one of the names is a part of the other.
func (c change) keepsName() bool {
	return c.fromPrefix+c.fromSuffix == "" || c.toPrefix+c.toSuffix == ""
}

// apply returns the name after a change; ok is false if the change is none of this document's names.
func (c change) apply(d *placed) (id identity.ID, ok bool) {
	id = d.ID()
	rest, prefixed := strings.CutPrefix(id.Name, c.fromPrefix)
	rest, suffixed := strings.CutSuffix(rest, c.fromSuffix)
	id.Namespace, id.Name = c.toNamespace, c.toPrefix+rest+c.toSuffix
	return id, prefixed && suffixed && rest != "" && d.Meta.Namespace == c.fromNamespace
}

// pairByChange pairs documents by one change of names that several share: it leads from at least two documents that the side lacks
// to documents that it added, two of them mostly equal, and from more than any other change.
func (s *sideDocuments) pairByChange() {
	for {
		added := map[identity.ID]*placed{}
		for _, a := range s.added {
			if a.Meta.Naming == identity.ByName {
				added[a.ID()] = a
			}
		}
		var best [][2]*placed
		seen := map[change]bool{}
		for _, g := range s.gone[:min(len(s.gone), maxWitness)] {
			for _, a := range s.added[:min(len(s.added), maxWitness)] {
				c := changeOf(g, a)
				if seen[c] || !sameKind(g, a) || g.Meta.Naming != identity.ByName {
					continue
				}
				seen[c] = true
				if found := s.follow(c, added); len(found) > len(best) {
					best = found
				}
			}
		}
		if len(best) < 2 {
			return
		}
		for _, p := range best {
			s.pair(p[0], p[1])
		}
	}
}

// follow returns the documents of the base from which a change of names leads to other documents, each with the other one.
func (s *sideDocuments) follow(c change, added map[identity.ID]*placed) (pairs [][2]*placed) {
	similar := 0
	for _, g := range s.gone {
		id, ok := c.apply(g)
		a, found := added[id]
		if !ok || !found {
			continue
		}
		if likeness := g.likeness(a); likeness >= halfLikeness {
			pairs = append(pairs, [2]*placed{g, a})
			if likeness >= minLikeness {
				similar++
			}
		}
	}
	if similar < 2 {
		return nil
	}
	return pairs
}

// candidate is a document of the base and one of the side that may be one.
type candidate struct {
	gone, added *placed
	kinship     int
	likeness    float64
}

// compare orders candidates, the better one first; 0 means that nothing tells which is better.
func (c candidate) compare(other candidate) int {
	return cmp.Or(cmp.Compare(other.kinship, c.kinship), cmp.Compare(other.likeness, c.likeness))
}

// pairByLikeness pairs documents that are mostly equal, the ones with most in common first. Of documents between which nothing
// decides, such as equal ones, the order does, if both versions have as many of them.
func (s *sideDocuments) pairByLikeness() {
	if len(s.gone)*len(s.added) > maxCompared {
		return
	}
	var all []candidate
	for _, g := range s.gone {
		for _, a := range s.added {
			c := candidate{g, a, kinshipOf(g, a), 0}
			if c.kinship > 0 {
				c.likeness = g.likeness(a)
			}
			if c.likeness >= certainLikeness {
				c.kinship = max(c.kinship, alike)
			}
			if c.likeness >= minLikeness || c.likeness >= halfLikeness && c.kinship >= named {
				all = append(all, c)
			}
		}
	}
	slices.SortStableFunc(all, candidate.compare)
	for len(all) > 0 {
		equal := 1
		for equal < len(all) && all[equal].compare(all[0]) == 0 {
			equal++
		}
		s.pairEqual(all[:equal])
		all = slices.DeleteFunc(all[equal:], func(c candidate) bool {
			return !slices.Contains(s.gone, c.gone) || !slices.Contains(s.added, c.added)
		})
	}
}

// pairEqual pairs the documents of candidates between which nothing decides. A document that may be one of several stays unpaired,
// unless there are as many on both sides.
func (s *sideDocuments) pairEqual(equal []candidate) {
	of := func(part func(candidate) *placed, p *placed) (out []candidate) {
		for _, c := range equal {
			if part(c) == p {
				out = append(out, c)
			}
		}
		return out
	}
	gone, added := func(c candidate) *placed { return c.gone }, func(c candidate) *placed { return c.added }
	taken := map[*placed]bool{}
	for _, c := range equal {
		if taken[c.gone] || taken[c.added] {
			continue
		}
		to, from := of(gone, c.gone), of(added, c.added)
		if len(to) != len(from) {
			continue
		}
		for i := range to {
			if !taken[from[i].gone] && !taken[to[i].added] {
				taken[from[i].gone], taken[to[i].added] = true, true
				s.pair(from[i].gone, to[i].added)
			}
		}
	}
}

// named is the least kinship of documents of one name, in two namespaces or of two kinds, and alike the one of documents whose names
// or values are alike.
const (
	named = 4
	alike = 3
)

// kinshipOf says how much two documents have in common besides their values: kind and name, name and namespace, name, kind and a part of
// the name, kind and place, kind or place; 0 is too little.
func kinshipOf(gone, added *placed) int {
	isInPlace, isOfKind := gone.preceding == added.preceding, sameKind(gone, added)
	switch {
	case isOfKind && sameName(gone, added):
		return named + 1
	case sameName(gone, added) && gone.Meta.Namespace == added.Meta.Namespace:
		return named
	case sameName(gone, added), isOfKind && gone.Meta.Naming == identity.ByName && changeOf(gone, added).keepsName():
		return alike
	case isOfKind && isInPlace:
		return 2
	case isOfKind || isInPlace:
		return 1
	}
	return 0
}

// findUncertain returns a document that one side lacks and the other side changed or lacks, while the one has a new document of its
// kind or name in its place: nobody knows whether this is the document under another name.
func findUncertain(packages [3]pkgmerge.Package) (document string, found bool) {
	base := packages[identity.Origin].Resources
	ours, theirs := pairDocuments(base, packages[identity.Local].Resources), pairDocuments(base, packages[identity.Upstream].Resources)
	for _, sides := range [2][2]sideDocuments{{ours, theirs}, {theirs, ours}} {
		side, other := sides[0], sides[1]
		for _, g := range side.gone {
			mayBe := func(a *placed) bool {
				return (a.preceding == g.preceding && sameKind(a, g) || sameName(a, g)) && !other.has(a.ID())
			}
			if other.touches(g.Resource) && slices.ContainsFunc(side.added, mayBe) {
				return g.Meta.Kind + " " + g.Meta.Name, true
			}
		}
	}
	return "", false
}

// touches reports whether the side lacks a document of the base, or has another text of it.
func (s sideDocuments) touches(r *pkgmerge.Resource) bool {
	text, err := r.YAML()
	return err != nil || !slices.ContainsFunc(s.all, func(own *pkgmerge.Resource) bool {
		if own.ID() != r.ID() {
			return false
		}
		same, err := own.YAML()
		return err == nil && bytes.Equal(same, text)
	})
}

// has reports whether the side has a document of an identity.
func (s sideDocuments) has(id identity.ID) bool {
	return slices.ContainsFunc(s.all, func(r *pkgmerge.Resource) bool { return r.ID() == id })
}

// likeness returns the share of scalars that two maps or lists have in common at one path, wherever they are in lists, or
// of lines that two texts have in common; 0 for other values.
func likeness(a, b *yaml.Node) float64 {
	if a == nil || b == nil || a.Kind != b.Kind || a.Kind == yaml.ScalarNode && !strings.Contains(a.Value, "\n") {
		return 0
	}
	x, y := map[string]int{}, map[string]int{}
	n, common := addLeaves(x, "", a)+addLeaves(y, "", b), 0
	for leaf, count := range x {
		common += min(count, y[leaf])
	}
	return 2 * float64(common) / float64(max(1, n))
}

// addLeaves counts the lines of the scalars in a value by their paths, and returns their number.
func addLeaves(out map[string]int, path string, v *yaml.Node) (n int) {
	if len(v.Content) == 0 {
		for line := range strings.SplitSeq(v.Value, "\n") {
			out[path+"="+line]++
			n++
		}
	}
	for i, c := range v.Content {
		switch {
		case v.Kind == yaml.SequenceNode:
			n += addLeaves(out, path+"[]", c)
		case i%2 == 1:
			n += addLeaves(out, path+"."+v.Content[i-1].Value, c)
		}
	}
	return n
}
