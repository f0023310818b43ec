// Package filedraw draws the three versions of a file as people write it: several documents, maps, lists with keys and without,
// texts, flow collections, comments, empty lines and line ends. Only tests use it.
package filedraw

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// Options say what is drawn.
type Options struct {
	// Plain leaves out what one side of all markers does not take as the policy of this side does: unions, images, lists of
	// maps without a key, moved elements, and fields that both sides added to one new map.
	Plain bool
	// Edits is the greatest number of edits of a side, 5 if it is 0.
	Edits int
}

// form is the form of a node.
type form int

const (
	scalar form = iota
	text
	mapping
	list
	flow // a map or a list in one line
)

// node is a field, an element or a document.
type node struct {
	// key is "" for an element and a document.
	key   string
	form  form
	value string
	lines []string // of a text
	parts []*node  // of a map or list
	isMap bool     // in one line

	above  []string // comments
	behind string   // a comment
	gap    bool     // an empty line above it
	fixed  bool     // no side alters it
	hot    bool     // the sides mostly alter such nodes
}

// Draw draws the versions of a file: origin's, upstream's and local's.
func Draw(t *rapid.T, o Options) (versions [3]string) {
	d := drawer{T: t, Options: o}
	if d.Edits == 0 {
		d.Edits = 5
	}
	var origin []*node
	if d.isValues = d.oneIn(8, "values"); d.isValues {
		origin = append(origin, &node{form: mapping, parts: append([]*node{fixed("first", "1")}, d.some(2, 6, d.any)...)})
	} else {
		for i := range rapid.IntRange(1, 3).Draw(t, "documents") {
			origin = append(origin, d.document(fmt.Sprint("d", i)))
		}
	}
	for _, p := range places(&origin) {
		if d.oneIn(5, "hot") {
			p.n.hot = true
		}
	}
	crlf, open := d.oneIn(12, "CRLF"), d.oneIn(12, "no line break at the end")
	for side := range versions {
		documents := copyOf(origin)
		if side > 0 {
			d.side = [3]string{"", "u", "l"}[side]
			documents = d.edited(documents)
		}
		var b strings.Builder
		for i, n := range documents {
			if i > 0 {
				b.WriteString("---\n")
			}
			n.write(&b)
		}
		out := b.String()
		if open && !endsInText(documents) {
			out = strings.TrimSuffix(out, "\n")
		}
		if crlf {
			out = strings.ReplaceAll(out, "\n", "\r\n")
		}
		versions[side] = out
	}
	return versions
}

// drawer draws the nodes of a file, and the edits of a side.
type drawer struct {
	*rapid.T
	Options
	side  string
	count int
	// isValues means that the file is one document without a kind, as Helm's values are.
	isValues bool
}

func (d *drawer) oneIn(n int, label string) bool {
	return rapid.IntRange(1, n).Draw(d.T, label) == 1
}

func (d *drawer) oneOf(label string, all ...string) string {
	return rapid.SampledFrom(all).Draw(d.T, label)
}

// dress gives a node comments and an empty line.
func (d *drawer) dress(n *node) *node {
	d.count++
	if d.oneIn(5, "comment above") {
		n.above = []string{fmt.Sprint("# about ", n.key, d.count)}
		if d.oneIn(3, "second line") {
			n.above = append(n.above, fmt.Sprint("# more of ", d.count))
		}
	}
	if d.oneIn(5, "comment behind") && n.form == scalar {
		n.behind = fmt.Sprint("# of ", d.count)
	}
	n.gap = d.oneIn(6, "empty line")
	return n
}

func (d *drawer) field(key, value string) *node {
	return d.dress(&node{key: key, value: value})
}

func (d *drawer) below(key string, form form, parts ...*node) *node {
	return d.dress(&node{key: key, form: form, parts: parts})
}

func fixed(key, value string) *node { return &node{key: key, value: value, fixed: true} }

