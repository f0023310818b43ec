package kyamlmerge_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/command/function"
	"github.com/resource-merge/resource-merge/engines/fn/kyamlmerge"
)

// The Go type has the fields of the schema, with their types, and no others.
func TestFieldsAreTheSchemas(t *testing.T) {
	schema, err := (&kyamlmerge.ResourceMerge{}).Schema()
	if err != nil {
		t.Fatal(err)
	}
	checkType(t, "", reflect.TypeFor[kyamlmerge.ResourceMerge](), *schema)
}

// checkType compares a type with the schema of a field.
func checkType(t *testing.T, path string, typ reflect.Type, schema spec.Schema) {
	t.Helper()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	kinds := map[reflect.Kind]string{reflect.Struct: "object", reflect.Slice: "array", reflect.Bool: "boolean", reflect.String: "string"}
	if want := kinds[typ.Kind()]; path != "metadata" && !schema.Type.Contains(want) {
		t.Errorf("%s is a %s in Go, and %v in the schema", path, want, schema.Type)
	}
	switch {
	case path == "metadata":
	case typ.Kind() == reflect.Slice:
		checkType(t, path+"[]", typ.Elem(), *schema.Items.Schema)
	case typ.Kind() == reflect.Struct:
		fields := fieldsOf(typ)
		for name, field := range fields {
			property, has := schema.Properties[name]
			if !has {
				t.Errorf("the schema has no %s.%s", path, name)
				continue
			}
			checkType(t, strings.TrimPrefix(path+"."+name, "."), field, property)
		}
		for name := range schema.Properties {
			if fields[name] == nil {
				t.Errorf("Go has no %s.%s", path, name)
			}
		}
	}
}

// fieldsOf returns the types of a struct's fields by their names in JSON.
func fieldsOf(typ reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for f := range typ.Fields() {
		switch name, _, _ := strings.Cut(f.Tag.Get("json"), ","); {
		case f.Anonymous && name == "":
			for name, inner := range fieldsOf(f.Type) {
				all[name] = inner
			}
		case name != "-":
			all[name] = f.Type
		}
	}
	return all
}

// The framework accepts the configs that the function accepts, and a merge with the config that it read, with its
// defaults, is the merge with the config itself.
func TestConfigOnCases(t *testing.T) {
	accepted, refused := 0, 0
	cases(t, func(t *testing.T, name string, list []byte) {
		in := kio.ByteReader{Reader: bytes.NewReader(list)}
		if _, err := in.Read(); err != nil || in.FunctionConfig == nil || in.FunctionConfig.GetKind() != "ResourceMerge" {
			return
		}
		wanted := function.CheckConfig([]byte(in.FunctionConfig.MustString()))
		m := &kyamlmerge.ResourceMerge{}
		err := framework.LoadFunctionConfig(in.FunctionConfig, m)
		if (err == nil) != (wanted == nil) {
			t.Fatalf("the framework says %v, and the function %v", err, wanted)
		}
		if err != nil {
			refused++
			return
		}
		accepted++
		again := *m
		if err := again.Default(); err != nil || !cmp.Equal(*m, again) {
			t.Errorf("the defaults of a config with defaults are others: %v", cmp.Diff(*m, again))
		}
		text, err := k8syaml.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := execute(kyamlmerge.Processor{}, list)
		got, _ := execute(framework.ResourceListProcessorFunc(func(rl *framework.ResourceList) error {
			rl.FunctionConfig = yaml.MustParse(string(text))
			return kyamlmerge.Processor{}.Process(rl)
		}), list)
		if diff := cmp.Diff(parts(t, want), parts(t, got)); diff != "" {
			t.Errorf("with the defaults\n%s: %s", text, diff)
		}
	})
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted < 70 || refused < 12 {
		t.Errorf("%d configs were accepted and %d refused; are there so few?", accepted, refused)
	}
}

// sides are three versions of a ConfigMap, and one that upstream adds.
func sides() []*yaml.RNode {
	var all []*yaml.RNode
	for _, text := range []string{
		"{metadata: {name: a, annotations: {config.kubernetes.io/merge-source: origin}}, data: {color: red, size: \"1\"}}",
		"{metadata: {name: a, annotations: {config.kubernetes.io/merge-source: upstream}}, data: {color: green, size: \"2\"}}",
		"{metadata: {name: a}, data: {color: blue, size: \"1\"}}",
		"{metadata: {name: b, annotations: {config.kubernetes.io/merge-source: upstream}}, data: {color: red}}",
	} {
		n := yaml.MustParse(text)
		n.SetApiVersion("v1")
		n.SetKind("ConfigMap")
		all = append(all, n)
	}
	return all
}

