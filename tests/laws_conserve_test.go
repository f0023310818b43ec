package tests

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// unmatched says why the versions of an assignment's resources cannot be laid
// side by side by kind and name alone; "" if they can.
func unmatched(t *testing.T, a assignment) string {
	t.Helper()
	if strings.Contains(a.config, "lists:") {
		return "keys of the config"
	}
	if text := stream(slices.Concat(a.docs[:]...)); strings.Contains(text, "kind: ClusterRole\n") || strings.Contains(text, "scope: Cluster\n") {
		return "kinds that are in no namespace"
	}
	known, others := map[string]bool{}, map[string]bool{} // others: have a comment of another name
	places := map[string]string{}                         // kind and name: the identity and the directory on the side before
	for _, docs := range a.docs {
		seen := map[string]bool{}
		for _, doc := range docs {
			who := whoIs(content(t, doc))
			own := whoIs(uncommented(content(t, doc)))
			others[own] = others[own] || own != who
			known[who] = true
			if who == "" || seen[who] || strings.Contains(doc, "upstream-identifier") {
				return "matched by more than kind and name"
			}
			seen[who] = true
			named := kind(content(t, doc)) + who[strings.LastIndex(who, "/"):]
			place := who + " in " + path.Dir(filePath(doc))
			if before, found := places[named]; found && before != place {
				return "one name in several namespaces or directories"
			}
			places[named] = place
		}
	}
	for own := range others {
		if others[own] && known[own] {
			return "a merge comment that is not the only one to tell"
		}
	}
	return ""
}

// uncommented is a resource without its merge comment.
func uncommented(n *yaml.Node) *yaml.Node {
	out := *n
	out.Content = slices.Clone(n.Content)
	for i, c := range out.Content {
		plain := *c
		plain.LineComment = ""
		out.Content[i] = &plain
	}
	return &out
}

// filePath is the file that a document says it lies in.
func filePath(doc string) string {
	_, after, _ := strings.Cut(doc, "internal.config.kubernetes.io/path:")
	line, _, _ := strings.Cut(after, "\n")
	return strings.Trim(line, ` '"`)
}

// whoIs identifies a resource by kind and merge comment, else by kind,
// namespace and name; "" if it has no name.
func whoIs(n *yaml.Node) string {
	if c, ok := mergeComment(n); ok {
		return kind(n) + " " + c.Namespace + "/" + c.Name
	}
	metadata := entry(n, "metadata")
	if scalarField(metadata, "name") == "" {
		return ""
	}
	return kind(n) + " " + scalarField(metadata, "namespace") + "/" + scalarField(metadata, "name")
}

// mergeComment is the merge comment on metadata or its value, and whether there
// is one that can be read.
func mergeComment(n *yaml.Node) (identity.Comment, bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != "metadata" {
			continue
		}
		for _, at := range n.Content[i : i+2] {
			if c, err := identity.ParseComment(at.LineComment); err == nil {
				return c, true
			}
		}
	}
	return identity.Comment{}, false
}

func commented(n *yaml.Node) bool {
	_, ok := mergeComment(n)
	return ok
}

func kind(n *yaml.Node) string { return scalarField(n, "kind") }

func scalarField(n *yaml.Node, name string) string {
	if v := entry(n, name); v != nil {
		return v.Value
	}
	return ""
}

