package identity

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ID names a resource across versions (rules/identity: identities). It has no version:
// a resource that moves from apps/v1beta1 to apps/v1 stays itself. IDs are compared
// with ==.
type ID struct {
	Group, Kind, Namespace, Name string
}

// String writes the ID as error messages show it: group/Kind namespace/name.
func (id ID) String() string {
	var b strings.Builder
	if id.Group != "" {
		b.WriteString(id.Group + "/")
	}
	b.WriteString(id.Kind + " ")
	if id.Namespace != "" {
		b.WriteString(id.Namespace + "/")
	}
	b.WriteString(id.Name)
	return strings.TrimSpace(b.String())
}

// Naming says what an item's name rests on.
type Naming int

const (
	// ByName is the usual case: metadata.name.
	ByName Naming = iota
	// ByGenerateName has metadata.generateName stand in for a missing name.
	ByGenerateName
	// ByPath identifies an item by where it lies in its side: one with neither
	// name (a kustomization.yaml), or a Kptfile, whose name belongs to the copy
	// and not to the package.
	ByPath
)

// Meta is what an item says about itself.
type Meta struct {
	APIVersion, Kind, Namespace, Name string
	// Comment is the line comment of the metadata key, "" if there is none.
	Comment string
	Naming  Naming
}

// PlainID is what the metadata alone says, whatever the comment says.
func (m Meta) PlainID() ID {
	return ID{Group: Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
}

// Group is the API group of an apiVersion: "apps" of "apps/v1", "" of "v1".
func Group(apiVersion string) string { return yamlnode.Group(apiVersion) }

// Version is the version of an apiVersion: "v1" of "apps/v1" and of "v1".
func Version(apiVersion string) string { return yamlnode.Version(apiVersion) }

// ReadMeta reads what item, a mapping, says about itself. Fields that are
// missing or are no strings read as "".
func ReadMeta(item *yaml.Node) Meta {
	m := Meta{APIVersion: scalar(item, "apiVersion"), Kind: scalar(item, "kind")}
	key, metadata := yamlnode.Entry(item, "metadata")
	if key != nil {
		m.Comment = key.LineComment
		if m.Comment == "" {
			m.Comment = metadata.LineComment
		}
	}
	m.Name, m.Namespace = scalar(metadata, "name"), scalar(metadata, "namespace")
	return m.Named(scalar(metadata, "generateName"))
}

// Named is the Meta of a resource with its naming, which its name says, else its
// generateName.
func (m Meta) Named(generateName string) Meta {
	switch {
	case m.Kind == "Kptfile" && Group(m.APIVersion) == "kpt.dev":
		m.Naming = ByPath
	case m.Name != "":
	case generateName != "":
		m.Name, m.Naming = generateName, ByGenerateName
	default:
		m.Naming = ByPath
	}
	return m
}

func scalar(mapping *yaml.Node, name string) string {
	if v := yamlnode.Field(mapping, name); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
		return v.Value
	}
	return ""
}

// Side is one of the three versions of a package. Everything that exists three
// times is a [3]T indexed by it.
type Side int

const (
	// Origin is the common ancestor, where upstream and local both started.
	Origin Side = iota
	// Upstream is the new version of the package.
	Upstream
	// Local is the user's customised copy.
	Local
)

// Sides lists the three in the order in which they are indexed.
func Sides() [3]Side { return [3]Side{Origin, Upstream, Local} }

// String is the side's name as results and the function config spell it.
func (s Side) String() string {
	switch s {
	case Origin:
		return "origin"
	case Upstream:
		return "upstream"
	}
	return "local"
}

// joinByOwn has what is left over of local's, with a merge comment that another
// took or that names nothing, go by its own name and namespace: a copy that was
// renamed to what upstream has too, or one whose comment is older than a rename
// upstream. It never finds what upstream deleted.
func (m *matcher) joinByOwn(triples []Triple) []Triple {
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			e := m.sides[Local][t.At[Local]]
			_, commented := e.mergeComment()
			return m.called(Local, e.Own()), commented && !m.owns(t.At[Local])
		},
		is: func(t Triple) (ID, bool) { return t.ID, t.Has(Upstream) },
	})
}

// joinByIdentifier follows rules/identity: by upstream-identifier: a triple that lacks
// local joins an unmatched local entry whose upstream-identifier names it. kpt writes
// that annotation, and it outlives what strips comments. Namespaces `default` and `~C`
// in it match any: kpt writes them for cluster-scoped kinds too.
func (m *matcher) joinByIdentifier(triples []Triple) []Triple {
	identifier := func(t Triple) (ID, bool) {
		e := m.sides[Local][t.At[Local]]
		id, ok := parseIdentifier(e.Identifier)
		return m.called(Local, e.scoped(id)), ok
	}
	triples = m.meet(triples, meeting{
		wanted: identifier,
		is:     func(t Triple) (ID, bool) { return t.ID, true },
	})
	return m.meet(triples, meeting{
		wanted: func(t Triple) (ID, bool) {
			id, ok := identifier(t)
			return anyNamespace(id), ok && (id.Namespace == "default" || id.Namespace == "~C")
		},
		is: func(t Triple) (ID, bool) { return anyNamespace(t.ID), true },
	})
}

// parseIdentifier reads group|kind|namespace|name.
func parseIdentifier(text string) (ID, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return ID{}, false
	}
	return ID{Group: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, true
}

// Comment is the merge comment on a metadata key, `# kpt-merge: ns/name`: the identity
// that the resource has in the upstream package, kept when the local copy is renamed
// (rules/identity: by identity).
type Comment struct {
	Namespace, Name string
}

// String writes the comment without its `#`.
func (c Comment) String() string { return bookkeeping.MergeComment + " " + c.Namespace + "/" + c.Name }

// ParseComment reads a merge comment: strip `#`, the prefix `kpt-merge:`, split
// at the first `/`, trim. The namespace may be empty (`/name` is not
// `default/name`), the name may not. An error says what is wrong with it.
func ParseComment(text string) (Comment, error) {
	rest, found := bookkeeping.CutMergeComment(text)
	if !found {
		return Comment{}, fmt.Errorf("no merge comment: %q", text)
	}
	namespace, name, found := strings.Cut(rest, "/")
	c := Comment{Namespace: strings.TrimSpace(namespace), Name: strings.TrimSpace(name)}
	if !found || c.Name == "" || strings.ContainsAny(c.Name+c.Namespace, " \t\n") {
		return Comment{}, fmt.Errorf("malformed merge comment %q, want `# kpt-merge: namespace/name`", text)
	}
	return c, nil
}
