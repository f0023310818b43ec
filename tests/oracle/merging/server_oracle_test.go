package merging

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/resource-merge/resource-merge/merge"
)

// conflictsIn are the conflicts of an error, each with its manager.
func conflictsIn(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.ErrStatus.Details == nil {
		t.Fatalf("refused: %v", err)
	}
	var out []string
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict {
			out = append(out, strings.TrimPrefix(cause.Message, "conflict with ")+": "+cause.Field)
		}
	}
	slices.Sort(out)
	return out
}

// ownedConflicts are our conflicts, written as theirs are.
func ownedConflicts(out merge.Outcome) []string {
	var lines []string
	for _, c := range out.Conflicts {
		if c.Kind == merge.Owned {
			lines = append(lines, c.Managers[0]+": "+dottedPath(c.Path))
		}
	}
	slices.Sort(lines)
	return lines
}

// dottedPath is a path as structured-merge-diff writes it, odd names without quotes.
func dottedPath(p *merge.Path) string {
	var b strings.Builder
	for _, step := range p.Steps() {
		if step.Keys == nil {
			b.WriteString("." + step.Field)
		} else {
			b.WriteString((*merge.Path)(nil).Element(step.Keys).String())
		}
	}
	return b.String()
}

// converter knows one kind.
type converter struct{ kind typed.ParseableType }

func (c converter) ObjectToTyped(o runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return c.kind.FromUnstructured(o.(*unstructured.Unstructured).Object, options...)
}

func (c converter) TypedToObject(v *typed.TypedValue) (runtime.Object, error) {
	return &unstructured.Unstructured{Object: v.AsValue().Unstructured().(map[string]any)}, nil
}

// unstructuredOf is a drawn object for the oracle. Its drawn managedFields are nonsense.
func unstructuredOf(t *testing.T, object map[string]any) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	object = withoutManagers(maps.Clone(object))
	if err := out.UnmarshalJSON([]byte(textOf(t, object))); err != nil {
		t.Fatal(err)
	}
	return out
}

func textOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func nodeOf(t *testing.T, object *unstructured.Unstructured) *yaml.Node {
	t.Helper()
	return parse(t, textOf(t, object.Object))
}

// migrate does what kubectl does after its first server-side apply of an object that
// client-side apply made: it gives the annotation an owner, makes the entries that own it its
// own, and applies again.
func (c *serverCase) migrate(t *testing.T, config *unstructured.Unstructured) {
	t.Helper()
	live := c.server.Live().(*unstructured.Unstructured)
	text, has := live.GetAnnotations()[lastAppliedName]
	if has && c.rules.Manager == "kubectl" && len(ownersOf(live, metav1.ManagedFieldsOperationApply)) == 0 {
		note := &unstructured.Unstructured{Object: map[string]any{}}
		note.SetGroupVersionKind(live.GroupVersionKind())
		note.SetName(live.GetName())
		note.SetAnnotations(map[string]string{lastAppliedName: text})
		if err := c.server.Apply(note, "kubectl-last-applied", false); err != nil {
			t.Fatal(err)
		}
	}
	live = c.server.Live().(*unstructured.Unstructured)
	for _, manager := range ownersOf(live, metav1.ManagedFieldsOperationUpdate) {
		takeOver(t, live, manager, c.rules.Manager)
	}
	if err := c.server.Update(live, "nobody"); err != nil {
		t.Fatal(err)
	}
	if err := c.server.Apply(config.DeepCopy(), c.rules.Manager, c.rules.Force); err != nil {
		t.Fatalf("%s: applying again: %v", c.name, err)
	}
}

// ownersOf are the managers who own the annotation last-applied by an operation.
func ownersOf(live *unstructured.Unstructured, operation metav1.ManagedFieldsOperationType) []string {
	var out []string
	for _, e := range live.GetManagedFields() {
		if e.Operation == operation && e.Subresource == "" && setOf(e).Has(fieldpath.MakePathOrDie("metadata", "annotations", lastAppliedName)) {
			out = append(out, e.Manager)
		}
	}
	return out
}

func setOf(e metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := &fieldpath.Set{}
	if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
		panic(err)
	}
	return set
}

// takeOver makes a manager's Update entry a part of another's Apply entry.
func takeOver(t *testing.T, live *unstructured.Unstructured, from, to string) {
	t.Helper()
	left := fieldpath.NewSet()
	isFrom := func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == from && e.Operation == metav1.ManagedFieldsOperationUpdate && e.Subresource == ""
	}
	entries := live.GetManagedFields()
	for _, e := range entries {
		if isFrom(e) {
			left = left.Union(setOf(e))
		}
	}
	if !slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == to && e.Operation == metav1.ManagedFieldsOperationApply
	}) {
		first := slices.IndexFunc(entries, isFrom)
		entries[first].Manager, entries[first].Operation = to, metav1.ManagedFieldsOperationApply
	}
	entries = slices.DeleteFunc(entries, isFrom)
	for i, e := range entries {
		if e.Manager == to && e.Operation == metav1.ManagedFieldsOperationApply {
			text, err := setOf(e).Union(left).ToJSON()
			if err != nil {
				t.Fatal(err)
			}
			fields := metav1.FieldsV1{}
			fields.SetRawBytes(text)
			entries[i].FieldsV1 = &fields
		}
	}
	live.SetManagedFields(entries)
}
