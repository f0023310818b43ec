package tests

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// drawnFile is a file of several documents, of which each keeps its number through renames.
type drawnFile struct{ documents []*drawnDocument }

// drawnDocument is a document, and its parts in their order.
type drawnDocument struct {
	number                int
	kind, namespace, name string
	comment               string
	replicas              int
	// elements are containers, entries of data, or resources of a kustomization.
	elements []drawnElement
	// complexKey is the value under a key that a question mark begins, 0 for none.
	complexKey int
}

// drawnElement is an element of a list, or an entry of a map.
type drawnElement struct {
	name, value, comment string
	args                 []string
}

// addedNumber is the number of the document that both sides may have added.
const addedNumber = 100

// drawnKinds are kinds of which a document may change from one to another.
func drawnKinds() [][]string {
	return [][]string{{"Deployment", "StatefulSet", "DaemonSet"}, {"ConfigMap", "Secret"}, {"Kustomization", "Component"}, {"Widget", "Gadget"}}
}

// identity is the document's identity as mergecheck writes it.
func (d *drawnDocument) identity() string { return d.kind + " " + d.namespace + "/" + d.name }

func (d *drawnDocument) family() int {
	return slices.IndexFunc(drawnKinds(), func(kinds []string) bool { return slices.Contains(kinds, d.kind) })
}

// String returns the file as YAML.
func (f drawnFile) String() string {
	var b strings.Builder
	for i, d := range f.documents {
		if i > 0 {
			b.WriteString("---\n")
		}
		d.write(&b)
	}
	return b.String()
}

func (d *drawnDocument) write(b *strings.Builder) {
	if d.comment != "" {
		fmt.Fprintf(b, "# %s\n", d.comment)
	}
	version := []string{"apps/v1", "v1", "kustomize.config.k8s.io/v1beta1", "example.com/v1"}[d.family()]
	fmt.Fprintf(b, "apiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n", version, d.kind, d.name)
	if d.namespace != "" {
		fmt.Fprintf(b, "  namespace: %s\n", d.namespace)
	}
	lineComment := func(e drawnElement) string {
		if e.comment == "" {
			return ""
		}
		return " # " + e.comment
	}
	switch d.family() {
	case 0:
		fmt.Fprintf(b, "spec:\n  replicas: %d\n  template:\n    spec:\n      containers:\n", d.replicas)
		for _, e := range d.elements {
			fmt.Fprintf(b, "      - name: %s\n        image: %s%s\n", e.name, e.value, lineComment(e))
			if len(e.args) > 0 {
				b.WriteString("        args:\n")
			}
			for _, arg := range e.args {
				fmt.Fprintf(b, "        - %s\n", arg)
			}
		}
	case 1:
		b.WriteString("data:\n")
		for _, e := range d.elements {
			fmt.Fprintf(b, "  %s: %s%s\n", e.name, e.value, lineComment(e))
		}
	case 2:
		b.WriteString("resources:\n")
		for _, e := range d.elements {
			fmt.Fprintf(b, "- %s%s\n", e.name, lineComment(e))
		}
	case 3:
		fmt.Fprintf(b, "spec:\n  size: %d\n", d.replicas)
		if d.complexKey > 0 {
			fmt.Fprintf(b, "  ? a b\n  : %d\n", d.complexKey)
		}
		b.WriteString("  options:\n")
		for _, e := range d.elements {
			fmt.Fprintf(b, "    %s: %s%s\n", e.name, e.value, lineComment(e))
		}
	}
}

// copy returns the file with documents of its own.
func (f drawnFile) copy() (out drawnFile) {
	for _, d := range f.documents {
		to := *d
		to.elements = slices.Clone(d.elements)
		for i, e := range to.elements {
			to.elements[i].args = slices.Clone(e.args)
		}
		out.documents = append(out.documents, &to)
	}
	return out
}

// drawFile draws a file of two to five documents, some of which are alike.
func drawFile(t *rapid.T) (f drawnFile) {
	families := rapid.SampledFrom([][]int{{0}, {1}, {0, 1}, {0, 1, 2, 3}, {3, 2}}).Draw(t, "families")
	namespace := rapid.SampledFrom([]string{"", "web", "web"}).Draw(t, "namespace")
	alike := rapid.Bool().Draw(t, "alike")
	for n := range rapid.IntRange(2, 5).Draw(t, "documents") {
		family := rapid.SampledFrom(families).Draw(t, "family")
		d := &drawnDocument{number: n, kind: drawnKinds()[family][0], name: string(rune('a'+n)) + "-app", namespace: namespace, replicas: 1}
		if rapid.IntRange(0, 3).Draw(t, "comment") == 0 {
			d.comment = fmt.Sprintf("about %d", n)
		}
		if rapid.Bool().Draw(t, "complex") {
			d.complexKey = 1
		}
		of := n
		if alike {
			of = 0
		}
		for i := range rapid.IntRange(2, 4).Draw(t, "elements") {
			e := drawnElement{name: fmt.Sprintf("e%d", i), value: fmt.Sprintf("v%d-%d", of, i)}
			if i == 0 {
				e.value = fmt.Sprintf("own%d", n)
			}
			if rapid.IntRange(0, 3).Draw(t, "line comment") == 0 {
				e.comment = fmt.Sprintf("note %d", i)
			}
			if family == 0 {
				for j := range rapid.IntRange(0, 3).Draw(t, "args") {
					e.args = append(e.args, fmt.Sprintf("--flag%d", j))
				}
			}
			if family == 2 {
				e.name = fmt.Sprintf("r%d.yaml", i)
			}
			d.elements = append(d.elements, e)
		}
		f.documents = append(f.documents, d)
	}
	return f
}

