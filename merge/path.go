package merge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Path leads to a field or element of a resource: it has the last step, and the path above it. The nil path is
// the resource.
type Path struct {
	parent *Path
	field  string
	keys   []KeyValue // of an element; nil for a field
	// others are the keys under which some sides have the element, if they gave it another one.
	others [][]KeyValue
}

// KeyValue is one part of an element's key. The name is "" for an element of a set, which is its own key. The
// value is nil if the element lacks the part.
type KeyValue struct {
	Name  string
	Value *yaml.Node
}

// Field returns the path of a field below p.
func (p *Path) Field(name string) *Path { return &Path{parent: p, field: name} }

// With returns the path of steps below p; nil is the resource itself.
func (p *Path) With(steps ...Step) *Path {
	for _, step := range steps {
		if step.Keys == nil {
			p = p.Field(step.Field)
		} else {
			p = p.Element(step.Keys)
		}
	}
	return p
}

// Parent returns the path above p, nil for the resource's.
func (p *Path) Parent() *Path {
	if p == nil {
		return nil
	}
	return p.parent
}

// Element returns the path of a list element below p. The keys have the order of the text of the path: by name, for
// resources with the kind first.
func (p *Path) Element(keys []KeyValue) *Path { return &Path{parent: p, keys: keys} }

// knownAs returns the path of an element that has some other keys, too: a side gave it another key.
func (p *Path) knownAs(others [][]KeyValue) *Path {
	known := *p
	known.others = others
	return &known
}

// Copy returns a path without the memory of p, in which value copies the values of the keys.
func (p *Path) Copy(value func(*yaml.Node) *yaml.Node) *Path {
	if p == nil {
		return nil
	}
	out := &Path{parent: p.parent.Copy(value), field: strings.Clone(p.field), keys: copyKeys(p.keys, value)}
	for _, keys := range p.others {
		out.others = append(out.others, copyKeys(keys, value))
	}
	return out
}

func copyKeys(keys []KeyValue, value func(*yaml.Node) *yaml.Node) []KeyValue {
	keys = slices.Clone(keys)
	for i, k := range keys {
		keys[i].Value = value(k.Value)
	}
	return keys
}

// String formats the path as structured-merge-diff does (rules/conflicts: paths), with unusual names quoted:
// spec.ports[port=80,protocol="TCP"], metadata.annotations["a.b/c"].
func (p *Path) String() string {
	var b strings.Builder
	p.write(&b)
	return b.String()
}

func (p *Path) write(b *strings.Builder) {
	if p == nil {
		return
	}
	p.parent.write(b)
	switch {
	case p.keys != nil:
		writeKeys(b, p.keys)
	case !isBareName(p.field):
		b.WriteString("[" + strconv.Quote(p.field) + "]")
	default:
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p.field)
	}
}

func writeKeys(b *strings.Builder, keys []KeyValue) {
	b.WriteByte('[')
	separator := ""
	for _, k := range keys {
		if k.Value != nil {
			b.WriteString(separator + k.Name + "=" + nodeText(k.Value))
			separator = ","
		}
	}
	b.WriteByte(']')
}

// nodeText returns the text of a scalar in a path, with strings quoted.
func nodeText(n *yaml.Node) string {
	if v := valueOf(n); v.kind != stringValue {
		return v.text
	}
	return strconv.Quote(n.Value)
}

// isBareName reports whether a field name needs no quotes in a path.
func isBareName(name string) bool { return isToken(name, "-_") }

// Step is one step of a path: a field, or an element with the parts of its key.
type Step struct {
	Field string
	Keys  []KeyValue
}

// Steps returns the steps of the path, from the resource down.
func (p *Path) Steps() []Step {
	if p == nil {
		return nil
	}
	return append(p.parent.Steps(), Step{Field: p.field, Keys: p.keys})
}

// Pattern is a path in a config: in the form of Path.String, with [*] for any element of a list.
type Pattern []step

// step is one step of a pattern: a field, an element with parts of its key, or any element.
type step struct {
	field string
	any   bool
	keys  []keyText
}

// keyText is a part of a key as a path shows it, with strings quoted.
type keyText struct{ name, text string }

