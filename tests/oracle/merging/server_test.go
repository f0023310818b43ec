package merging

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	gv "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"

	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/kinddraw"
)

// TestDifferentialServerSide compares ServerSide with apimachinery's field manager, which is
// the server's. Several managers apply and update an object of each built-in kind; then
// one applies another config. The object, the managedFields and the conflicts are the
// same, but for the changes that the server makes when it stores the object.
func TestDifferentialServerSide(t *testing.T) {
	tally := map[string]int{}
	column := schema.NewColumn(schema.Structured, nil)
	for i, kind := range builtinKinds(t, false) {
		for seed := range kinddraw.Scaled(t, 18) {
			d := drawer{kinddraw.NewDrawer(kind.Kind, uint64(i), uint64(seed))}
			group, version := splitVersion(kind.APIVersion)
			c := serverCase{name: fmt.Sprintf("%s, seed %d", kind, seed), kind: kind, column: column.Resource(group, version, kind.Name)}
			if c.draw(t, d); len(c.live.GetManagedFields()) > 0 {
				c.compare(t, tally)
			}
		}
	}
	report(t, tally, serverClasses())
}

func splitVersion(apiVersion string) (group, version string) {
	parsed, _ := gv.ParseGroupVersion(apiVersion)
	return parsed.Group, parsed.Version
}

// serverClasses are the differences that are intended.
func serverClasses() []class {
	return []class{
		{name: "null", reason: "the oracle keeps nulls; the server decodes them as nothing, or as the empty string (rules/server-side-apply: null)"},
		{name: "empty", reason: "the oracle keeps what is empty, and makes null of what an apply empties; the server stores neither of most (rules/server-side-apply: written managedFields)"},
		{name: "quantity", reason: "1 and \"1\" are one amount, and no change (rules/apply: fields)"},
		{name: "empty struct", reason: "no schema here says of a struct that it has no fields; only StorageVersion, a kind of the server's own, has one (counts cases)"},
		{name: "client-side", reason: "what kubectl does after client-side apply (counts cases) (rules/server-side-apply: after client-side apply)"},
		{name: "stringData", reason: "a Secret's stringData is stored as data (rules/server-side-apply: secrets)"},
	}
}

// serverCase is a live object, and what is applied to it.
type serverCase struct {
	name   string
	kind   kindUnderTest
	column schema.Resource
	rules  merge.ServerSide
	server managedfieldstest.TestFieldManager
	// client says that client-side apply made the object.
	client bool
	live   *unstructured.Unstructured
	config map[string]any
}

// draw makes the live object: M applies it, others change it and apply parts of it, and
// nobody owns some of it.
func (c *serverCase) draw(t *testing.T, d drawer) {
	t.Helper()
	c.rules = merge.ServerSide{Manager: []string{"m", "kubectl"}[d.IntN(2)], Force: d.IntN(2) == 0}
	c.server = managedfieldstest.NewTestFieldManager(converter{c.kind.theirs}, gv.FromAPIVersionAndKind(c.kind.APIVersion, c.kind.Name))
	first := d.Resource(c.kind.Kind)
	if c.client = d.IntN(3) == 0; c.client {
		c.update(t, annotated(t, first), "kubectl-client-side-apply")
	} else {
		c.apply(t, first, c.rules.Manager, true)
	}
	if d.IntN(3) > 0 {
		c.update(t, c.edited(d, first), "editor")
	}
	if d.IntN(2) == 0 {
		c.apply(t, d.Edits(c.kind.Kind, first), "other", true)
	}
	if d.IntN(3) == 0 {
		c.update(t, c.edited(d, first), "late")
	}
	c.config = d.Edits(c.kind.Kind, first)
	if d.IntN(3) == 0 {
		d.addNulls(c.config, first)
	}
	c.respell()
	c.live = c.server.Live().(*unstructured.Unstructured)
}

