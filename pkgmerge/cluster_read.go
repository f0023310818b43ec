package pkgmerge

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/lastapplied"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// readLastApplied makes upstream of config what kubectl would compare: without comments
// and without what only the server sets, with the annotation last-applied. It makes
// origin of that annotation of the live object (rules/apply: fields of the server;
// rules/apply: the annotation last-applied).
func (c *cluster) readLastApplied(m *Match) error {
	if !m.Has(identity.Upstream) {
		return nil
	}
	config, err := c.configOf(m)
	if err != nil {
		return err
	}
	text, err := lastapplied.Write(config)
	if err != nil {
		return fmt.Errorf("%s: %w", m.Versions[identity.Upstream], err)
	}
	last, err := m.lastApplied(identity.Local)
	if err != nil {
		return err
	}
	m.stale = preconditions(config, m.trees[identity.Local], false)
	upstream := c.compared(m, config)
	if last != nil {
		last = c.compared(m, last)
		if was, is := apiVersionOf(last), apiVersionOf(upstream); was != "" && was != is {
			m.warn(fmt.Sprintf("last applied as %s, and config is %s: the fields of both are compared by their names", was, is))
		}
		m.foldSecrets(&last, upstream)
	}
	upstream = folded(upstream, nil)
	upstream = annotated(upstream, lastapplied.Annotation, literal(text))
	if l := m.trees[identity.Local]; last != nil {
		last = annotated(last, lastapplied.Annotation, yamlnode.String(yamlnode.Annotation(l, lastapplied.Annotation)))
	} else if l != nil {
		m.warn("the live object has no annotation " + lastapplied.Annotation + ": nothing counts as removed from config")
	}
	m.trees[identity.Origin], m.trees[identity.Upstream] = last, upstream
	return nil
}

// lastApplied is the config that the live object on a side was given last, nil if it does
// not say, and where there is no live object.
func (m *Match) lastApplied(side identity.Side) (*yaml.Node, error) {
	l := m.trees[side]
	if l == nil {
		return nil, nil
	}
	last, err := lastapplied.Read(yamlnode.Annotation(l, lastapplied.Annotation))
	if err != nil {
		return nil, fmt.Errorf("%s: annotation %s: %w", m.Versions[side], lastapplied.Annotation, err)
	}
	return last, nil
}

// readOwned makes upstream of config what a server would compare: without comments and
// without what only the server sets (rules/apply: fields of the server). There is no
// origin: managedFields of the live object say what was applied
// (rules/server-side-apply: owned fields).
func (c *cluster) readOwned(m *Match) error {
	if !m.Has(identity.Upstream) {
		return nil
	}
	config, err := c.configOf(m)
	if err != nil {
		return err
	}
	m.stale = preconditions(config, m.trees[identity.Local], true)
	claimed := yamlnode.Lookup(config, "metadata", "managedFields")
	upstream := c.compared(m, config)
	if claimed != nil { // is refused
		upstream = yamlnode.Put(upstream, nil, "metadata", yamlnode.Put(mappingOf(yamlnode.Field(upstream, "metadata")), nil, "managedFields", claimed))
	}
	m.trees[identity.Upstream] = upstream
	return nil
}

// configOf is the config as kubectl reads it: in the namespace where it goes, without
// comments, and with the plain words of YAML 1.1 as booleans.
func (c *cluster) configOf(m *Match) (*yaml.Node, error) {
	r := m.Versions[identity.Upstream]
	n, err := merge.Expanded(m.trees[identity.Upstream])
	if fault := (*merge.Fault)(nil); asFault(err, &fault) {
		return nil, faulty(r, fault)
	}
	reading := asKubectl{}
	n = reading.tree(n)
	for _, word := range reading.words {
		m.warn(fmt.Sprintf("config has the plain word %s, which kubectl reads as a boolean; quote it if it is text", word))
	}
	metadata := yamlnode.Field(n, "metadata")
	if m.ID.Namespace != "" && yamlnode.Text(yamlnode.Field(metadata, "namespace")) == "" {
		n = yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "namespace", yamlnode.String(m.ID.Namespace)))
	}
	return m.mutated(m.owned(n)), nil
}

// serverFields are the fields of metadata that the server alone sets: they are never
// compared, and never a change (rules/apply: fields of the server).
func serverFields(name string) bool {
	switch name {
	case "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds":
		return true
	}
	return false
}

// compared is config without what is never compared.
func (c *cluster) compared(m *Match, n *yaml.Node) *yaml.Node {
	apiVersion := apiVersionOf(n)
	if c.schema.HasStatus(identity.Group(apiVersion), identity.Version(apiVersion), m.ID.Kind) {
		n = yamlnode.Without(n, func(name string) bool { return name == "status" })
	}
	metadata := yamlnode.Field(n, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool {
		return serverFields(name) || name == "namespace" && m.ID.Namespace == ""
	}))
}

// appliedElements are the elements of a list that was applied last, by what they say of keys.
type appliedElements struct {
	elements []*yaml.Node
	keys     map[string]saidKeys // by the names of the key, joined
}

