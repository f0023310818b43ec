package values

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// splitInto is a field of an image in a map, and the text that it gets from the user's image in one line.
type splitInto struct {
	field, text string
}

// classReshaped corrects the finding of a line whose place is a map in one version of the chart and a value in the other: an
// image in one line is split, all others are named (rules/values: values and maps).
func (c *comparison) classReshaped(f *Finding) {
	if f.Value == nil || f.Class == Redundant || f.Class == Renamed {
		return
	}
	c.classBelow(f)
	if f.Class != MovedBeneath && f.Class != Dead {
		return
	}
	if now, is := f.NewDefault.(tree); is {
		f.line.split = splitImage(f.Value, f.OldDefault, now)
		f.Note = "the new chart has a map there, which the value replaces; move it to a field of the map"
		if f.line.split != nil && !f.Secret && !f.line.isAnchored {
			f.Class, f.NewPath, f.Note = Renamed, append(slices.Clone(f.Path), "repository"), ""
			f.NewDefault = now["repository"]
			for _, s := range f.line.split {
				if s.field != "repository" {
					f.Note = strings.TrimPrefix(f.Note+fmt.Sprintf("; its %s goes to %s", s.field, PathText(append(slices.Clone(f.Path), s.field))), "; ")
				}
			}
		}
		return
	}
}

// classBelow notes that the new chart has a list or one value in place of a map that a line is in, or other elements in place of those of a
// list: maps in place of texts, or texts in place of maps. Templates that read it fail.
func (c *comparison) classBelow(f *Finding) {
	for depth := 1; depth < len(f.Path) && len(f.Candidates) == 0; depth++ {
		now, found := lookup(c.now.values, f.Path[:depth])
		old, had := lookup(c.old.values, f.Path[:depth])
		if !found || now == nil || isMap(now) || had && old != nil && !isMap(old) {
			continue
		}
		f.Reshaped = true
		f.Note = fmt.Sprintf("the new chart has one value at %s, which the map replaces; write one value", PathText(f.Path[:depth]))
		if _, isList := now.([]any); isList {
			f.Note = fmt.Sprintf("the new chart has a list at %s, which the map replaces; write a list", PathText(f.Path[:depth]))
		}
		return
	}
	mine, old, now := elementKinds(f.Value), elementKinds(f.OldDefault), elementKinds(f.NewDefault)
	for _, at := range slices.Sorted(maps.Keys(mine)) {
		if now[at] == "" || mine[at] == "" || mine[at] == now[at] || old[at] == now[at] {
			continue
		}
		list := "the list"
		if at != "" {
			list = "the lists " + at[1:] + " in it"
		}
		f.Reshaped, f.Note = true, "the elements of "+list+" are maps in the new chart; write maps"
		if now[at] != "maps" {
			f.Note = "the elements of " + list + " are no maps in the new chart; write single values"
		}
		return
	}
}

// elementKinds returns the kinds of the elements of a list and of the lists in its elements, by their paths in them: "" is the list's own.
func elementKinds(list any) map[string]string {
	elements := map[string][]any{}
	var walk func(value any, at string)
	walk = func(value any, at string) {
		switch value := value.(type) {
		case []any:
			elements[at] = append(elements[at], value...)
			for _, e := range value {
				if m, is := e.(tree); is {
					walk(m, at)
				}
			}
		case tree:
			for name, below := range value {
				walk(below, at+"."+name)
			}
		}
	}
	if _, is := list.([]any); is {
		walk(list, "")
	}
	kinds := map[string]string{}
	for at, all := range elements {
		kinds[at] = elementsOf(all)
	}
	return kinds
}

// elementsOf returns whether the elements of a list are "maps" or "values", "" if it has none or both.
func elementsOf(elements []any) (kind string) {
	for _, e := range elements {
		is := "values"
		if isMap(e) {
			is = "maps"
		}
		if kind != "" && kind != is {
			return ""
		}
		kind = is
	}
	return kind
}

