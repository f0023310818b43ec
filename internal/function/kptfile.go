package function

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// ownFields are the fields of a Kptfile that belong to the copy (DESIGN 7), and
// sourceFields those that say where it comes from.
func ownFields() []string {
	return []string{"metadata.name", "metadata.namespace", "inventory", "status"}
}

func sourceFields() []string { return []string{"upstream", "upstreamLock"} }

// settleKptfile makes the fields of a Kptfile that are not to be merged look
// unchanged by the side that does not own them (DESIGN 7). Local's own fields
// stay local's. Where the package comes from is local's too at the root, for
// the update command writes it; below the root it is upstream's where upstream
// says it.
func (t *triple) settleKptfile() {
	l := t.nodes[identity.Local]
	if l == nil {
		return
	}
	local := ownFields()
	if path.Dir(t.items[identity.Local].rel) == "." {
		local = append(local, sourceFields()...)
	} else {
		t.followUpstream()
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		for _, name := range local {
			t.nodes[side] = copyField(t.nodes[side], l, strings.Split(name, "."))
		}
	}
}

// followUpstream has origin agree with local about where a subpackage comes
// from, where upstream says it, and with upstream where that does not.
func (t *triple) followUpstream() {
	o, u, l := t.nodes[identity.Origin], t.nodes[identity.Upstream], t.nodes[identity.Local]
	if o == nil || u == nil {
		return
	}
	for _, name := range sourceFields() {
		if fieldOf(u, name) != nil {
			t.nodes[identity.Origin] = copyField(t.nodes[identity.Origin], l, []string{name})
		} else {
			t.nodes[identity.Upstream] = copyField(t.nodes[identity.Upstream], o, []string{name})
		}
	}
}

// copyField makes a field of to, a mapping or nil, what it is in from: that may
// be absent.
func copyField(to, from *yaml.Node, names []string) *yaml.Node {
	if to == nil || to.Kind != yaml.MappingNode {
		return to
	}
	name := names[0]
	v := fieldOf(from, name)
	if len(names) > 1 {
		inner := fieldOf(to, name)
		if inner == nil {
			return to
		}
		return withField(to, name, copyField(inner, v, names[1:]))
	}
	if v == nil {
		return without(to, func(field string) bool { return field == name })
	}
	return putField(to, from, name, v)
}

// defaultStrategy is what the local root Kptfile asks for (DESIGN 6), "" if it
// asks for nothing.
func defaultStrategy(local []*item) (string, error) {
	for _, it := range local {
		if !it.isKptfile() || path.Dir(it.rel) != "." {
			continue
		}
		full, err := it.Parsed()
		if err != nil {
			return "", err
		}
		name := valueText(fieldOf(fieldOf(full.Node, "upstream"), "updateStrategy"))
		if name == "" {
			return "", nil
		}
		if err := checkStrategy(name); err != nil {
			return "", fmt.Errorf("%s: upstream.updateStrategy: %w", it.describe(), err)
		}
		return name, nil
	}
	return "", nil
}
