package pkgmerge

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// home is a namespace of upstream's package, or of origin's. Whether a kind has
// a namespace at all is known only of one that somebody gave it, so what has
// none is told apart by kind.
type home struct{ kind, namespace string }

func homeOf(m identity.Meta) home {
	if m.Namespace == "" {
		return home{kind: m.Kind}
	}
	return home{namespace: m.Namespace}
}

// strays tells of resources that upstream added in a namespace that local moved
// the whole package away from: an addition keeps upstream's.
func strays(all []*Change) []Notice {
	to, stays := map[home]string{}, map[home]bool{}
	for _, m := range all {
		l, was := m.Versions[identity.Local], m.counterpart()
		switch {
		case l == nil || was == nil || was.Meta.Naming == identity.ByPath:
		case l.Meta.Namespace == was.Meta.Namespace:
			stays[homeOf(was.Meta)] = true
		case to[homeOf(was.Meta)] == "":
			to[homeOf(was.Meta)] = l.Meta.Namespace
		}
	}
	var notices []Notice
	for _, m := range all {
		at := homeOf(m.called())
		if m.Action != Added || to[at] == "" || stays[at] {
			continue
		}
		text := "added in upstream's namespace, where local has nothing else; local's are in " + to[at]
		if at.namespace == "" {
			text = fmt.Sprintf("added without a namespace, as upstream has it; local gave every other %s one: %s", at.kind, to[at])
		}
		notices = append(notices, Notice{Change: m, Text: text})
	}
	return notices
}