// ParsePattern parses a pattern. The error names the character where it is wrong.
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
	rest = strings.TrimLeftFunc(text, func(r rune) bool { return isBareName(string(r)) })
	if rest == text {
		return s, "", errors.New("no field name")
	}
	return step{field: strings.TrimSuffix(text, rest)}, rest, nil
}

// parseBrackets parses the text after an opening bracket.
func parseBrackets(text string) (s step, rest string, err error) {
	if rest, found := strings.CutPrefix(text, "*]"); found {
		return step{any: true}, rest, nil
	}
	if strings.HasPrefix(text, `"`) {
		name, rest, err := parseQuoted(text)
		if err == nil && !strings.HasPrefix(rest, "]") {
			err = errors.New("no closing bracket")
		}
		return step{field: name}, strings.TrimPrefix(rest, "]"), err
	}
	for {
		var k keyText
		if k, text, err = parseKey(text); err != nil {
			return s, "", err
		}
		s.keys = append(s.keys, k)
		switch {
		case strings.HasPrefix(text, "]"):
			return s, text[1:], nil
		case !strings.HasPrefix(text, ","):
			return s, "", errors.New("no closing bracket")
		}
		text = text[1:]
	}
}

// parseKey parses name=value; the name is empty for an element of a set.
func parseKey(text string) (k keyText, rest string, err error) {
	name, value, found := strings.Cut(text, "=")
	if !found || strings.ContainsAny(name, `[]",`) {
		return k, "", errors.New("no key=value")
	}
	if !strings.HasPrefix(value, `"`) {
		end := strings.IndexAny(value, ",]")
		if end <= 0 {
			return k, "", errors.New("no value")
		}
		return keyText{name, value[:end]}, value[end:], nil
	}
	decoded, rest, err := parseQuoted(value)
	return keyText{name, strconv.Quote(decoded)}, rest, err
}

func parseQuoted(text string) (decoded, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", errors.New("no closing quote")
	}
	decoded, err = strconv.Unquote(quoted)
	return decoded, text[len(quoted):], err
}

// Covers reports whether the pattern matches the path or a path above it. An element matches by the key that any side
// gave it (rules/conflicts: rules).
func (p Pattern) Covers(path *Path) bool {
	for below := path.length() - len(p); below > 0; below-- {
		path = path.parent
	}
	if path.length() != len(p) {
		return false
	}
	for i := len(p) - 1; i >= 0; i-- {
		if !p[i].matches(path) {
			return false
		}
		path = path.parent
	}
	return true
}

// length returns the number of the steps of the path.
func (p *Path) length() (n int) {
	for ; p != nil; p = p.parent {
		n++
	}
	return n
}

// matches reports whether the step is the last one of a path.
func (s step) matches(at *Path) bool {
	switch {
	case at.keys == nil:
		return s.isField(at.field)
	case s.any:
		return true
	}
	return s.hasKey(at.keys) || slices.ContainsFunc(at.others, s.hasKey)
}

// hasKey reports whether the parts of the step are parts of a key.
func (s step) hasKey(keys []KeyValue) bool {
	missing := func(want keyText) bool {
		return !slices.ContainsFunc(keys, func(k KeyValue) bool { return k.Name == want.name && k.Value != nil && nodeText(k.Value) == want.text })
	}
	return s.keys != nil && !slices.ContainsFunc(s.keys, missing)
}

// Steps returns the steps for a rule of a schema: names of fields, and schema.AnyElement. A step to one element
// is an error.
func (p Pattern) Steps() ([]string, error) {
	var out []string
	for _, s := range p {
		switch {
		case s.any:
			out = append(out, schema.AnyElement)
		case s.keys != nil:
			return nil, fmt.Errorf("an element selected by its key is not in every resource; write [*] for all elements")
		default:
			out = append(out, s.field)
		}
	}
	return out, nil
}

// Reaches reports whether the pattern leads to anything in a resource. It looks into lists whatever their keys are. An
// element matches a key if the parts of the key that it has are the same: a part that it lacks may have a default.
func (p Pattern) Reaches(n *yaml.Node) bool {
	return reaching{p, map[reached]bool{}}.below(n, 0)
}

// reaching follows a pattern, to each node once for each step: a node may have many aliases.
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
	for key, v := range yamlnode.Pairs(n) {
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
