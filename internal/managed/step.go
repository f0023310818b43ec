package managed

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// stepKind is the kind of a step, the first criterion of their order.
type stepKind int

const (
	fieldStep stepKind = iota // f:name
	keyStep                   // k:{"name":"web"}
	valueStep                 // v:"one"
	indexStep                 // i:0
)

// Step is one step of a path: a field of a map, or an element of a list by its key, its value or its index.
type Step struct {
	kind  stepKind
	name  string // of a field
	parts []part // of a key, by name; the value of a set's element is a part without a name
	index int
}

// part is one part of a key.
type part struct {
	name  string
	value any
}

// Field returns the step to a field.
func Field(name string) Step { return Step{kind: fieldStep, name: name} }

// Key returns the step to the element of a list with a key. A part that the element lacks has no value.
func Key(parts ...KeyPart) Step {
	s := Step{kind: keyStep}
	for _, p := range parts {
		if p.Value != nil {
			s.parts = append(s.parts, part{p.Name, fromYAML(p.Value)})
		}
	}
	s.sortParts()
	return s
}

// KeyPart is one part of a key.
type KeyPart struct {
	Name  string
	Value *yaml.Node
}

// Value returns the step to the element of a set.
func Value(n *yaml.Node) Step { return Step{kind: valueStep, parts: []part{{value: fromYAML(n)}}} }

// Index returns the step to the element of a list at an index.
func Index(i int) Step { return Step{kind: indexStep, index: i} }

func (s *Step) sortParts() {
	slices.SortStableFunc(s.parts, func(a, b part) int { return strings.Compare(a.name, b.name) })
}

// CompareSteps orders the steps below one field as a server does.
func CompareSteps(a, b Step) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), cmp.Compare(a.index, b.index),
		slices.CompareFunc(a.parts, b.parts, func(x, y part) int {
			return cmp.Or(strings.Compare(x.name, y.name), compareValues(x.value, y.value))
		}))
}

// FieldName returns the name of the step's field; ok is false if the step leads to an element.
func (s Step) FieldName() (name string, ok bool) { return s.name, s.kind == fieldStep }

// IsValue reports whether the step leads to the element of a set.
func (s Step) IsValue() bool { return s.kind == valueStep }

// String returns the step as managedFields write it.
func (s Step) String() string {
	switch s.kind {
	case keyStep:
		texts := make([]string, len(s.parts))
		for i, p := range s.parts {
			texts[i] = quote(p.name) + ":" + encode(p.value)
		}
		return "k:{" + strings.Join(texts, ",") + "}"
	case valueStep:
		return "v:" + encode(s.parts[0].value)
	case indexStep:
		return "i:" + strconv.Itoa(s.index)
	}
	return "f:" + s.name
}

// PathText returns the step as paths in messages write it: .name, [name="web"], [="one"] or [0].
func (s Step) PathText() string {
	switch s.kind {
	case keyStep, valueStep:
		texts := make([]string, len(s.parts))
		for i, p := range s.parts {
			texts[i] = p.name + "=" + encode(p.value)
		}
		return "[" + strings.Join(texts, ",") + "]"
	case indexStep:
		return "[" + strconv.Itoa(s.index) + "]"
	}
	if strings.ContainsFunc(s.name, func(r rune) bool {
		return r != '-' && r != '_' && (r > 'z' || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	}) {
		return "[" + strconv.Quote(s.name) + "]"
	}
	return "." + s.name
}

// parseStep reads a step of managedFields. ok is false for a kind of step that only a newer server knows: a server
// leaves it out.
func parseStep(text string) (s Step, ok bool, err error) {
	kind, rest, found := strings.Cut(text, ":")
	if !found || len(kind) != 1 {
		return s, false, fmt.Errorf("%q is not a step of a path, want f:, k:, v: or i: and a name, key, value or index", text)
	}
	switch kind {
	case "f":
		s = Field(rest)
	case "k":
		s, err = parseKey(rest)
	case "v":
		s = Step{kind: valueStep, parts: make([]part, 1)}
		s.parts[0].value, err = decode(rest)
	case "i":
		s = Step{kind: indexStep}
		s.index, err = strconv.Atoi(rest)
	default:
		return s, false, nil
	}
	if err != nil {
		err = fmt.Errorf("step %q: %w", text, err)
	}
	return s, err == nil, err
}

func parseKey(text string) (Step, error) {
	v, err := decode(text)
	if err != nil {
		return Step{}, err
	}
	m, ok := v.(map[string]any)
	if !ok {
		return Step{}, fmt.Errorf("want a JSON object of the key's fields")
	}
	s := Step{kind: keyStep}
	for name, value := range m {
		s.parts = append(s.parts, part{name, value})
	}
	s.sortParts()
	return s, nil
}

// Agrees reports whether the step may lead to an element with the known parts of a key. The element of a set is a part
// without a name.
func (s Step) Agrees(parts ...KeyPart) bool {
	if s.kind != keyStep && s.kind != valueStep {
		return false
	}
	for _, known := range parts {
		at := slices.IndexFunc(s.parts, func(p part) bool { return p.name == known.Name })
		if known.Value != nil && (at < 0 || compareValues(fromYAML(known.Value), s.parts[at].value) != 0) {
			return false
		}
	}
	return true
}

// PartText returns a text of a part of a key, or of the value of a set's element, whose name is "": the CanonicalText
// of the value.
func (s Step) PartText(name string) (text string, found bool) {
	at := slices.IndexFunc(s.parts, func(p part) bool { return p.name == name })
	if at < 0 {
		return "", false
	}
	return canonicalText(s.parts[at].value), true
}

// KeyNames returns the names of the key's fields, nil for a step without a key.
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
