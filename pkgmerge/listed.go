package pkgmerge

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// unlisted are resources, those in Lists too: as `kubectl get` writes them (design 13.1).
func unlisted(resources []*Resource) ([]*Resource, error) {
	var out []*Resource
	for _, r := range resources {
		if !strings.HasSuffix(r.Meta.Kind, "List") || r.Meta.Naming != identity.ByPath {
			out = append(out, r)
			continue
		}
		l, err := newListed(r)
		if err != nil {
			return nil, err
		}
		if l == nil {
			out = append(out, r)
		} else {
			out = append(out, l.resources...)
		}
	}
	return out, nil
}

// newListed takes a List apart, nil if it is none.
func newListed(r *Resource) (*listed, error) {
	full, err := r.parsed()
	if err != nil {
		return nil, err
	}
	items := yamlnode.Field(full.Node, "items")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil, nil
	}
	l := &listed{list: r, item: full}
	for i, n := range items.Content {
		n = yamlnode.Resolve(n)
		meta := identity.ReadMeta(n)
		if n.Kind != yaml.MappingNode || meta.Kind == "" {
			return nil, fmt.Errorf("%s: items[%d] is no resource: it has no kind", r, i)
		}
		l.resources = append(l.resources, &Resource{
			Meta: meta, File: r.File, Index: r.Index, Label: r.Label,
			item: resourcelist.NewItem(n), document: r.document, in: l,
		})
	}
	return l, nil
}
