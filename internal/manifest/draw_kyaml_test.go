package manifest

import (
	"bytes"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml/kyaml"
)

// writeKYAML writes m as Kubernetes' encoder of KYAML does.
func (d *drawing) writeKYAML(m *model) *Text {
	m.each(d.withoutDashes)
	w := &writer{drawing: d, tidy: true}
	m.head = ""
	w.entries(m, 0, false)
	text := asKYAML(d, []byte(w.b.String()))
	t, err := Document(text)
	if err != nil || len(t.top.entries) == 0 {
		d.Fatalf("%v\n%s", err, text)
	}
	return t
}

// withoutDashes removes comments that the parser gives to another node than the one below them, and comments that the
// encoder has no place for.
func (d *drawing) withoutDashes(k *model) {
	k.head = strings.ReplaceAll(k.head, "\n\n", "\n")
	if k.kind != yaml.SequenceNode {
		return
	}
	for i, e := range k.kids {
		if len(e.kids) > 0 || i > 0 && len(k.kids[i-1].kids) > 0 || e.tag == "!!null" {
			e.head, e.line = "", ""
		}
	}
}

// hasLooseList reports whether a text has a list whose elements are collections with lines of their own. Such a list
// had an element that is no collection, which was removed.
func hasLooseList(t fataler, text []byte) bool {
	parsed, err := Document(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var look func(p *place) bool
	look = func(p *place) bool {
		return p.lines && p.node.Kind == yaml.SequenceNode && isCuddled(p.node) ||
			slices.ContainsFunc(p.entries, func(e entry) bool { return look(e.value) })
	}
	return look(parsed.top)
}

type fataler interface{ Fatalf(string, ...any) }

// asKYAML returns a text as the encoder of KYAML writes it.
func asKYAML(t fataler, text []byte) []byte {
	var out bytes.Buffer
	if err := (&kyaml.Encoder{}).FromYAML(bytes.NewReader(text), &out); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out.Bytes()
}