// respell writes the quantities of config otherwise.
func (c *serverCase) respell() {
	for name, v := range c.config {
		if typ := c.column.Type.Field(name); typ != nil && typ.Scalar == schema.Quantity {
			c.config[name] = fmt.Sprint(v)
		}
	}
}

// edited is an edited object, with the annotation that it has.
func (c *serverCase) edited(d drawer, first map[string]any) map[string]any {
	out := d.Edits(c.kind.Kind, first)
	text := c.server.Live().(*unstructured.Unstructured).GetAnnotations()[lastAppliedName]
	if text == "" {
		return out
	}
	return withAnnotation(out, text)
}

// annotated is an object as client-side apply leaves it.
func annotated(t *testing.T, object map[string]any) map[string]any {
	t.Helper()
	return withAnnotation(object, textOf(t, unstructuredOf(t, object).Object)+"\n")
}

func withAnnotation(object map[string]any, text string) map[string]any {
	out := kinddraw.Copy(object).(map[string]any)
	metadata := out["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		metadata["annotations"] = annotations
	}
	annotations[lastAppliedName] = text
	return out
}

func (c *serverCase) apply(t *testing.T, object map[string]any, manager string, force bool) {
	t.Helper()
	if err := c.server.Apply(unstructuredOf(t, object), manager, force); err != nil {
		t.Fatalf("%s: %s applies: %v", c.name, manager, err)
	}
}

func (c *serverCase) update(t *testing.T, object map[string]any, manager string) {
	t.Helper()
	if err := c.server.Update(unstructuredOf(t, object), manager); err != nil {
		t.Fatalf("%s: %s updates: %v", c.name, manager, err)
	}
}

// compare lets both apply the config.
func (c *serverCase) compare(t *testing.T, tally map[string]int) {
	t.Helper()
	tally["cases"]++
	config := unstructuredOf(t, c.config)
	err := c.server.Apply(config.DeepCopy(), c.rules.Manager, c.rules.Force)
	out, ourErr := merge.ResourceBy(c.rules, [3]*yaml.Node{upstream: nodeOf(t, config), local: nodeOf(t, c.live)}, c.column, merge.Prefer(merge.PreferUpstream))
	if ourErr != nil {
		t.Fatalf("%s: %v", c.name, ourErr)
	}
	if len(out.Conflicts) > 0 && out.Conflicts[0].Kind == merge.Refused {
		tally["refused"]++
		return
	}
	theirs, ours := conflictsIn(t, err), ownedConflicts(out)
	tally["conflicts"] += len(theirs)
	if !c.rules.Force && !slices.Equal(theirs, ours) {
		t.Errorf("%s: conflicts: theirs %q, ours %q\nlive %s\nconfig %s", c.name, theirs, ours, textOf(t, c.live.Object), textOf(t, c.config))
	}
	if err != nil {
		return
	}
	if c.config["stringData"] == nil && !hasEmpty(throughJSON(t, c.config)) && !hasEmpty(throughJSON(t, c.live.Object["spec"])) {
		tally["again"]++
		c.again(t, nodeOf(t, config), out.Node)
	}
	if c.client {
		tally["client-side"]++
		c.migrate(t, config)
	}
	after := c.server.Live().(*unstructured.Unstructured)
	c.compareObjects(t, after, out.Node, tally)
	c.compareOwners(t, after, out.Node, tally)
}

// again is a law: applying again changes nothing and finds no conflict. The server itself
// breaks it where it does not store what is empty, or stringData: that is set by each apply.
func (c *serverCase) again(t *testing.T, config, live *yaml.Node) {
	t.Helper()
	out, err := merge.ResourceBy(c.rules, [3]*yaml.Node{upstream: config, local: live}, c.column, merge.Prefer(merge.PreferUpstream))
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	if out.Node != live || len(out.Conflicts) > 0 {
		t.Errorf("%s: applying again changes it: %v\nconfig %s\n%s\nbecomes\n%s", c.name, ownedConflicts(out), textOf(t, c.config), textOfNode(t, live), textOfNode(t, out.Node))
	}
}

