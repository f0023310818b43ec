package resourcelist

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parallel"
)

// Outline is the tree of an item, perhaps without the values of some fields: then
// it has null there, and value reads them.
type Outline struct {
	Root  *yaml.Node
	value func(*yaml.Node) *yaml.Node
}

// Value returns the tree of a value of Root.
func (o *Outline) Value(n *yaml.Node) *yaml.Node {
	if o.value == nil {
		return n
	}
	return o.value(n)
}

// Outlines returns the outlines of items, on all cores. What the fields of a name
// hold is not looked into where the text is plain; other items are parsed.
func Outlines(items []*Item, name string) ([]*Outline, error) {
	out := make([]*Outline, len(items))
	err := parallel.Each(len(items), func(n int) (err error) {
		out[n], err = items[n].outline(name)
		return err
	})
	return out, err
}

func (i *Item) outline(name string) (*Outline, error) {
	if i.skim != nil {
		if o := i.skim.Outline(name); o != nil {
			return &Outline{Root: o.Root, value: o.Value}, nil
		}
	}
	if err := i.parse(); err != nil {
		return nil, err
	}
	return &Outline{Root: i.Node}, nil
}
