package function

import (
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

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
func strays(all []*merged) framework.Results {
	to, stays := map[home]string{}, map[home]bool{}
	for _, m := range all {
		l, was := m.items[identity.Local], m.counterpart()
		switch {
		case l == nil || was == nil || was.meta.Naming == identity.ByPath:
		case l.meta.Namespace == was.meta.Namespace:
			stays[homeOf(was.meta)] = true
		case to[homeOf(was.meta)] == "":
			to[homeOf(was.meta)] = l.meta.Namespace
		}
	}
	var results framework.Results
	for _, m := range all {
		at := homeOf(m.called)
		if m.state != added || to[at] == "" || stays[at] {
			continue
		}
		text := "added in upstream's namespace, where local has nothing else; local's are in " + to[at]
		if at.namespace == "" {
			text = fmt.Sprintf("added without a namespace, as upstream has it; local gave every other %s one: %s", at.kind, to[at])
		}
		results = append(results, notice(m, text))
	}
	return results
}