// conserved has the independent checker look at every resource of a merge.
func (a assignment) conserved(t *testing.T, items []string, results string) string {
	t.Helper()
	// what follows local is named, and it is no side's value (rules/adopt: what follows)
	if strings.Contains(results, "adopt: []") {
		if strings.Contains(a.config, "adopt:") {
			return ""
		}
		if a.config == "" {
			a.config = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\n"
		}
		a.config += "adopt: []\n"
		items, results, _ = a.merge(t)
	}
	if strings.Contains(results, "you have renamed") && strings.Contains(results, ": 0 changed, 0 added, 0 deleted") {
		return "" // no merge comment says in the result which resource is which
	}
	all := map[string]*mergecheck.Merge{}
	names := map[string]string{} // kind, namespace and name on any side: who it is
	found := map[string]string{} // what local calls otherwise, by its own name: who the result says that it is
	for _, doc := range items {
		found[whoIs(uncommented(content(t, doc)))] = whoIs(content(t, doc))
	}
	var order []string
	var crds []*yaml.Node
	for v, docs := range [][]string{a.docs[0], a.docs[1], a.docs[2], items} {
		for _, doc := range docs {
			n := content(t, doc)
			who := whoIs(n)
			if v == 2 && found[who] != "" {
				who = found[who]
			}
			if all[who] == nil {
				all[who] = &mergecheck.Merge{}
				order = append(order, who)
			}
			all[who].Documents[v] = n
			metadata := entry(n, "metadata")
			names[kind(n)+" "+scalarField(metadata, "namespace")+"/"+scalarField(metadata, "name")] = who
			if kind(n) == "CustomResourceDefinition" && v < 3 {
				crds = append(crds, n)
			}
		}
	}
	for _, c := range conflictsOf(t, results) {
		m := all[names[c.who]]
		switch {
		case m == nil:
		case c.merged:
			m.Lines = append(m.Lines, c.path)
		case c.comment:
			m.Comments = append(m.Comments, c.path)
		default:
			m.Conflicts = append(m.Conflicts, c.path)
			if c.inLines {
				m.Lines = append(m.Lines, c.path)
			}
		}
	}
	known := schema.New(nil, schema.Trees(crds...), !strings.Contains(a.config, "inferListKeys: false"))
	var objections []string
	for _, who := range order {
		m := all[who]
		if onlyRenamed(m) || copiesDeleted(m, all) {
			continue
		}
		kind := kindOf(known, m.Documents[:3])
		m.Keys, m.Scalars = mergecheck.KeysOf(kind, m.Documents[:3]...), mergecheck.ScalarsOf(kind, m.Documents[:3]...)
		for _, text := range mergecheck.Check(*m) {
			objections = append(objections, who+": "+text)
		}
	}
	return strings.Join(objections, "\n")
}

// copiesDeleted reports whether a resource of local's own name that is gone was a copy of one
// that upstream deleted, and had but another name.
func copiesDeleted(m *mergecheck.Merge, all map[string]*mergecheck.Merge) bool {
	o, u, l := m.Documents[0], m.Documents[1], m.Documents[2]
	if o != nil || u != nil || l == nil || m.Documents[3] != nil {
		return false
	}
	for _, other := range all {
		if o, u := other.Documents[0], other.Documents[1]; o != nil && u == nil && nameless(o) == nameless(l) {
			return true
		}
	}
	return false
}

// onlyRenamed reports whether upstream deleted what local had only renamed: that
// goes without a conflict.
func onlyRenamed(m *mergecheck.Merge) bool {
	o, u, l := m.Documents[0], m.Documents[1], m.Documents[2]
	if o == nil || u != nil || l == nil {
		return false
	}
	return nameless(o) == nameless(l)
}

// nameless is a resource as a value without name and namespace.
func nameless(n *yaml.Node) string {
	var v map[string]any
	if err := n.Decode(&v); err != nil {
		return err.Error()
	}
	if metadata, isMap := v["metadata"].(map[string]any); isMap {
		delete(metadata, "name")
		delete(metadata, "namespace")
	}
	return fmt.Sprint(v)
}

// reported is a conflict as results have it.
type reported struct {
	who, path string
	merged    bool // line by line: it is no conflict
	inLines   bool // of the lines of a string, only those collide that both sides changed
	comment   bool
}

func conflictsOf(t *testing.T, results string) []reported {
	t.Helper()
	var all []struct {
		ResourceRef struct{ Kind, Namespace, Name string } `yaml:"resourceRef"`
		Field       struct{ Path string }
		Tags        map[string]string
		Message     string
	}
	if err := yaml.Unmarshal([]byte(results), &all); err != nil {
		t.Fatal(err)
	}
	var out []reported
	for _, r := range all {
		if r.Tags["conflict"] != "" || strings.HasSuffix(r.Message, "; it stays deleted") { // what local removed is told, and no conflict
			ref := r.ResourceRef
			out = append(out, reported{
				who: ref.Kind + " " + ref.Namespace + "/" + ref.Name, path: r.Field.Path,
				comment: r.Tags["conflict"] == "comment-changed",
				inLines: strings.Contains(r.Message, "where both changed lines"),
				merged:  r.Tags["chosen"] == "" && strings.Contains(r.Message, "the lines of both"),
			})
		}
	}
	return out
}

// kindOf returns the schema's knowledge of a resource's kind.
func kindOf(known *schema.Schema, versions []*yaml.Node) schema.Resource {
	apiVersion, name := "", ""
	for _, n := range versions {
		if n != nil {
			apiVersion, name = scalarField(n, "apiVersion"), kind(n)
		}
	}
	return known.Resource(identity.Group(apiVersion), identity.Version(apiVersion), name)
}
