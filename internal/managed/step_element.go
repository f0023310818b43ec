package managed

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// LeadsTo reports whether the step leads to an element of a list: to one that has the
// fields of its key, or its value, or to the one at its index.
func (s Step) LeadsTo(element *yaml.Node, index int) bool {
	switch s.kind {
	case keyStep:
		return !slices.ContainsFunc(s.parts, func(p part) bool {
			v := yamlnode.Field(element, p.name)
			return v == nil || compareValues(ofNode(v), p.value) != 0
		})
	case valueStep:
		return compareValues(ofNode(element), s.parts[0].value) == 0
	case indexStep:
		return s.index == index
	}
	return false
}

// Agrees reports whether the step may lead to an element of which some parts of the key
// are known. The element of a set is a part without a name.
func (s Step) Agrees(parts ...KeyPart) bool {
	if s.kind != keyStep && s.kind != valueStep {
		return false
	}
	for _, known := range parts {
		at := slices.IndexFunc(s.parts, func(p part) bool { return p.name == known.Name })
		if known.Value != nil && (at < 0 || compareValues(ofNode(known.Value), s.parts[at].value) != 0) {
			return false
		}
	}
	return true
}

// KeyNames are the names of the fields of the key, nil if the step leads to no element by
// its key.
func (s Step) KeyNames() []string {
	if s.kind != keyStep {
		return nil
	}
	var out []string
	for _, p := range s.parts {
		out = append(out, p.name)
	}
	return out
}