func (d *drawer) document(name string) *node {
	head := func(apiVersion, kind string) []*node {
		meta := &node{key: "metadata", form: mapping, parts: []*node{fixed("name", name)}, fixed: true}
		if d.oneIn(3, "labels") {
			meta.parts = append(meta.parts, d.below("labels", mapping, d.field("app", "web"), d.field("tier", "x")))
		}
		return []*node{fixed("apiVersion", apiVersion), fixed("kind", kind), meta}
	}
	n := &node{form: mapping}
	if d.oneIn(4, "comment of the document") {
		n.above = []string{"# the document " + name}
	}
	kinds := []string{"ConfigMap", "Deployment", "Thing", "Service", "Role"}
	if d.Plain {
		kinds = kinds[:4]
	}
	switch d.oneOf("kind", kinds...) {
	case "ConfigMap":
		n.parts = append(head("v1", "ConfigMap"), d.below("data", mapping, d.some(2, 5, d.entry)...))
	case "Deployment":
		pod := d.below("spec", mapping, d.below("containers", list, d.some(1, 3, d.container)...))
		if d.oneIn(2, "volumes") {
			pod.parts = append(pod.parts, d.below("volumes", list, d.some(1, 3, d.volume)...))
		}
		n.parts = append(head("apps/v1", "Deployment"), d.below("spec", mapping, d.field("replicas", "1"), d.field("minReadySeconds", "2"), d.below("template", mapping, pod)))
	case "Role":
		n.parts = append(head("rbac.authorization.k8s.io/v1", "Role"), d.below("rules", list, d.some(1, 4, d.rule)...))
	case "Service":
		n.parts = append(head("v1", "Service"), d.below("spec", mapping, d.field("clusterIP", "None"), d.below("ports", list, d.some(1, 3, d.port)...)))
	default:
		n.parts = append(head("example.com/v1", "Thing"), d.below("spec", mapping, d.some(2, 5, d.any)...))
	}
	return n
}

// some draws several nodes with different names.
func (d *drawer) some(least, most int, draw func(i int) *node) (out []*node) {
	for i := range rapid.IntRange(least, most).Draw(d.T, "parts") {
		out = append(out, draw(i))
	}
	return out
}

func (d *drawer) word() string { return d.oneOf("word", "oak", "tin", "red", "ten") }

func (d *drawer) entry(i int) *node {
	key := fmt.Sprint("k", i)
	if d.oneIn(3, "text") {
		n := &node{key: key, form: text}
		for j := range rapid.IntRange(2, 6).Draw(d.T, "lines") {
			n.lines = append(n.lines, fmt.Sprint("line", j, " ", d.word()))
		}
		return d.dress(n)
	}
	return d.field(key, d.word())
}

func (d *drawer) container(i int) *node {
	n := d.dress(&node{form: mapping, parts: []*node{fixed("name", fmt.Sprint("c", i)), fixed("image", "web:1")}})
	if d.oneIn(2, "args") {
		n.parts = append(n.parts, d.below("args", list, d.some(1, 5, d.element)...))
	}
	if d.oneIn(2, "env") {
		n.parts = append(n.parts, d.below("env", list, d.some(1, 3, d.variable)...))
	}
	if d.oneIn(3, "command") {
		n.parts = append(n.parts, d.dress(&node{key: "command", form: flow, parts: []*node{{value: "run"}, {value: d.word()}}}))
	}
	return n
}

func (d *drawer) variable(i int) *node {
	return d.dress(&node{form: mapping, parts: []*node{fixed("name", fmt.Sprint("E", i)), d.field("value", d.word())}})
}

func (d *drawer) volume(i int) *node {
	return d.dress(&node{form: mapping, parts: []*node{fixed("name", fmt.Sprint("v", i)), d.dress(&node{key: "nfs", form: flow, isMap: true, parts: []*node{{key: "server", value: d.word()}, {key: "path", value: "/" + d.word()}}})}})
}

func (d *drawer) port(i int) *node {
	return d.dress(&node{form: mapping, parts: []*node{fixed("name", fmt.Sprint("p", i)), fixed("port", fmt.Sprint(80+i)), d.field("nodePort", fmt.Sprint(30000+i))}})
}

func (d *drawer) rule(int) *node {
	return d.dress(&node{form: mapping, parts: []*node{
		{key: "apiGroups", form: flow, parts: []*node{{value: `""`}}},
		d.below("resources", list, d.some(1, 3, d.element)...),
		{key: "verbs", form: flow, parts: []*node{{value: "get"}, {value: d.word()}}},
	}})
}

