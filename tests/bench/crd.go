package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// crds are the shapes of packages that consist of large CRDs: few of many versions
// and deep schemas, many of one version, and such with long descriptions of several
// lines.
type crds struct {
	// count is the number of CRDs, each with a number of versions.
	count, versions int
	// depth and width say how deep the objects of a schema lie in each other, and how
	// many fields each has.
	depth, width int
	// style is the style of descriptions.
	style func(b *bytes.Buffer, indent int)
}

// shapesOfCRDs are the three shapes by their names.
func shapesOfCRDs() map[string]crds {
	return map[string]crds{
		"versions": {count: 20, versions: 4, depth: 3, width: 6, style: plainLines},
		"kinds":    {count: 40, versions: 1, depth: 3, width: 7, style: literalLines},
		"deep":     {count: 20, versions: 1, depth: 4, width: 5, style: quotedLines},
	}
}

const sentence = "describes what the controller does with the resource when it is asked to"

func plainLines(b *bytes.Buffer, indent int) {
	in := strings.Repeat(" ", indent)
	fmt.Fprintf(b, "%sdescription: This field %s\n%s  change it, and %s\n%s  keep it.\n", in, sentence, in, sentence, in)
}

func literalLines(b *bytes.Buffer, indent int) {
	in := strings.Repeat(" ", indent)
	fmt.Fprintf(b, "%sdescription: |-\n%s  This field %s:\n\n%s  - change it,\n%s  - keep it.\n", in, in, sentence, in, in)
}

func quotedLines(b *bytes.Buffer, indent int) {
	in := strings.Repeat(" ", indent)
	fmt.Fprintf(b, "%sdescription: 'One of: ''change'', which %s\n%s  change it; ''keep'', which %s\n%s  keep it'\n", in, sentence, in, sentence, in)
}

// list returns a list of the CRDs. Both sides change one in every, in different fields;
// 0 is none.
func (c crds) list(every int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		for i := range c.count {
			changed := ""
			if every > 0 && i%every == 0 && side != "origin" {
				changed = side
			}
			c.write(b, side, i, changed)
		}
	})
}

func (c crds) write(b *bytes.Buffer, side string, i int, changed string) {
	name := fmt.Sprintf("kind%d", i)
	fmt.Fprintf(b, "- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: # kpt-merge: /%[1]ss.example.com\n    name: %[1]ss.example.com\n%[2]s", name, bookkeeping(side, name+".yaml"))
	if changed == "local" {
		b.WriteString("    labels:\n      changed: local\n")
	}
	fmt.Fprintf(b, "  spec:\n    group: example.com\n    names:\n      kind: Kind%[1]d\n      plural: %[2]ss\n    scope: Namespaced\n    versions:\n", i, name)
	for v := range c.versions {
		fmt.Fprintf(b, "    - name: v%d\n      schema:\n        openAPIV3Schema:\n", v+1)
		c.object(b, 10, c.depth)
		if changed == "upstream" {
			b.WriteString("          required:\n          - field0\n")
		}
		fmt.Fprintf(b, "      served: true\n      storage: %t\n", v == 0)
	}
}

// object writes the schema of an object.
func (c crds) object(b *bytes.Buffer, indent, depth int) {
	in := strings.Repeat(" ", indent)
	c.style(b, indent)
	if depth == 0 {
		fmt.Fprintf(b, "%stype: string\n", in)
		return
	}
	fmt.Fprintf(b, "%sproperties:\n", in)
	for i := range c.width {
		fmt.Fprintf(b, "%s  field%d:\n", in, i)
		c.object(b, indent+4, depth-1)
	}
	fmt.Fprintf(b, "%stype: object\n", in)
}

// crdList makes a list by a name such as "deep-few": a shape, and what is changed of
// it. n is how many CRDs there are for each ten of the shape.
func crdList(name string, n int) ([]byte, bool) {
	shape, load, _ := strings.Cut(name, "-")
	c, known := shapesOfCRDs()[shape]
	every, knownLoad := map[string]int{"none": 0, "few": 20, "all": 1}[load]
	if !known || !knownLoad {
		return nil, false
	}
	c.count = max(1, c.count*n/10)
	return c.list(every), true
}
