package merge

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// put makes of the field at a path the value, or nothing if that is nil. The field is an
// element below e; where what it lies in goes, it goes too.
func (d *decision) put(e *element, names []string, v *yaml.Node) {
	for i, c := range e.children {
		switch {
		case d.verdict != MergeParts || c.path.field != names[0]: // #nosec G602 -- a path has a name
		case len(names) > 1:
			d.children[i].put(c, names[1:], v)
		case v == nil:
			d.children[i] = decision{verdict: Drop}
			d.order = slices.DeleteFunc(d.order, func(at int) bool { return at == i })
		default:
			d.children[i] = e.children[i].made(v)
			if !slices.Contains(d.order, i) { // it was to go
				d.order = append(d.order, i)
			}
		}
	}
}