func (d *drawer) element(i int) *node {
	return d.dress(&node{value: fmt.Sprint(d.word(), i)})
}

// any draws a field of a kind that no schema knows.
func (d *drawer) any(i int) *node {
	key := fmt.Sprint("f", i)
	switch d.oneOf("form", "scalar", "scalar", "map", "list", "named", "flow", "text") {
	case "map":
		return d.below(key, mapping, d.some(1, 3, d.entry)...)
	case "list":
		return d.below(key, list, d.some(1, 5, d.element)...)
	case "named":
		return d.below(key, list, d.some(1, 3, d.variable)...)
	case "flow":
		return d.dress(&node{key: key, form: flow, isMap: true, parts: []*node{{key: "a", value: d.word()}, {key: "b", value: d.word()}}})
	case "text":
		return d.entry(i)
	}
	return d.field(key, d.word())
}

// place is a node in its collection.
type place struct {
	n  *node
	in *[]*node
	at int
}

func (p place) remove() { *p.in = slices.Delete(*p.in, p.at, p.at+1) }

// places are the nodes that a side may edit.
func places(in *[]*node) (out []place) {
	for i, n := range *in {
		if !n.fixed {
			out = append(out, place{n, in, i})
		}
		if n.form != flow {
			out = append(out, places(&n.parts)...)
		}
	}
	return out
}

// edited makes the edits of a side.
func (d *drawer) edited(documents []*node) []*node {
	for range rapid.IntRange(1, d.Edits).Draw(d.T, "edits of "+d.side) {
		all := places(&documents)
		if len(all) == 0 {
			break
		}
		hot := slices.DeleteFunc(slices.Clone(all), func(p place) bool { return !p.n.hot })
		if len(hot) > 0 && rapid.IntRange(0, 3).Draw(d.T, "to a hot one") > 0 {
			all = hot
		}
		d.edit(all[rapid.IntRange(0, len(all)-1).Draw(d.T, "place")])
	}
	if !d.isValues && d.oneIn(12, "new document") {
		name := "new"
		if d.Plain {
			name += "-" + d.side
		}
		documents = append(documents, d.document(name))
	}
	return documents
}

func (d *drawer) edit(p place) {
	n := p.n
	who := d.oneOf("who", d.side, d.side, "both")
	switch d.oneOf("edit", "value", "value", "value", "remove", "add", "add", "above", "above", "behind", "gap", "move", "comment out") {
	case "value":
		d.change(n, who)
	case "remove":
		if isLast := len(*p.in) == 1; !isLast || !n.isDocument() {
			p.remove()
		}
	case "add":
		var added *node
		switch {
		case n.key != "":
			added = d.field("new"+d.oneOf("name", "1", "2", d.side), who)
			if slices.ContainsFunc(*p.in, func(n *node) bool { return n.key == added.key }) {
				return
			}
		case len(n.parts) == 0:
			added = d.dress(&node{value: who + d.word()})
		default:
			return
		}
		*p.in = slices.Insert(*p.in, p.at+rapid.IntRange(0, 1).Draw(d.T, "behind"), added)
	case "above":
		switch {
		case len(n.above) == 0 || d.oneIn(2, "new comment"):
			n.above = append(n.above, "# said by "+who)
		case d.oneIn(2, "changed comment"):
			n.above[0] += " and " + who
		default:
			n.above = nil
		}
	case "behind":
		if n.form == scalar {
			n.behind = d.oneOf("comment", "", "# noted by "+who)
		}
	case "gap":
		n.gap = !n.gap
	case "move":
		if to := rapid.IntRange(0, len(*p.in)-1).Draw(d.T, "to"); n.key == "" && !d.Plain {
			p.remove()
			*p.in = slices.Insert(*p.in, to, n)
		}
	case "comment out":
		if p.at+1 < len(*p.in) && n.form == scalar {
			next := (*p.in)[p.at+1]
			if next.fixed {
				return
			}
			var b strings.Builder
			n.writeValue(&b, "", false)
			next.above = append(append(slices.Clone(n.above), "# "+strings.TrimSuffix(b.String(), "\n")), next.above...)
			p.remove()
		}
	}
}

