package krmfunction

import (
	"path"
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// instead is the list that comes out where something else stands for local's items (design
// 16): the Kptfile at the top of local's package, as it is merged, for the package stays one;
// what is new; and with keep the items of origin and upstream.
func (o output) instead(made []*resourcelist.Item) ([]*resourcelist.Item, error) {
	var out []*resourcelist.Item
	for _, c := range o.merged.Merged {
		if o.isOwnKptfile(c) {
			it, err := o.item(c)
			if err != nil {
				return nil, err
			}
			out = append(out, it)
		}
	}
	out = append(out, made...)
	if !o.keep {
		return out, nil
	}
	for _, it := range o.sides.list {
		if !slices.Contains(o.sides.items[identity.Local], it) {
			out = append(out, kept(it.in))
		}
	}
	return out, nil
}

// isOwnKptfile reports whether a resource is the Kptfile at the top of local's package, or of
// the package that the list holds.
func (o output) isOwnKptfile(c *pkgmerge.Change) bool {
	l := c.Versions[identity.Local]
	if l == nil || c.Result == nil || l.Meta.Kind != "Kptfile" {
		return false
	}
	at := o.of[l.Listed()].path
	return at == "Kptfile" || at == path.Join(o.sides.dir[identity.Local], "Kptfile")
}