// colors are the colors in some items.
func colors(t *testing.T, items []*yaml.RNode) (all []string) {
	t.Helper()
	for _, n := range items {
		color, err := n.GetString("data.color")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, color)
	}
	return all
}

// A ResourceMerge merges in a pipeline of filters, with its zero value, too.
func TestFilter(t *testing.T) {
	for name, test := range map[string]struct {
		config  kyamlmerge.ResourceMerge
		want    []string
		results int
		err     string
	}{
		"the zero value":  {kyamlmerge.ResourceMerge{}, []string{"green", "red"}, 2, ""},
		"local preferred": {kyamlmerge.ResourceMerge{Conflicts: kyamlmerge.Conflicts{Prefer: "local"}}, []string{"blue", "red"}, 2, ""},
		"a conflict fails": {
			kyamlmerge.ResourceMerge{Conflicts: kyamlmerge.Conflicts{Prefer: "fail"}}, []string{"red", "green", "blue", "red"}, 2,
			"[error]: nothing merged: 1 conflict fails the run\n\n" +
				`[error] v1/ConfigMap/a data.color: ConfigMap a data.color: upstream set it to "green", you to "blue"; nothing was merged`,
		},
		"a wrong config": {
			kyamlmerge.ResourceMerge{Conflicts: kyamlmerge.Conflicts{Prefer: "mine"}}, []string{"red", "green", "blue", "red"}, 1,
			`[error]: functionConfig: conflicts.prefer: "mine" is not allowed, allowed are upstream, local, union, newest, fail; did you mean local?`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := test.config
			items, err := m.Filter(sides())
			if got := colors(t, items); !cmp.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			if err != nil && err.Error() != test.err || err == nil && test.err != "" {
				t.Errorf("error %v, want %s", err, test.err)
			}
			if len(m.Results) != test.results {
				t.Errorf("%d results: %v", len(m.Results), m.Results)
			}
		})
	}
}

// The results have the severity, the field with both values, and the file.
func TestResults(t *testing.T) {
	items := sides()
	for _, n := range items {
		if err := n.PipeE(yaml.SetAnnotation("internal.config.kubernetes.io/path", "app/a.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	m := &kyamlmerge.ResourceMerge{}
	buffer := &kio.PackageBuffer{Nodes: items}
	if err := (kio.Pipeline{Inputs: []kio.Reader{buffer}, Filters: []kio.Filter{m}, Outputs: []kio.Writer{buffer}}).Execute(); err != nil {
		t.Fatal(err)
	}
	want := &framework.Result{
		Message:     `ConfigMap a data.color: upstream set it to "green", you to "blue"; upstream's was taken`,
		Severity:    framework.Warning,
		ResourceRef: &yaml.ResourceIdentifier{TypeMeta: yaml.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, NameMeta: yaml.NameMeta{Name: "a"}},
		Field:       &framework.Field{Path: "data.color", CurrentValue: "blue", ProposedValue: "green"},
		File:        &framework.File{Path: "app/a.yaml"},
	}
	got := m.Results[1]
	got.Tags = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// As an API of the framework's, a ResourceMerge merges and reports, and a function with it fails if the merge does.
func TestVersionedAPI(t *testing.T) {
	const config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nconflicts: {prefer: local}\n"
	m := &kyamlmerge.ResourceMerge{}
	p := framework.VersionedAPIProcessor{FilterProvider: framework.GVKFilterMap{"ResourceMerge": {"fn.kpt.dev/v1alpha1": m}}}
	rl := &framework.ResourceList{Items: sides(), FunctionConfig: yaml.MustParse(config)}
	if err := p.Process(rl); err != nil {
		t.Fatal(err)
	}
	if got := colors(t, rl.Items); !cmp.Equal(got, []string{"blue", "red"}) {
		t.Errorf("got %v", got)
	}
	rl = &framework.ResourceList{Items: sides(), FunctionConfig: yaml.MustParse(strings.Replace(config, "prefer", "prefr", 1))}
	if err := p.Process(rl); err == nil || !strings.Contains(err.Error(), "conflicts.prefr") {
		t.Errorf("got %v", err)
	}
}