// splitAt returns the fields of a user's value at a path, if it is an image in one line where the new chart has a map.
func (c *comparison) splitAt(path []string, value any) []splitInto {
	old, _ := lookup(c.old.values, path)
	now, _ := lookup(c.now.values, path)
	if m, is := now.(tree); is {
		return splitImage(value, old, m)
	}
	return nil
}

// leavesRoom reports whether a user's value at the beginning of a path is an image that becomes a map without the path's
// field: another line may move there.
func (c *comparison) leavesRoom(path []string, depth int, value any) bool {
	split := c.splitAt(path[:depth], value)
	isFixed := slices.ContainsFunc(c.lines, func(l *line) bool { return (l.fixed || l.isAnchored) && slices.Equal(l.path, path[:depth]) })
	return split != nil && !isFixed && !slices.ContainsFunc(split, func(s splitInto) bool { return s.field == path[depth] })
}

// tagBeside returns the tag in the map of an image for a field that had it beside the image: imageTag beside image, or
// tag; nil for another field.
func (c *comparison) tagBeside(gone []string) []string {
	last := len(gone) - 1
	name, is := strings.CutSuffix(gone[last], "Tag")
	if gone[last] == "tag" {
		name, is = "image", true
	}
	image := append(slices.Clone(gone[:last]), name)
	old, _ := lookup(c.old.values, image)
	now, _ := lookup(c.now.values, image)
	m, _ := now.(tree)
	if _, tag := imageParts(old); !is || tag != "" || !isImageOf(old, m) {
		return nil
	}
	return append(image, "tag")
}

// isImageOf reports whether a map is that of an image in one line: it has a tag, and its repository ends in the same name.
func isImageOf(old any, now tree) bool {
	was, _ := imageParts(old)
	repository, _ := now["repository"].(string)
	tag, hasTag := now["tag"]
	return was != "" && repository != "" && hasTag && !isMap(tag) && path.Base(was) == path.Base(repository)
}

// splitImage returns the fields of an image in one line, nil if it is not clear that the map is the same image: the old
// default must be in one line, with a tag if the value has one.
func splitImage(value, old any, now tree) []splitInto {
	_, wasTag := imageParts(old)
	name, tag := imageParts(value)
	if name == "" || strings.ContainsAny(name, "@{ ") || (tag == "") != (wasTag == "") || !isImageOf(old, now) {
		return nil
	}
	out := []splitInto{{"repository", name}, {"tag", tag}}
	if registry, _ := now["registry"].(string); registry != "" {
		host, rest, _ := strings.Cut(name, "/")
		if rest == "" || !strings.ContainsAny(host, ".:") {
			return nil
		}
		out = []splitInto{{"registry", host}, {"repository", rest}, {"tag", tag}}
	}
	if tag == "" {
		out = out[:len(out)-1]
	}
	return out
}

// imageParts returns the name and the tag of an image in one line, with an empty tag if it has none, or a digest.
func imageParts(value any) (name, tag string) {
	text, _ := value.(string)
	at := strings.LastIndexByte(text, ':')
	if at <= strings.LastIndexByte(text, '/') || strings.ContainsAny(text, "@{ ") {
		return text, ""
	}
	return text[:at], text[at+1:]
}

// partAt returns the part of a field, which must be there.
func partAt(p *parts.Part, path []string) *parts.Part {
	for _, name := range path {
		p = &p.Parts[slices.IndexFunc(p.Parts, func(field parts.Part) bool { return field.Key.Value == name })]
	}
	return p
}

// split has a line of an image moved into the fields of a map. The comments stay with the first.
func (e *edit) split(l *line) {
	e.removed[joined(l.path)] = true
	_, was := nodeAt(e.user.text.Root(), l.path)
	for i, s := range l.split {
		to := append(slices.Clone(l.path), s.field)
		value := &yamlnodes.Node{Kind: yamlnodes.ScalarNode, Tag: "!!str", Value: s.text}
		if s.field == "tag" {
			value.Style = yamlnodes.DoubleQuotedStyle
		}
		if i == 0 {
			value.LineComment = was.LineComment
		}
		e.texts[joined(to)] = value
		e.moved = append(e.moved, rename{l.path, to})
	}
}
