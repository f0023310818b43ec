package merge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"
)

// oracle is another program's answer to the question what three versions merge
// to.
type oracle func(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error)

// answers are the two results for one case.
type answers struct {
	drawn
	theirs, ours *typed.TypedValue
	conflicts    []Conflict
}

// ask merges three versions both ways.
func ask(c drawn, their oracle) (a answers, err error) {
	a = answers{drawn: c}
	if a.theirs, err = their(c.kind, c.sides); err != nil {
		return a, err
	}
	out, err := Resource(encode(c.sides), c.kind.ours, Prefer(PreferUpstream))
	if err != nil {
		return a, err
	}
	a.conflicts = out.Conflicts
	var v any
	if err = out.Node.Decode(&v); err != nil {
		return a, err
	}
	a.ours, err = c.kind.theirs.FromUnstructured(v)
	return a, err
}

// encode makes nodes of values, without the detour by text of Node.Encode.
func encode(sides [3]any) (nodes [3]*yaml.Node) {
	for side, v := range sides {
		nodes[side] = encodeValue(v)
	}
	return nodes
}

func encodeValue(v any) *yaml.Node {
	n := &yaml.Node{}
	switch v := v.(type) {
	case nil:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!null", "null"
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for _, name := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, encodeValue(name), encodeValue(v[name]))
		}
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for _, element := range v {
			n.Content = append(n.Content, encodeValue(element))
		}
	case string:
		n.Kind, n.Tag, n.Value, n.Style = yaml.ScalarNode, "!!str", v, yaml.DoubleQuotedStyle
	case int:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!int", strconv.Itoa(v)
	case bool:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!bool", strconv.FormatBool(v)
	default:
		panic(fmt.Sprintf("no value that is drawn is a %T", v))
	}
	return n
}

// difference is a place at which the answers differ. Absent is nil.
type difference struct {
	path                    fieldpath.Path
	theirs, ours            any
	origin, upstream, local any
}

func (d difference) String() string {
	return fmt.Sprintf("%s\n  theirs   %v\n  ours     %v\n  origin   %v\n  upstream %v\n  local    %v",
		d.path, d.theirs, d.ours, d.origin, d.upstream, d.local)
}

// differences compares the answers, leaf by leaf; order counts only in what is
// atomic.
func (a answers) differences() ([]difference, error) {
	c, err := a.theirs.Compare(a.ours)
	if err != nil {
		return nil, fmt.Errorf("comparing the answers: %w", err)
	}
	var out []difference
	for path := range c.Added.Leaves().Union(c.Modified).Union(c.Removed.Leaves()).All() {
		out = append(out, a.at(path.Copy()))
	}
	return out, nil
}

// at is what there is at a path.
func (a answers) at(path fieldpath.Path) difference {
	return difference{
		path: path, theirs: at(a.theirs.AsValue().Unstructured(), path), ours: at(a.ours.AsValue().Unstructured(), path),
		origin: at(a.sides[origin], path), upstream: at(a.sides[upstream], path), local: at(a.sides[local], path),
	}
}

// at is the value at a path, nil if there is none.
func at(v any, path fieldpath.Path) any {
	for _, step := range path {
		if step.FieldName != nil {
			m, _ := v.(map[string]any)
			v = m[*step.FieldName]
			continue
		}
		v = elementAt(v, step)
	}
	return v
}

// elementAt is the element of a list for which a step of a path stands.
func elementAt(list any, step fieldpath.PathElement) any {
	elements, _ := list.([]any)
	for _, element := range elements {
		if step.Value != nil && smdvalue.Equals(smdvalue.NewValueInterface(element), *step.Value) ||
			step.Key != nil && elementHas(element, *step.Key) {
			return element
		}
	}
	return nil
}

func elementHas(element any, key smdvalue.FieldList) bool {
	m, _ := element.(map[string]any)
	for _, part := range key {
		own := keyOf(m, []string{part.Name})[part.Name]
		if !smdvalue.Equals(smdvalue.NewValueInterface(own), part.Value) {
			return false
		}
	}
	return true
}

// theirPath is a path of ours as structured-merge-diff has it.
func theirPath(p *Path) fieldpath.Path {
	if p == nil {
		return nil
	}
	above := theirPath(p.parent)
	if p.keys == nil {
		return append(above, fieldpath.FieldNameElement(p.field))
	}
	var fields smdvalue.FieldList
	for _, part := range p.keys {
		var v any
		if err := part.Value.Decode(&v); err != nil {
			panic(err) // it was encoded from a value
		}
		fields = append(fields, smdvalue.Field{Name: part.Name, Value: smdvalue.NewValueInterface(v)})
	}
	if fields[0].Name == "" {
		return append(above, fieldpath.ValueElement(fields[0].Value))
	}
	fields.Sort()
	return append(above, fieldpath.PathElement{Key: &fields})
}
