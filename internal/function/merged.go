package function

import (
	"path"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/merge"
)

// state is what the merge did to a resource of the user's package.
type state int

const (
	// absent: it was not there and still is not.
	absent state = iota
	unchanged
	changed
	added
	deleted
)

// merged is a resource with its outcome and its place in the result.
type merged struct {
	triple
	merge.Outcome
	state state
	// file and index are where the result has the resource; of a deleted one,
	// where it was.
	file  string
	index int
	moved bool
	// called is what the result calls the resource, the zero Meta if it lacks it.
	called identity.Meta
	// notices is what deserves a word though it is no conflict, and loose what the
	// merge left that cannot be used so.
	notices, loose []string
	// mentions is what the resource refers to; of one that is kept it is found
	// when it is needed.
	mentions []mention
	// servings is what the versions say of ports, unless the resource is kept.
	servings servings
	// ready is the item that the result has for the resource, if that is known
	// before its place is.
	ready *resourcelist.Item
}

// stays says whether the resource was in the user's package and still is.
func (m *merged) stays() bool { return m.state == unchanged || m.state == changed }

// present says whether the result has the resource.
func (m *merged) present() bool { return m.stays() || m.state == added }

// newMerged finds out what an outcome means for the user's package. dir is
// local's directory.
func newMerged(t triple, out *merge.Outcome, dir string) *merged {
	m := &merged{triple: t}
	if !t.kept {
		m.Outcome = *out
	}
	l, u := t.items[identity.Local], t.items[identity.Upstream]
	switch {
	case t.kept:
		m.state = unchanged
	case l == nil && m.Node == nil:
		m.state = absent
	case l == nil:
		m.state = added
	case m.Node == nil:
		m.state = deleted
	case m.Node == t.nodes[identity.Local]:
		m.state = unchanged
	default:
		m.state = changed
	}
	switch {
	case l != nil:
		m.file, m.index = l.path, l.index
	case u != nil && u.rel != "":
		m.file = path.Join(dir, u.rel)
	}
	if m.moved = m.stays() && t.movedUpstream(); m.moved {
		m.file = path.Join(dir, u.rel)
		m.state = changed
	}
	switch {
	case t.kept:
		m.called = l.meta
	case m.Node != nil:
		m.called = identity.ReadMeta(m.Node)
	}
	m.notices, m.loose, m.mentions = m.remarks(), m.looseEnds(), m.mentionsOf()
	if !t.kept {
		m.servings = servingsOf(t.nodes, m.Node)
	}
	return m
}

// item is the item that the result has for the resource.
func (m *merged) item(comments, legacy bool) *resourcelist.Item {
	l := m.full[identity.Local]
	comment, wanted := m.mergeComment()
	wanted = wanted && comments
	if m.state == unchanged {
		same := m.items[identity.Local].WithoutAnnotation(mergeSource)
		if wanted {
			return same.WithMergeComment(comment)
		}
		return same
	}
	if m.state == added {
		u := m.full[identity.Upstream]
		n := commented(m.placed(m.Node, m.items[identity.Upstream], legacy), comment, wanted)
		return u.WithNode(withIDs(n, u.Node))
	}
	n := restore(m.Node, l.Node)
	if m.moved {
		n = m.placed(n, m.items[identity.Local], legacy)
	}
	return l.WithNode(commented(n, comment, wanted))
}

func commented(n *yaml.Node, comment string, wanted bool) *yaml.Node {
	if wanted {
		return resourcelist.SetMergeComment(n, comment)
	}
	return n
}

// mergeComment is the merge comment that the resource is to get, if it has a
// counterpart and the result no such comment yet: local's own, else one with the
// counterpart's identity. What is identified by its path gets none.
func (m *merged) mergeComment() (string, bool) {
	counterpart := m.counterpart()
	if counterpart == nil || counterpart.meta.Naming == identity.ByPath {
		return "", false
	}
	if _, err := identity.ParseComment(m.called.Comment); err == nil {
		return "", false
	}
	if l := m.items[identity.Local]; l != nil {
		if own, err := identity.ParseComment(l.meta.Comment); err == nil {
			return own.String(), true
		}
	}
	id := counterpart.entry().ID()
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}.String()
	_, err := identity.ParseComment(comment)
	return comment, err == nil
}

// counterpart is upstream's version, else origin's, nil if neither has one.
func (m *merged) counterpart() *item {
	if u := m.items[identity.Upstream]; u != nil {
		return u
	}
	return m.items[identity.Origin]
}

// placed writes the resource's place into the annotations of n: the internal
// ones, and the legacy ones alike if the input uses them. The sequence
// indentation that from, the item n comes from, asks for stays. Where from has a
// package-path, the place is told from the root package's.
func (m *merged) placed(n *yaml.Node, from *item, legacy bool) *yaml.Node {
	if m.file == "" {
		return n
	}
	if pkg := from.Annotation(packageAnnotation); pkg != "" {
		n = annotate(n, packageAnnotation, strings.TrimSuffix(strings.TrimSuffix(pkg, from.base), "/"))
	}
	index := strconv.Itoa(m.index)
	if legacy {
		n = annotate(annotate(n, legacyIndex, index), legacyPath, m.file)
	}
	n = annotate(annotate(n, indexAnnotation, index), pathAnnotation, m.file)
	if indent := from.Annotation(seqIndentAnnotation); indent != "" {
		n = annotate(n, seqIndentAnnotation, indent)
	}
	return n
}
