// Package merging compares merges and patches with the results of Kubernetes' own code, kubectl and
// kyaml.
package merging

import (
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// oracle is another program's answer to the question what three versions merge
// to.
type oracle func(kind kindUnderTest, sides [3]any) (*typed.TypedValue, error)

// answers are the two results for one case.
type answers struct {
	drawn
	theirs, ours *typed.TypedValue
	conflicts    []merge.Conflict
}

// ask merges three versions both ways.
func ask(c drawn, their oracle) (a answers, err error) {
	a = answers{drawn: c}
	if a.theirs, err = their(c.kind, c.sides); err != nil {
		return a, err
	}
	out, err := merge.Resource(kinddraw.Nodes(c.sides), c.kind.Ours, merge.Prefer(merge.PreferUpstream))
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

// differences compares the answers, leaf by leaf; order counts only in atomic
// values.
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

// at returns the values of all versions and of both answers at a path.
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
		own := kinddraw.KeyOf(m, []string{part.Name})[part.Name]
		if !smdvalue.Equals(smdvalue.NewValueInterface(own), part.Value) {
			return false
		}
	}
	return true
}

// theirPath is a path of ours as structured-merge-diff has it.
func theirPath(p *merge.Path) (out fieldpath.Path) {
	for _, step := range p.Steps() {
		if step.Keys == nil {
			out = append(out, fieldpath.FieldNameElement(step.Field))
			continue
		}
		var fields smdvalue.FieldList
		for _, part := range step.Keys {
			var v any
			if err := part.Value.Decode(&v); err != nil {
				panic(err) // it was encoded from a value
			}
			fields = append(fields, smdvalue.Field{Name: part.Name, Value: smdvalue.NewValueInterface(v)})
		}
		if fields[0].Name == "" {
			out = append(out, fieldpath.ValueElement(fields[0].Value))
			continue
		}
		fields.Sort()
		out = append(out, fieldpath.PathElement{Key: &fields})
	}
	return out
}

const origin, upstream, local = identity.Origin, identity.Upstream, identity.Local

const (
	managedFields   = "managedFields"
	lastAppliedName = "kubectl.kubernetes.io/last-applied-configuration"
)

func isUnion(typ *schema.Type) bool { return typ != nil && len(typ.Unions) > 0 }

// parse reads one document without its document node.
func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err, text)
	}
	return n.Content[0]
}

// textOfNode is a node as a document.
func textOfNode(t *testing.T, n *yaml.Node) string {
	t.Helper()
	text, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// clone is a copy of a node that has no aliases.
func clone(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = nil
	for _, c := range n.Content {
		out.Content = append(out.Content, clone(c))
	}
	return &out
}
