package managed

import (
	"encoding/json"
	"math/big"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Elements finds the parts of sets at the elements of lists, from parts of their keys. It indexes a set at the first
// question (rules/reading: bounds).
type Elements struct {
	known map[setPart]map[string][]child
	keys  map[*Set][][]string
}

// setPart is a part of the keys in a set.
type setPart struct {
	set  *Set
	name string
}

// At returns the parts of a set at the steps that Agree with the known parts of a key, at least one.
func (x *Elements) At(s *Set, parts ...KeyPart) []*Set {
	var out []*Set
	for _, c := range x.candidates(s, parts) {
		if c.step.Agrees(parts...) {
			out = append(out, c.set)
		}
	}
	return out
}

// StepTo returns the step of a set that leads to an element of a list: by its key, its value or its index. ok is false
// if there is none.
func (x *Elements) StepTo(s *Set, element *yaml.Node, index int) (step Step, ok bool) {
	for _, names := range x.keysOf(s) {
		var parts []KeyPart
		for _, name := range names {
			if v := yamlnode.Field(element, name); v != nil {
				parts = append(parts, KeyPart{name, v})
			}
		}
		if step = Key(parts...); len(parts) == len(names) && s.Below(step) != nil {
			return step, true
		}
	}
	for _, step = range [2]Step{Value(element), {kind: indexStep, index: index}} {
		if s.Below(step) != nil {
			return step, true
		}
	}
	return Step{}, false
}

// keysOf returns the names of the keys in the steps of a set, each key once.
func (x *Elements) keysOf(s *Set) [][]string {
	if keys, known := x.keys[s]; known || s == nil {
		return keys
	}
	var keys [][]string
	for _, c := range s.children {
		if names := c.step.KeyNames(); names != nil && !slices.ContainsFunc(keys, func(k []string) bool { return slices.Equal(k, names) }) {
			keys = append(keys, names)
		}
	}
	if x.keys == nil {
		x.keys = map[*Set][][]string{}
	}
	x.keys[s] = keys
	return keys
}

// candidates returns the children with the value of the first part that has one.
func (x *Elements) candidates(s *Set, parts []KeyPart) []child {
	if s == nil {
		return nil
	}
	for _, p := range parts {
		if p.Value != nil {
			return x.byPart(s, p.Name)[canonicalText(fromYAML(p.Value))]
		}
	}
	return s.children
}

// byPart returns the children of a set by their values of a part of their keys.
func (x *Elements) byPart(s *Set, name string) map[string][]child {
	if by, known := x.known[setPart{s, name}]; known {
		return by
	}
	by := map[string][]child{}
	for _, c := range s.children {
		for _, p := range c.step.parts {
			if p.name == name {
				text := canonicalText(p.value)
				by[text] = append(by[text], c)
			}
		}
	}
	if x.known == nil {
		x.known = map[setPart]map[string][]child{}
	}
	x.known[setPart{s, name}] = by
	return by
}

// canonicalText returns one text for all spellings of a value.
func canonicalText(v any) string {
	if number, is := v.(json.Number); is {
		if exact, ok := new(big.Rat).SetString(number.String()); ok {
			return exact.RatString()
		}
	}
	return encode(v)
}
