package gitdriver

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// IsDamaged reports whether a merge of the lines is unreadable although the versions are
// readable, or has duplicates that no version has: a field of a map, a document, an element of one name in a list, or
// an equal map in a list. This happens if both sides add the same thing in two places.
func (v Versions) IsDamaged(lines []byte) bool {
	got := countRepetitions(lines)
	if got == (repetitions{}) {
		return false
	}
	most := v.maxRepetitions()
	return most.fields < unreadable && (got.fields > most.fields || got.elements > most.elements)
}

// repeats reports whether merged fields have something twice outside of their conflicts, whichever side these take. Beside a
// conflict they are parsed only if they have a line more often than each version.
func (v Versions) repeats(merged marker.Pieces) bool {
	mixtures := marker.Mixtures()
	ours := merged.Resolve(mixtures[0])
	if !merged.Conflict() {
		return v.IsDamaged(ours)
	}
	return v.hasMoreLines(ours) && v.IsDamaged(ours) && v.IsDamaged(merged.Resolve(mixtures[1]))
}

// addsTwice reports whether merged lines have a line or element more often than each side because both sides added it,
// whichever side their conflicts take (rules/laws: added once).
func (v Versions) addsTwice(merged marker.Pieces) bool {
	seed := maphash.MakeSeed()
	count := func(text []byte) map[uint64]int { return countPaths(text, seed, nil).lines }
	base, ours, theirs := count(v.Texts[marker.Base]), count(v.Texts[marker.Ours]), count(v.Texts[marker.Theirs])
	mixtures := marker.Mixtures()
	for _, choose := range mixtures[:2] { // ours of all, and theirs
		for path, n := range count(merged.Resolve(choose)) {
			if u, l := theirs[path], ours[path]; base[path] == 0 && u > 0 && l > 0 && n > max(u, l) {
				return true
			}
		}
	}
	return false
}

// hasMoreLines reports whether a text has a line more often than each version, wherever it is.
func (v Versions) hasMoreLines(text []byte) bool {
	ids, counts := map[string]int{}, [][4]int{{}} // by version, and last in the text; first of empty lines
	for line := range bytes.Lines(text) {
		content := lineContent(line)
		if _, found := ids[string(content)]; !found && len(content) > 0 {
			ids[string(content)], counts = len(counts), append(counts, [4]int{})
		}
		counts[ids[string(content)]][3]++
	}
	for side, version := range v.Texts {
		for line := range bytes.Lines(version) {
			counts[ids[string(lineContent(line))]][side]++
		}
	}
	return slices.ContainsFunc(counts[1:], func(n [4]int) bool { return n[3] > max(n[0], n[1], n[2]) })
}

// lineContent returns a line without its indentation, dash and comma, which depend on the place of a field in an element.
func lineContent(line []byte) []byte { return bytes.Trim(line, " ,-\r\n") }

// isPlain reports whether a text is known to be valid YAML without duplicate fields, without the YAML parser.
func isPlain(text []byte) bool {
	return !slices.ContainsFunc(stream.Read(text).Documents, func(d stream.Document) bool {
		return !d.IsEmpty() && manifest.SkimDocument(d.Text) == nil
	})
}

// isMixable reports whether every mixture of conflicting lines is readable, and has no duplicates that no version has.
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

// repetitions counts duplicate fields of maps and resources, and list elements of equal names, or of equal content without
// a name.
type repetitions struct{ fields, elements int }

// unreadable is a number of repetitions for invalid YAML, greater than any text can have.
const unreadable = 1 << 30

// countRepetitions counts the duplicates in a text.
func countRepetitions(text []byte) (count repetitions) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	resources := map[identity.ID]bool{}
	for {
		var document yaml.Node
		if err := yamlnode.Decode(decoder, &document); errors.Is(err, io.EOF) {
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
			if name == "" && len(c.Content) > 2 {
				name = contentOf(c)
			}
			if name != "" && elements[name] {
				r.elements++
			}
			elements[name] = true
		}
	}
}

// contentOf returns a text that only equal values have, except for the order of their fields.
func contentOf(n *yaml.Node) string {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return n.Tag + "\x00" + n.Value
	}
	var parts []string
	for i := 0; i < len(n.Content); i++ {
		part := contentOf(n.Content[i])
		if n.Kind == yaml.MappingNode {
			i++
			part += "\x01" + contentOf(n.Content[i])
		}
		parts = append(parts, part)
	}
	if n.Kind == yaml.MappingNode {
		slices.Sort(parts)
	}
	return n.Tag + "\x02" + strings.Join(parts, "\x03") + "\x04"
}
