package tests

import (
	"bytes"
	"encoding/json"
	"path"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/tests/applier"
)

// patching applies patches.
type patching struct {
	applier   *applier.Applier
	form      string
	resources map[string][]byte // as JSON
	order     []string
	// several says that a name is there several times, and left why the law is not checked.
	several bool
	left    string
}

// addressed are the resources that patches find, of the documents.
func (p *patching) addressed(t *testing.T, docs []string) (out []string) {
	t.Helper()
	seen := map[string]bool{}
	for _, doc := range docs {
		name, found := p.name(t, doc)
		if !found || strings.Contains(doc, "config.kubernetes.io/merge-source") {
			continue
		}
		p.several = p.several || seen[name]
		seen[name] = true
		out = append(out, settled(t, doc))
	}
	return out
}

// settled is a document without bookkeeping, and without managedFields, which the server keeps.
func settled(t *testing.T, doc string) string {
	t.Helper()
	n := content(t, doc)
	if metadata := entry(n, "metadata"); metadata != nil {
		keep(metadata, func(name string) bool { return name != "managedFields" })
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// name names the resource of a document; found is false of one that no patch finds.
func (p *patching) name(t *testing.T, doc string) (name string, found bool) {
	t.Helper()
	var is struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(doc), &n); err != nil {
		t.Fatal(err)
	}
	if err := n.Decode(&is); err != nil {
		p.left = "odd metadata"
		return "", false
	}
	if strings.HasSuffix(is.Kind, "List") {
		p.left = "a list"
	}
	version := text(&n, "apiVersion")
	return strings.Join([]string{version, is.Kind, is.Metadata.Namespace, is.Metadata.Name}, " "),
		version != "" && is.Kind != "" && is.Metadata.Name != "" && is.Kind != "Kptfile"
}

func text(doc *yaml.Node, field string) string {
	if v := entry(doc.Content[0], field); v != nil {
		return v.Value
	}
	return ""
}

// applied are the documents of base after the patches.
func (p *patching) applied(t *testing.T, base, patches []string) (out []string) {
	t.Helper()
	for _, doc := range p.addressed(t, base) {
		name, _ := p.name(t, doc)
		p.resources[name] = p.json(t, content(t, doc))
		p.order = append(p.order, name)
	}
	for _, doc := range patches {
		if !strings.Contains(doc, "config.kubernetes.io/merge-source") {
			p.apply(t, doc)
		}
	}
	for _, name := range p.order {
		if text := p.resources[name]; text != nil {
			out = append(out, string(text)+"\n")
		}
	}
	return out
}

// json is a node as JSON.
func (p *patching) json(t *testing.T, n *yaml.Node) []byte {
	t.Helper()
	asStrings(n)
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(v)
	if err != nil {
		p.left = "not JSON"
	}
	return text
}

// apply applies an item that came out.
func (p *patching) apply(t *testing.T, doc string) {
	t.Helper()
	n := content(t, doc)
	if entry(n, "kind").Value == "Component" {
		var component struct {
			Resources []string
			Patches   []struct {
				Patch  string
				Target struct{ Group, Version, Kind, Name, Namespace string }
			}
		}
		if err := n.Decode(&component); err != nil {
			t.Fatal(err)
		}
		for _, one := range component.Patches {
			var patch yaml.Node
			if err := yaml.Unmarshal([]byte(one.Patch), &patch); err != nil {
				t.Fatal(err)
			}
			to := one.Target
			p.patch(t, p.selected(path.Join(to.Group, to.Version), to.Kind, plainName(to.Namespace), plainName(to.Name)), patch.Content[0])
		}
		return
	}
	if name, found := p.name(t, doc); found {
		p.patch(t, name, n)
	}
}

// selected names the resource that a target selects: one without a namespace selects a resource
// of any namespace.
func (p *patching) selected(version, kind, namespace, name string) string {
	exact := strings.Join([]string{version, kind, namespace, name}, " ")
	if namespace != "" || p.resources[exact] != nil {
		return exact
	}
	for _, has := range p.order {
		if strings.HasPrefix(has, version+" "+kind+" ") && strings.HasSuffix(has, " "+name) {
			return has
		}
	}
	return exact
}

// plainName takes the escapes off a name that is written as a regular expression.
func plainName(name string) string { return strings.ReplaceAll(name, `\`, "") }

// patch applies a patch, or adds what is new.
func (p *patching) patch(t *testing.T, name string, patch *yaml.Node) {
	t.Helper()
	text := p.json(t, patch)
	if bytes.Contains(text, []byte(`"$patch":"delete"`)) && entry(patch, "$patch") != nil {
		of := []string{entry(patch, "apiVersion").Value, entry(patch, "kind").Value, "", entry(entry(patch, "metadata"), "name").Value}
		if namespace := entry(entry(patch, "metadata"), "namespace"); namespace != nil {
			of[2] = namespace.Value
		}
		p.resources[strings.Join(of, " ")] = nil
		return
	}
	base := p.resources[name]
	if base == nil {
		p.order = append(p.order, name)
		p.resources[name] = text
		return
	}
	var err error
	if p.resources[name], err = p.patched(name, base, text, patch.Kind == yaml.SequenceNode); err != nil && !p.several {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
}

// patched applies a patch by the library of its form.
func (p *patching) patched(name string, base, text []byte, isJSON bool) ([]byte, error) {
	version, kind, _ := strings.Cut(name, " ")
	kind, _, _ = strings.Cut(kind, " ")
	group, _, _ := strings.Cut(version, "/")
	form := patch.Strategic
	switch isCustom := strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io"); {
	case isJSON:
		form = patch.JSON
	case p.form == "merge", p.form == "auto" && isCustom:
		form = patch.Merge
	}
	got, known, err := p.applier.Apply(applier.Request{Form: form, APIVersion: version, Kind: kind, Resource: base, Patch: text})
	if !known && err == nil {
		p.left = "no Go type"
		return base, nil
	}
	return got, err
}