// saidKeys are the elements of a list by the parts of a key that they have.
type saidKeys struct {
	// said are the sets of names that elements have, and by the indices of the elements
	// by the parts that they have.
	said [][]bool
	by   map[string][]int
}

func newAppliedElements(elements []*yaml.Node) appliedElements {
	return appliedElements{elements: elements, keys: map[string]saidKeys{}}
}

// find is the first element that became an element of the live list: it has the parts of
// its key that are no defaults; of a set, which has no names, its value. nil if there is none.
func (a appliedElements) find(live *yaml.Node, names []string) *yaml.Node {
	name := strings.Join(names, ",")
	known, done := a.keys[name]
	if !done {
		known = a.index(names)
		a.keys[name] = known
	}
	first := -1
	for _, said := range known.said {
		for _, i := range known.by[partsOf(live, names, said)] {
			if (first < 0 || i < first) && becomes(a.elements[i], live, names, said) {
				first = i
				break
			}
		}
	}
	if first < 0 {
		return nil
	}
	return a.elements[first]
}

func (a appliedElements) index(names []string) saidKeys {
	out := saidKeys{by: map[string][]int{}}
	for i, e := range a.elements {
		said := make([]bool, len(names))
		for at, name := range names {
			said[at] = yamlnode.Field(e, name) != nil
		}
		if names != nil && !slices.Contains(said, true) {
			continue
		}
		if !slices.ContainsFunc(out.said, func(other []bool) bool { return slices.Equal(other, said) }) {
			out.said = append(out.said, said)
		}
		text := partsOf(e, names, said)
		out.by[text] = append(out.by[text], i)
	}
	return out
}

// partsOf is a text of the parts of a key that are said; of the element of a set, of its value.
func partsOf(e *yaml.Node, names []string, said []bool) string {
	if names == nil {
		return managed.JSON(e)
	}
	var b strings.Builder
	for at, name := range names {
		if v := yamlnode.Field(e, name); said[at] && v != nil {
			b.WriteString(managed.JSON(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// becomes reports whether an element is the same as the live one in the parts that are said.
func becomes(e, live *yaml.Node, names []string, said []bool) bool {
	if names == nil {
		return merge.Same(e, live)
	}
	for at, name := range names {
		if said[at] && !merge.Same(yamlnode.Field(e, name), yamlnode.Field(live, name)) {
			return false
		}
	}
	return true
}

// asKubectl reads YAML as kubectl does, which knows version 1.1: a plain yes, no, on, off,
// y or n is a boolean (rules/apply: config). Comments go, and collections are in block
// style.
type asKubectl struct {
	words []string
}

// tree is a copy of a tree without aliases.
func (k *asKubectl) tree(n *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = "", "", ""
	out.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode {
		k.scalar(&out)
		return &out
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = k.tree(c)
		if key := out.Content[i]; n.Kind == yaml.MappingNode && i%2 == 0 && key.ShortTag() != "!!str" { // JSON has text for keys
			key.Tag, key.Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	return &out
}

// scalar makes of a scalar what kubectl has of it: a plain word is a boolean, an integer is
// decimal, and a timestamp is text.
func (k *asKubectl) scalar(n *yaml.Node) {
	if value, is := boolean(n); is {
		k.words = append(k.words, n.Value)
		n.Tag, n.Value, n.Style = "!!bool", value, 0
	}
	switch n.ShortTag() {
	case "!!timestamp":
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case "!!int":
		var number int64
		if n.Decode(&number) == nil {
			n.Value = strconv.FormatInt(number, 10)
		}
	}
}

// boolean is what kubectl makes of a plain word.
func boolean(n *yaml.Node) (value string, is bool) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if n.Style&quoted != 0 || n.ShortTag() != "!!str" {
		return "", false
	}
	switch lower := strings.ToLower(n.Value); {
	case n.Value != lower && n.Value != strings.ToUpper(n.Value) && n.Value != strings.ToUpper(lower[:1])+lower[1:]:
	case lower == "y", lower == "yes", lower == "on":
		return "true", true
	case lower == "n", lower == "no", lower == "off":
		return "false", true
	}
	return "", false
}

// asFault reports whether an error is the Fault of a version.
func asFault(err error, fault **merge.Fault) bool { return errors.As(err, fault) }

// apiVersionOf is what a resource has for its apiVersion.
func apiVersionOf(n *yaml.Node) string { return yamlnode.Text(yamlnode.Field(n, "apiVersion")) }

// annotated is a resource with an annotation; a new one comes last.
func annotated(n *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	metadata := mappingOf(yamlnode.Field(n, "metadata"))
	annotations := mappingOf(yamlnode.Field(metadata, "annotations"))
	return yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", yamlnode.Put(annotations, nil, name, v)))
}

// mappingOf is a mapping, and an empty one in the place of anything else.
func mappingOf(n *yaml.Node) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return yamlnode.EmptyMap()
	}
	return n
}

// literal is a string as kubectl writes one that ends with a line break.
func literal(text string) *yaml.Node {
	n := yamlnode.String(text)
	n.Style = yaml.LiteralStyle
	return n
}
