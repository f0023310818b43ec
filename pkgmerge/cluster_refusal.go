package pkgmerge

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/admission"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// refuse adds what a server would refuse of the result of an apply (rules/apply:
// refused objects).
func (m *Match) refuse(rules merge.Rules, out *merge.Outcome, trees [3]*yaml.Node, differences func() ([]merge.Difference, error)) error {
	out.Conflicts = append(out.Conflicts, m.stale...)
	if out.Verdict == merge.TakeLocal {
		return nil
	}
	_, byServer := rules.(merge.ServerSide)
	if kind := m.Versions[identity.Upstream].Meta; byServer && !m.schema.IsBuiltIn(identity.Group(kind.APIVersion), kind.Kind) {
		out.Conflicts = append(out.Conflicts, admission.Nulls(m.appliedKind(), trees[identity.Upstream])...)
	}
	refused, err := admission.Refusals(m.appliedKind(), trees[identity.Local], applyResult(*out, trees), differences)
	out.Conflicts = append(out.Conflicts, refused...)
	return err
}

// preconditions are the fields of metadata that config may have to say which live object
// it is about: another one is refused (rules/patches: patches for kustomize). Only a
// server that creates what it applies asks whether config means an object that was there
// before.
func preconditions(config, live *yaml.Node, byServer bool) []merge.Conflict {
	var out []merge.Conflict
	for _, name := range [2]string{"resourceVersion", "uid"} {
		u, l := yamlnode.Lookup(config, "metadata", name), yamlnode.Lookup(live, "metadata", name)
		reason := fmt.Sprintf("config has another metadata.%s than the live object", name)
		switch {
		case live == nil && name == "uid" && byServer:
			reason = "config has a metadata.uid, and no such object is live"
		case live == nil, name == "resourceVersion" && isVersion(u, l):
			continue
		}
		if u == nil || u.ShortTag() == "!!null" || u.Value == "" || l != nil && u.Value == l.Value {
			continue
		}
		out = append(out, merge.Conflict{
			Kind: merge.Refused, Path: (*merge.Path)(nil).Field("metadata").Field(name), Chosen: identity.Upstream,
			Values: [3]*yaml.Node{identity.Upstream: u, identity.Local: l}, Reason: reason,
		})
	}
	return out
}

// isVersion reports whether a resourceVersion asks for that of a live object, as a number,
// or for any, which 0 does.
func isVersion(asked, live *yaml.Node) bool {
	is, err := strconv.ParseUint(yamlnode.Text(asked), 10, 64)
	has, unread := strconv.ParseUint(yamlnode.Text(live), 10, 64)
	return err == nil && (is == 0 || unread == nil && is == has)
}

// appliedKind is what is known about the kind of the config.
func (m *Match) appliedKind() schema.Resource {
	meta := m.Versions[identity.Upstream].Meta
	return m.schema.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
}