// compareOwners compares managedFields without their times and their order, which is by
// time.
func (c *serverCase) compareOwners(t *testing.T, after *unstructured.Unstructured, ours *yaml.Node, tally map[string]int) {
	t.Helper()
	var wanted []string
	for _, e := range after.GetManagedFields() {
		wanted = append(wanted, fmt.Sprint(e.Manager, " ", e.Operation, " ", string(e.FieldsV1.GetRawBytes())))
	}
	entries, err := managed.ReadEntries(yamlnode.Lookup(ours, "metadata", managedFields))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprint(e.Manager, " ", e.Operation, " ", e.Fields.JSON()))
	}
	slices.Sort(wanted)
	slices.Sort(got)
	if c.kind.Name == "StorageVersion" && !slices.Equal(wanted, got) {
		tally["empty struct"]++
		return
	}
	if !slices.Equal(wanted, got) {
		t.Errorf("%s: managedFields\n%s\nours\n%s\nlive %s\nconfig %v", c.name, strings.Join(wanted, "\n"), strings.Join(got, "\n"), textOf(t, c.live.Object), textOf(t, c.config))
	}
}

// compareObjects compares the objects, and counts the class of their difference.
func (c *serverCase) compareObjects(t *testing.T, after *unstructured.Unstructured, ours *yaml.Node, tally map[string]int) {
	t.Helper()
	var got map[string]any
	if err := ours.Decode(&got); err != nil {
		t.Fatal(err)
	}
	theirs := withoutManagers(throughJSON(t, after.Object).(map[string]any))
	got = withoutManagers(throughJSON(t, got).(map[string]any))
	for _, stage := range []struct {
		name string
		drop func(any) any
	}{
		{"alike", func(v any) any { return v }},
		{"null", withoutNull},
		{"empty", withoutEmpty},
		{"quantity", withoutNumbers},
		{"stringData", withoutText},
	} {
		if reflect.DeepEqual(stage.drop(theirs), stage.drop(got)) {
			tally[stage.name]++
			return
		}
	}
	t.Errorf("%s: theirs\n%s\nours\n%s\nlive\n%s\nconfig\n%s", c.name, textOf(t, theirs), textOf(t, got), textOf(t, c.live.Object), textOf(t, c.config))
}

func withoutManagers(object map[string]any) map[string]any {
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, managedFields)
	object["metadata"] = metadata
	return object
}

// withoutNull is a value without nulls and the empty strings that stand for them.
func withoutNull(v any) any { return pruned(v, func(v any) bool { return v == nil || v == "" }) }

// withoutEmpty is a value without nulls and what is empty, or becomes so.
func withoutEmpty(v any) any {
	return pruned(v, func(v any) bool {
		m, isMap := v.(map[string]any)
		l, isList := v.([]any)
		return v == nil || v == "" || isMap && len(m) == 0 || isList && len(l) == 0
	})
}

// withoutNumbers is withoutEmpty with numbers as texts.
func withoutNumbers(v any) any { return numbersAsTexts(withoutEmpty(v)) }

func numbersAsTexts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[name] = numbersAsTexts(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = numbersAsTexts(element)
		}
		return out
	case float64:
		return fmt.Sprint(v)
	}
	return v
}

// withoutText is withoutEmpty, and leaves out the texts of a Secret.
func withoutText(v any) any {
	out := withoutEmpty(v).(map[string]any)
	if out["kind"] == "Secret" {
		delete(out, "data")
		delete(out, "stringData")
	}
	return out
}

// hasEmpty reports whether there is anything empty in a value, or a null.
func hasEmpty(v any) bool { return !reflect.DeepEqual(v, withoutEmpty(v)) }

func pruned(v any, drop func(any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			if field = pruned(field, drop); !drop(field) {
				out[name] = field
			}
		}
		return out
	case []any:
		out := []any{}
		for _, element := range v {
			if element = pruned(element, drop); !drop(element) {
				out = append(out, element)
			}
		}
		return out
	}
	return v
}
