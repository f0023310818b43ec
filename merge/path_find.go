package merge

import (
	"go.yaml.in/yaml/v3"
)

// Find is where the path leads in a resource: the key of a field, or an element.
// Where the path leads to nothing, it is what is nearest above and there, and the
// resource itself at last. whole reports whether the path leads there to its end.
// A Finder finds many paths faster.
func (p *Path) Find(resource *yaml.Node) (at *yaml.Node, whole bool) {
	return (&Finder{resource: resource}).Find(p)
}

// Value is the value that the path leads to in a resource, nil if it leads to nothing.
func (p *Path) Value(resource *yaml.Node) *yaml.Node {
	return (&Finder{resource: resource}).Value(p)
}

// Find is Path.Find in the finder's resource.
func (f *Finder) Find(p *Path) (at *yaml.Node, whole bool) {
	at, _, whole = f.find(p)
	return at, whole
}

// Value is Path.Value in the finder's resource.
func (f *Finder) Value(p *Path) *yaml.Node {
	if _, value, whole := f.find(p); whole {
		return value
	}
	return nil
}