// drawSide draws the version that a side makes of a file.
func drawSide(t *rapid.T, base drawnFile, side string) drawnFile {
	f := base.copy()
	switch rapid.IntRange(0, 5).Draw(t, "all of "+side) {
	case 0:
		for _, d := range f.documents {
			d.name = side + "-" + d.name
		}
	case 1:
		for _, d := range f.documents {
			d.namespace = rapid.SampledFrom([]string{"both", side}).Draw(t, "namespace")
		}
	}
	for range rapid.IntRange(1, 3).Draw(t, "edits of "+side) {
		if len(f.documents) > 0 {
			editDocument(t, &f, side)
		}
	}
	return f
}

// editDocument makes one change of a side.
func editDocument(t *rapid.T, f *drawnFile, side string) {
	i := rapid.IntRange(0, len(f.documents)-1).Draw(t, "document")
	d := f.documents[i]
	switch rapid.IntRange(0, 13).Draw(t, "edit") {
	case 0:
		d.name = fmt.Sprintf("%s-%d", side, d.number)
	case 1:
		d.name += "-new" // both sides may
	case 2:
		d.kind = rapid.SampledFrom(drawnKinds()[d.family()]).Draw(t, "kind")
	case 3:
		f.documents = slices.Delete(f.documents, i, i+1)
	case 4:
		f.documents = slices.Delete(f.documents, i, i+1)
		f.documents = slices.Insert(f.documents, rapid.IntRange(0, len(f.documents)).Draw(t, "to"), d)
	case 5:
		d.replicas += len(side)
	case 6:
		d.comment = rapid.SampledFrom([]string{"", "said by " + side}).Draw(t, "comment")
	case 7:
		d.namespace = rapid.SampledFrom([]string{"both", side}).Draw(t, "namespace")
	case 8:
		d.complexKey = len(side)
	case 9:
		added := drawnFile{documents: []*drawnDocument{d}}.copy().documents[0]
		added.number, added.name, added.replicas, added.comment = addedNumber, side+"-added", 7, ""
		for i := range added.elements { // a copy would be the document under another name, where that is deleted
			added.elements[i] = drawnElement{name: fmt.Sprint("added", i), value: fmt.Sprint("added", i)}
		}
		if rapid.Bool().Draw(t, "by both") {
			added.name = "added"
		} else {
			added.number += len(side)
		}
		if !slices.ContainsFunc(f.documents, func(other *drawnDocument) bool { return other.number == added.number }) {
			f.documents = slices.Insert(f.documents, rapid.IntRange(0, len(f.documents)).Draw(t, "to"), added)
		}
	default:
		editElement(t, d, side)
	}
}

// editElement makes one change of a side in an element.
func editElement(t *rapid.T, d *drawnDocument, side string) {
	if len(d.elements) == 0 {
		return
	}
	i := rapid.IntRange(0, len(d.elements)-1).Draw(t, "element")
	e := &d.elements[i]
	switch rapid.IntRange(0, 7).Draw(t, "edit of an element") {
	case 0:
		d.elements = slices.Delete(d.elements, i, i+1)
	case 1:
		was := *e
		d.elements = slices.Delete(d.elements, i, i+1)
		d.elements = slices.Insert(d.elements, rapid.IntRange(0, len(d.elements)).Draw(t, "to"), was)
	case 2:
		added := drawnElement{name: "new-" + side, value: "new"}
		d.elements = slices.Insert(d.elements, i, added)
	case 3:
		e.comment = rapid.SampledFrom([]string{"", "", "said by " + side}).Draw(t, "line comment")
	case 4, 5:
		if e.value += "-" + side; d.family() == 2 {
			e.name = side + "/" + e.name
		}
	default:
		if len(e.args) > 1 {
			at := rapid.IntRange(0, len(e.args)-1).Draw(t, "arg")
			arg := e.args[at]
			e.args = slices.Delete(e.args, at, at+1)
			if rapid.Bool().Draw(t, "moved") {
				e.args = slices.Insert(e.args, rapid.IntRange(0, len(e.args)).Draw(t, "to"), arg)
			}
		} else {
			e.args = append(e.args, "--by-"+side)
		}
	}
}

// drawnMerge has the versions of a file: the base, ours and theirs.
type drawnMerge struct{ base, ours, theirs drawnFile }

func drawMerge(t *rapid.T) drawnMerge {
	base := drawFile(t)
	return drawnMerge{base, drawSide(t, base, "our"), drawSide(t, base, "their")}
}

// numbers maps the identities of all versions, and the ones that combine both sides' changes, to the number of their
// document; known is false if an identity has two, or if what both sides added has two namespaces: these are two
// resources (rules/identity: replaced namespaces).
func (m drawnMerge) numbers() (out map[string]string, known bool) {
	out = map[string]string{}
	all := map[int][]*drawnDocument{}
	for _, f := range []drawnFile{m.base, m.ours, m.theirs} {
		for _, d := range f.documents {
			all[d.number] = append(all[d.number], d)
		}
	}
	for number, versions := range all {
		if number == addedNumber && len(versions) == 2 && versions[0].namespace != versions[1].namespace {
			return nil, false
		}
		for _, k := range versions {
			for _, ns := range versions {
				for _, n := range versions {
					id := (&drawnDocument{kind: k.kind, namespace: ns.namespace, name: n.name}).identity()
					if at, found := out[id]; found && at != fmt.Sprint("document ", number) {
						return nil, false
					}
					out[id] = fmt.Sprint("document ", number)
				}
			}
		}
	}
	return out, true
}
