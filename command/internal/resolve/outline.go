package resolve

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// field is a field or element of a document.
type field struct {
	meta identity.Meta
	// path is the field's, and above that of the map or list, of, that has it.
	path, above *merge.Path
	// decided is the path at which a merge decides conflicts about the field: its own, or that above it.
	decided *merge.Path
	value   *yaml.Node
	// staysDeleted means that a rule for upstream does not bring back the field if local deleted it: a map gets upstream's
	// changes alone, and an element stays deleted (rules/conflicts: kinds).
	staysDeleted bool
	// line is the first line, from 1, and depth the number of fields and elements above it.
	line, depth int
}

// outline has the fields and elements of the documents of a text, in the order of their lines.
type outline struct {
	fields []field
	// repeated counts the elements of lists with keys that have no key of their own.
	repeated int
}

// newOutline reads the documents of a text. It has no fields if the text is not YAML.
func newOutline(text []byte, kinds *schema.Schema) (o outline) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document yaml.Node
		if err := yamlnode.Decode(decoder, &document); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return outline{}
		}
		if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
			continue
		}
		root := document.Content[0]
		meta := identity.ReadMeta(root)
		kind := kinds.Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
		if c, err := merge.Compare(root, root, kind); err == nil {
			o.add(c, nil, meta, 0)
		}
	}
	slices.SortStableFunc(o.fields, func(a, b field) int { return a.line - b.line }) // an alias stands elsewhere than its value
	return o
}

// add adds the fields or elements of c, which is an element of a list with some keys, or a field.
func (o *outline) add(c *merge.Comparison, keys []string, meta identity.Meta, depth int) {
	isUnkeyed := slices.ContainsFunc(c.Parts, func(part *merge.Comparison) bool { return part.Unkeyed })
	for _, part := range c.Parts {
		if part.Unkeyed {
			o.repeated++
		}
		f := field{meta: meta, path: part.Path, above: c.Path, decided: part.Path, value: part.To, depth: depth}
		f.staysDeleted = len(part.Parts) > 0 || part.ToKey == nil
		if isUnkeyed || isPartOfImage(c, part) || isPartOfUnion(c.Type, part) || isPartOfKey(keys, part) {
			f.decided = c.Path
		}
		switch {
		case part.To == nil: // the same element, as the other version
			continue
		case part.ToKey != nil:
			f.line = part.ToKey.Line
		default:
			f.line = part.To.Line
		}
		o.fields = append(o.fields, f)
		o.add(part, c.Keys, meta, depth+1)
	}
}

// at returns the topmost fields and elements that begin in some lines, from a number on, and before them the one that the
// lines begin in. If none begins there, they are not exact: then it is the one that the lines belong to, for comments the
// one that begins in the next line with content, for other lines, and comments between the elements of a list, the one before.
// below are the lines that follow.
func (o outline) at(from int, lines, below []byte) (out []field, exact bool) {
	to, content := from+bytes.Count(lines, []byte("\n")), firstContent(lines)
	first := sort.Search(len(o.fields), func(i int) bool { return o.fields[i].line >= from })
	if first > 0 && first < len(o.fields) && content >= 0 && from+content < o.fields[first].line && o.fields[first].line < to {
		out = append(out, o.fields[first-1])
	}
	for i := first; i < len(o.fields) && o.fields[i].line < to; i++ {
		if n := len(out); n == 0 || o.fields[i].depth <= out[n-1].depth || o.fields[i].meta != out[n-1].meta {
			out = append(out, o.fields[i])
		}
	}
	exact = len(out) > 0
	switch {
	case exact:
	case content < 0 && first < len(o.fields) && (first == 0 || isAbove(o.fields[first], to, below)):
		out = o.fields[first : first+1]
	case first > 0:
		out = o.fields[first-1 : first]
	}
	return out, exact
}

// isAbove reports whether comments are those above a field, which is the next one. The line to follows them.
func isAbove(f field, to int, below []byte) bool {
	content := firstContent(below)
	if content < 0 {
		return len(below) == 0 // another conflict follows
	}
	separated := bytes.HasPrefix(below, []byte("---")) || bytes.Contains(below[:lineStart(below, content)], []byte("\n---"))
	return f.line == to+content && !separated
}

// lineStart returns the offset of a line of a text, from 0.
func lineStart(text []byte, line int) (at int) {
	for range line {
		at = stream.NextLine(text, at)
	}
	return at
}

// firstContent returns the index of the first line that is neither blank, nor a comment, nor begins a document, -1 if
// there is none.
func firstContent(lines []byte) (at int) {
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' && !bytes.HasPrefix(line, []byte("---")) {
			return at
		}
		at++
	}
	return -1
}

// index returns the fields by their documents and paths.
func (o outline) index() map[string]field {
	out := make(map[string]field, len(o.fields))
	for _, f := range o.fields {
		if _, found := out[f.name()]; !found {
			out[f.name()] = f
		}
	}
	return out
}

// name names the field among the fields of a file.
func (f field) name() string {
	return strings.Join([]string{f.meta.Kind, f.meta.Namespace, f.meta.Name, f.path.String()}, "\x00")
}

// text returns the field in one line of YAML.
func (f field) text() string {
	value := wording.Flow(f.value)
	if steps := f.path.Steps(); steps[len(steps)-1].Field != "" {
		return steps[len(steps)-1].Field + ": " + value
	}
	return "- " + value
}

// isPartOfImage reports whether a part of a map is one of the fields that are an image together, and a conflict as a
// whole (rules/fields: images).
func isPartOfImage(of, part *merge.Comparison) bool {
	switch lastField(part.Path) {
	case "registry", "repository", "tag", "digest":
		return of.To.Kind == yaml.MappingNode && yamlnode.Field(of.To, "repository") != nil
	case "newName", "newTag":
		return true
	}
	return false
}

// isPartOfUnion reports whether a part of a map is a member or the discriminator of a union (rules/unions: switches).
func isPartOfUnion(of *schema.Type, part *merge.Comparison) bool {
	name := lastField(part.Path)
	return of != nil && part.ToKey != nil && slices.ContainsFunc(of.Unions, func(u schema.Union) bool {
		return u.Discriminator == name || slices.Contains(u.Members, name)
	})
}

// isPartOfKey reports whether a part of an element has a part of its key: another one is a change of the element
// (rules/lists: re-keyed elements).
func isPartOfKey(keys []string, part *merge.Comparison) bool {
	return part.ToKey != nil && slices.ContainsFunc(keys, func(key string) bool {
		name, _, _ := strings.Cut(key, ".")
		return name == part.ToKey.Value
	})
}

// lastField returns the last name of a field in a path.
func lastField(path *merge.Path) string {
	for _, step := range slices.Backward(path.Steps()) {
		if step.Field != "" {
			return step.Field
		}
	}
	return ""
}
