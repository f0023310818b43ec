package merge

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
	"sigs.k8s.io/structured-merge-diff/v6/typed"
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
func ownedConflicts(out Outcome) []string {
	var lines []string
	for _, c := range out.Conflicts {
		if c.Kind == Owned {
			lines = append(lines, c.Managers[0]+": "+dottedPath(c.Path))
		}
	}
	slices.Sort(lines)
	return lines
}

// dottedPath is a path as structured-merge-diff writes it, odd names without quotes.
func dottedPath(p *Path) string {
	var b strings.Builder
	for _, step := range p.Steps() {
		if step.Keys == nil {
			b.WriteString("." + step.Field)
		} else {
			writeKeys(&b, step.Keys)
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
	return flowDocument(t, textOf(t, object.Object))
}
