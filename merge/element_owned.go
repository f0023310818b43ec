package merge

import (
	"github.com/resource-merge/resource-merge/merge/managed"
)

// ownedBelow is who owns a child of the element, or something below it. Whoever owns
// nothing there is not listed.
func (e *element) ownedBelow(child *element) []owned {
	if len(e.owned) == 0 {
		return nil
	}
	var out []owned
	step := child.path.step()
	for _, o := range e.owned {
		if below := o.fields.Below(step); below != nil {
			out = append(out, owned{by: o.by, fields: below})
		}
	}
	return out
}

// step is the last step of a path, as managedFields write it.
func (p *Path) step() managed.Step {
	if p.keys == nil {
		return managed.Field(p.field)
	}
	if len(p.keys) == 1 && p.keys[0].Name == "" {
		return managed.Value(p.keys[0].Value)
	}
	parts := make([]managed.KeyPart, len(p.keys))
	for i, k := range p.keys {
		parts[i] = managed.KeyPart(k)
	}
	return managed.Key(parts...)
}
