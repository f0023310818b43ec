package merge

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Pattern is a path as the function config gives it: what Path.String writes,
// and [*] for every element of a list.
type Pattern []step

// step is one step of a pattern: a field, or an element by parts of its key, or
// any element.
type step struct {
	field string
	any   bool
	keys  []keyText
}

// keyText is a part of a key as a path writes it: strings quoted.
type keyText struct{ name, text string }

// ParsePattern reads a pattern. What it cannot read is an error that says where.
func ParsePattern(text string) (Pattern, error) {
	var p Pattern
	rest := text
	for rest != "" {
		s, after, err := parseStep(rest, len(p) == 0)
		if err != nil {
			return nil, fmt.Errorf("path %q: %w at character %d, want field names joined by dots, [\"odd name\"], [*] or [key=\"value\"]",
				text, err, len(text)-len(rest)+1)
		}
		p = append(p, s)
		rest = after
	}
	if len(p) == 0 {
		return nil, fmt.Errorf("path %q is empty, want field names joined by dots", text)
	}
	return p, nil
}

func parseStep(text string, first bool) (s step, rest string, err error) {
	if text[0] == '[' {
		return parseBrackets(text[1:])
	}
	if !first {
		if text[0] != '.' {
			return s, "", fmt.Errorf("unexpected %q", text[:1])
		}
		text = text[1:]
	}
	end := strings.IndexFunc(text, func(r rune) bool { return !isBareName(string(r)) })
	if end < 0 {
		end = len(text)
	}
	if end == 0 {
		return s, "", fmt.Errorf("no field name")
	}
	return step{field: text[:end]}, text[end:], nil
}

// parseBrackets reads what follows an opening bracket.
func parseBrackets(text string) (s step, rest string, err error) {
	if rest, found := strings.CutPrefix(text, "*]"); found {
		return step{any: true}, rest, nil
	}
	if strings.HasPrefix(text, `"`) {
		name, rest, err := parseQuoted(text)
		if err == nil && !strings.HasPrefix(rest, "]") {
			err = fmt.Errorf("no closing bracket")
		}
		return step{field: name}, strings.TrimPrefix(rest, "]"), err
	}
	for {
		var k keyText
		if k, text, err = parseKey(text); err != nil {
			return s, "", err
		}
		s.keys = append(s.keys, k)
		if rest, found := strings.CutPrefix(text, "]"); found {
			return s, rest, nil
		}
		if text, err = cutComma(text); err != nil {
			return s, "", err
		}
	}
}

func cutComma(text string) (string, error) {
	rest, found := strings.CutPrefix(text, ",")
	if !found {
		return "", fmt.Errorf("no closing bracket")
	}
	return rest, nil
}

// parseKey reads name=value; the name of an element of a set is empty.
func parseKey(text string) (k keyText, rest string, err error) {
	name, value, found := strings.Cut(text, "=")
	if !found || strings.ContainsAny(name, `[]",`) {
		return k, "", fmt.Errorf("no key=value")
	}
	if !strings.HasPrefix(value, `"`) {
		end := strings.IndexAny(value, ",]")
		if end <= 0 {
			return k, "", fmt.Errorf("no value")
		}
		return keyText{name, value[:end]}, value[end:], nil
	}
	decoded, rest, err := parseQuoted(value)
	return keyText{name, strconv.Quote(decoded)}, rest, err
}

func parseQuoted(text string) (decoded, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", fmt.Errorf("no closing quote")
	}
	decoded, err = strconv.Unquote(quoted)
	return decoded, text[len(quoted):], err
}

// Covers reports whether the pattern leads to path or to something that holds it.
func (p Pattern) Covers(path *Path) bool {
	var steps []*Path
	for at := path; at != nil; at = at.parent {
		steps = append(steps, at)
	}
	if len(p) > len(steps) {
		return false
	}
	for i, s := range p {
		if !s.matches(steps[len(steps)-1-i]) {
			return false
		}
	}
	return true
}

func (s step) matches(at *Path) bool {
	if at.keys == nil {
		return !s.any && s.keys == nil && s.field == at.field
	}
	if s.any {
		return true
	}
	for _, k := range s.keys {
		if !hasKey(at.keys, k) {
			return false
		}
	}
	return s.keys != nil
}

func hasKey(keys []KeyValue, want keyText) bool {
	for _, k := range keys {
		if k.Name == want.name && k.Value != nil && nodeText(k.Value) == want.text {
			return true
		}
	}
	return false
}

// Steps is the pattern as a rule of the schema takes it: fields, and any
// element. An element by its key is an error.
func (p Pattern) Steps() ([]string, error) {
	var out []string
	for _, s := range p {
		switch {
		case s.any:
			out = append(out, schema.AnyElement)
		case s.keys != nil:
			return nil, fmt.Errorf("an element by its key does not lead to a list of every resource, want [*]")
		default:
			out = append(out, s.field)
		}
	}
	return out, nil
}

// Reaches reports whether a resource has something at a path of the pattern.
// Lists are searched whatever their keys are; a part of a key that an element
// lacks may have a default, so another part of it decides.
func (p Pattern) Reaches(n *yaml.Node) bool {
	return reaching{p, map[reached]bool{}}.below(n, 0)
}

// reaching follows a pattern; it comes by a node that has aliases once for each
// step.
type reaching struct {
	pattern Pattern
	seen    map[reached]bool
}

type reached struct {
	node *yaml.Node
	step int
}

func (r reaching) below(n *yaml.Node, at int) bool {
	if n == nil || r.seen[reached{n, at}] {
		return false
	}
	r.seen[reached{n, at}] = true
	switch {
	case n.Kind == yaml.AliasNode:
		return r.below(n.Alias, at)
	case at == len(r.pattern):
		return true
	case n.Kind == yaml.MappingNode:
		return r.field(n, at)
	case n.Kind == yaml.SequenceNode:
		return slices.ContainsFunc(n.Content, func(c *yaml.Node) bool {
			return r.pattern[at].isOf(yamlnode.Resolve(c)) && r.below(c, at+1)
		})
	}
	return false
}

func (r reaching) field(n *yaml.Node, at int) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if key.Tag == "!!merge" && r.below(v, at) || r.pattern[at].isField(key.Value) && r.below(v, at+1) {
			return true
		}
	}
	return false
}

func (s step) isField(name string) bool { return !s.any && s.keys == nil && s.field == name }

// isOf reports whether the step leads to an element of a list.
func (s step) isOf(element *yaml.Node) bool {
	found := s.any
	for _, k := range s.keys {
		part := element
		if k.name != "" {
			part = yamlnode.Lookup(element, strings.Split(k.name, ".")...)
		}
		if part != nil && (part.Kind != yaml.ScalarNode || nodeText(part) != k.text) {
			return false
		}
		found = found || part != nil
	}
	return found
}
