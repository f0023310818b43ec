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

// damaged reports whether git's merge of the lines cannot be read, though the versions can, or
// has something twice that no version has twice: a field of a map, a document, or an element of
// one name in a list. So it is where both sides added the same thing in two places.
func (v Versions) damaged(lines []byte) bool {
	got := repeated(lines)
	if got == (repetitions{}) {
		return false
	}
	most := v.repeated()
	return most.fields < unreadable && (got.fields > most.fields || got.elements > most.elements)
}

// mixes reports whether every mixture of what lines collide can be read, and has nothing
// twice that no version has twice.
func (v Versions) mixes(lines marker.Pieces) bool {
	most := v.repeated()
	for _, choose := range marker.Mixtures() {
		if got := repeated(lines.Resolve(choose)); got.fields > most.fields || got.elements > most.elements {
			return false
		}
	}
	return true
}

// repeated is what the versions have twice at most.
func (v Versions) repeated() (most repetitions) {
	for _, text := range v.Texts {
		r := repeated(text)
		most = repetitions{max(most.fields, r.fields), max(most.elements, r.elements)}
	}
	return most
}

// mayRepeat reports whether both sides added a field of one name, so that the result
// may have it twice. It does not parse anything.
func (v Versions) mayRepeat() bool {
	base := fieldsOf(v.Texts[marker.Base], nil)
	ours := fieldsOf(v.Texts[marker.Ours], base)
	for name, n := range fieldsOf(v.Texts[marker.Theirs], base) {
		if n > 0 && ours[name] > 0 {
			return true
		}
	}
	return false
}

// fieldsOf counts lines by what stands before their colon, less those of another text.
func fieldsOf(text []byte, less map[string]int) map[string]int {
	count := map[string]int{}
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimLeft(line, " -"))
		name, _, found := bytes.Cut(line, []byte(":"))
		if !found || bytes.Equal(name, []byte("name")) {
			name = line
		}
		if len(name) > 0 {
			count[string(name)]++
		}
	}
	for name, n := range less {
		count[name] -= n
	}
	return count
}

// repetitions are what a text has twice: fields of a map and resources, and elements
// of a list that have the same name.
type repetitions struct{ fields, elements int }

// unreadable is more repetitions than a text can have: those of what is no YAML.
const unreadable = 1 << 30

// repeated counts what a text has twice.
func repeated(text []byte) (count repetitions) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	resources := map[identity.ID]bool{}
	for {
		var document yaml.Node
		if err := decode(decoder, &document); errors.Is(err, io.EOF) {
			return count
		} else if err != nil {
			return repetitions{fields: unreadable}
		}
		count.in(&document)
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

// decode decodes one document. A panic of the parser is an error.
func decode(decoder *yaml.Decoder, document *yaml.Node) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = errors.New("the parser of YAML failed")
		}
	}()
	return decoder.Decode(document)
}

// in counts what is below a node.
func (r *repetitions) in(n *yaml.Node) {
	fields, elements := map[string]bool{}, map[string]bool{}
	for i, c := range n.Content {
		r.in(c)
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
