package resourcelist

import (
	"sync"

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

// Outlines returns what reads the outlines of items, on all cores, when it is called
// first. What the fields of a name hold is not looked into where the text is plain;
// other items are parsed at once, and what is wrong with them is the error.
func Outlines(items []*Item, name string) (read func() []*Outline, err error) {
	err = parallel.Each(len(items), func(n int) error {
		if items[n].skim != nil {
			return nil
		}
		return items[n].parse()
	})
	texts := make([]Item, len(items))
	for n, i := range items {
		texts[n] = *i
	}
	return sync.OnceValue(func() []*Outline {
		out := make([]*Outline, len(texts))
		_ = parallel.Each(len(texts), func(n int) error { // which cannot fail
			out[n] = texts[n].outline(name)
			return nil
		})
		return out
	}), err
}

func (i *Item) outline(name string) *Outline {
	if i.skim != nil {
		if o := i.skim.Outline(name); o != nil {
			return &Outline{Root: o.Root, value: o.Value}
		}
	}
	full, err := i.Parsed()
	if err != nil { // what was skimmed is certain to parse
		return &Outline{Root: emptyMap()}
	}
	return &Outline{Root: full.Node}
}
