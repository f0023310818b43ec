package gitdriver

import (
	"bytes"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// IsDamaged reports whether a merge of the lines is unreadable although the versions are
// readable, or has duplicates that no version has: a field of a map, a document, or an element of
// one name in a list. This happens if both sides add the same thing in two places.
func (v Versions) IsDamaged(lines []byte) bool {
	got := countRepetitions(lines)
	if got == (repetitions{}) {
		return false
	}
	most := v.maxRepetitions()
	return most.fields < unreadable && (got.fields > most.fields || got.elements > most.elements)
}

// isMixable reports whether every mixture of conflicting lines is readable, and has no duplicates
// that no version has.
func (v Versions) isMixable(lines marker.Pieces) bool {
	most := v.maxRepetitions()
	for _, choose := range marker.Mixtures() {
		if got := countRepetitions(lines.Resolve(choose)); got.fields > most.fields || got.elements > most.elements {
			return false
		}
	}
	return true
}

// maxRepetitions returns the largest repetitions of the versions.
func (v Versions) maxRepetitions() (most repetitions) {
	for _, text := range v.Texts {
		r := countRepetitions(text)
		most = repetitions{max(most.fields, r.fields), max(most.elements, r.elements)}
	}
	return most
}

// repetitions counts duplicate fields of maps and resources, and list elements of equal names.
type repetitions struct{ fields, elements int }

// unreadable is a number of repetitions for invalid YAML, greater than any text can have.
const unreadable = 1 << 30

// countRepetitions counts the duplicates in a text.
func countRepetitions(text []byte) (count repetitions) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	resources := map[identity.ID]bool{}
	for {
		var document yaml.Node
		if err := decode(decoder, &document); errors.Is(err, io.EOF) {
			return count
		} else if err != nil {
			return repetitions{fields: unreadable}
		}
		count.add(&document)
		for _, root := range document.Content {
			id := identity.ReadMeta(root).PlainID()
			if id.Kind == "" || id.Name == "" {
				continue
			}
			if resources[id] {
				count.fields++
			}
			resources[id] = true
		}
	}
}

// decode decodes one document. It turns a panic of the parser into an error.
func decode(decoder *yaml.Decoder, document *yaml.Node) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.New("the parser of YAML failed")
		}
	}()
	return decoder.Decode(document)
}

// add adds the repetitions below a node.
func (r *repetitions) add(n *yaml.Node) {
	fields, elements := map[string]bool{}, map[string]bool{}
	for i, c := range n.Content {
		r.add(c)
		switch {
		case n.Kind == yaml.MappingNode && i%2 == 0 && c.Kind == yaml.ScalarNode && c.Tag != "!!merge":
			if fields[c.Value] {
				r.fields++
			}
			fields[c.Value] = true
		case n.Kind == yaml.SequenceNode && c.Kind == yaml.MappingNode:
			name := yamlnode.Text(yamlnode.Field(c, "name"))
			if name != "" && elements[name] {
				r.elements++
			}
			elements[name] = true
		}
	}
}