// change changes the value of a node.
func (d *drawer) change(n *node, who string) {
	switch n.form {
	case scalar:
		n.value = who
		if n.key == "replicas" || n.key == "minReadySeconds" || n.key == "nodePort" {
			n.value = fmt.Sprint(len(who)*10 + int(who[0]))
		}
	case text:
		at := rapid.IntRange(0, len(n.lines)-1).Draw(d.T, "line")
		switch d.oneOf("edit of a line", "change", "remove", "add", "empty") {
		case "change":
			n.lines[at] = "changed by " + who
		case "remove":
			if len(n.lines) > 1 {
				n.lines = slices.Delete(n.lines, at, at+1)
			}
		case "add":
			n.lines = slices.Insert(n.lines, at, "added by "+who)
		case "empty":
			if at > 0 {
				n.lines = slices.Insert(n.lines, at, "")
			}
		}
	case flow:
		at := rapid.IntRange(0, len(n.parts)-1).Draw(d.T, "part")
		n.parts[at].value = who
	}
}

func (n *node) isDocument() bool {
	return n.form == mapping && len(n.parts) > 0 && (n.parts[0].key == "apiVersion" || n.parts[0].key == "first")
}

// copyOf returns a copy of nodes.
func copyOf(nodes []*node) (out []*node) {
	for _, n := range nodes {
		c := *n
		c.above, c.lines, c.parts = slices.Clone(n.above), slices.Clone(n.lines), copyOf(n.parts)
		out = append(out, &c)
	}
	return out
}

// write writes a document.
func (n *node) write(b *strings.Builder) {
	for _, line := range n.above {
		b.WriteString(line + "\n")
	}
	writeParts(b, n, "")
}

func writeParts(b *strings.Builder, n *node, indent string) {
	for _, p := range n.parts {
		if p.gap {
			b.WriteString("\n")
		}
		for _, line := range p.above {
			b.WriteString(indent + line + "\n")
		}
		b.WriteString(indent)
		if n.form == list {
			b.WriteString("- ")
		}
		p.writeValue(b, indent, n.form == list)
	}
}

// writeValue writes a node behind its indentation and its dash.
func (n *node) writeValue(b *strings.Builder, indent string, isElement bool) {
	if n.key != "" {
		b.WriteString(n.key + ":")
		if n.form == scalar || n.form == flow || n.form == text {
			b.WriteString(" ")
		}
	}
	switch n.form {
	case scalar:
		b.WriteString(n.value)
		if n.behind != "" {
			b.WriteString(" " + n.behind)
		}
		b.WriteString("\n")
	case text:
		b.WriteString("|\n")
		for _, line := range n.lines {
			if line != "" {
				line = indent + "  " + line
			}
			b.WriteString(line + "\n")
		}
	case flow:
		var parts []string
		for _, p := range n.parts {
			if n.isMap {
				parts = append(parts, p.key+": "+p.value)
			} else {
				parts = append(parts, p.value)
			}
		}
		open, closed := "[", "]"
		if n.isMap {
			open, closed = "{", "}"
		}
		b.WriteString(open + strings.Join(parts, ", ") + closed + "\n")
	case mapping, list:
		switch {
		case len(n.parts) == 0 && n.form == list:
			b.WriteString(" []\n")
		case len(n.parts) == 0:
			b.WriteString(" {}\n")
		case isElement: // its first field stands behind the dash
			first := *n.parts[0]
			first.writeValue(b, indent+"  ", false)
			rest := *n
			rest.parts = n.parts[1:]
			writeParts(b, &rest, indent+"  ")
		default:
			b.WriteString("\n")
			if n.form == mapping {
				indent += "  "
			}
			writeParts(b, n, indent)
		}
	}
}

// endsInText reports whether the last node is a text, whose last line break is a part of its value.
func endsInText(nodes []*node) bool {
	if len(nodes) == 0 {
		return false
	}
	last := nodes[len(nodes)-1]
	return last.form == text || endsInText(last.parts)
}
