package merge

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// canonical is a text that nodes share if and only if they are the same.
func canonical(n *yaml.Node) string { return canonicalOf(nil, n) }

// canonicalOf is canonical for nodes of a type.
func canonicalOf(typ *schema.Type, n *yaml.Node) string {
	var b strings.Builder
	writeCanonical(&b, typ, n)
	return b.String()
}

func writeCanonical(b *strings.Builder, typ *schema.Type, n *yaml.Node) {
	if tag := n.ShortTag(); n.Kind != yaml.ScalarNode && tag != "!!map" && tag != "!!seq" {
		b.WriteString(escaped(value{kind: taggedValue, text: tag}))
	}
	switch n.Kind {
	case yaml.ScalarNode:
		b.WriteString(escaped(scalarValue(typ, n)))
	case yaml.MappingNode:
		writeCanonicalMap(b, typ, n)
	default:
		b.WriteByte('[')
		for _, c := range n.Content {
			writeCanonical(b, typ.Element(), c)
		}
		b.WriteByte(']')
	}
}

// escaped is a scalar with an end that is nowhere in it.
func escaped(v value) string {
	return strings.ReplaceAll(strings.ReplaceAll(keyPart(v), `\`, `\\`), ",", `\,`) + ","
}

func writeCanonicalMap(b *strings.Builder, typ *schema.Type, n *yaml.Node) {
	var fields []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		fields = append(fields, escaped(valueOf(n.Content[i]))+canonicalOf(typ.Part(n.Content[i].Value), n.Content[i+1]))
	}
	slices.Sort(fields)
	b.WriteByte('{')
	for _, f := range fields {
		b.WriteString(f)
	}
	b.WriteByte('}')
}
