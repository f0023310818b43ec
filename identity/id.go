package identity

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ID identifies a resource across versions (rules/identity: identities). It has no version: a
// resource that moves from apps/v1beta1 to apps/v1 keeps its ID. IDs are compared with ==.
type ID struct {
	Group, Kind, Namespace, Name string
}

// String returns the ID for error messages: group/Kind namespace/name.
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

// Naming is the source of an item's name.
type Naming int

const (
	// ByName is the usual case: metadata.name.
	ByName Naming = iota
	// ByGenerateName uses metadata.generateName for a missing name.
	ByGenerateName
	// ByPath identifies an item by its location in its side: an item with neither name (a
	// kustomization.yaml), or a Kptfile, whose name belongs to the copy and not to the package.
	ByPath
)

// Meta is the metadata that identifies an item.
type Meta struct {
	APIVersion, Kind, Namespace, Name string
	// Comment is the line comment of the metadata key, "" if there is none.
	Comment string
	Naming  Naming
}

// PlainID returns the ID by the metadata alone, without the comment.
func (m Meta) PlainID() ID {
	return ID{Group: Group(m.APIVersion), Kind: m.Kind, Namespace: m.Namespace, Name: m.Name}
}

// Group returns the API group of an apiVersion: "apps" for "apps/v1", "" for "v1".
func Group(apiVersion string) string { return yamlnode.Group(apiVersion) }

// Version returns the version of an apiVersion: "v1" for "apps/v1" and for "v1".
func Version(apiVersion string) string { return yamlnode.Version(apiVersion) }

// ReadMeta reads the metadata of item, a mapping. Fields that are missing or are no strings read as "".
func ReadMeta(item *yaml.Node) Meta {
	m := Meta{APIVersion: scalarField(item, "apiVersion"), Kind: scalarField(item, "kind")}
	key, metadata := yamlnode.Entry(item, "metadata")
	if key != nil {
		m.Comment = cmp.Or(key.LineComment, metadata.LineComment)
	}
	m.Name, m.Namespace = scalarField(metadata, "name"), scalarField(metadata, "namespace")
	return m.Named(scalarField(metadata, "generateName"))
}

// MetaOf reads the metadata of an item, as far as possible without parsing it.
func MetaOf(item *resourcelist.Item) Meta {
	h, ok := item.HeadValues()
	if !ok {
		return ReadMeta(item.Head())
	}
	m := Meta{APIVersion: h.APIVersion, Kind: h.Kind, Namespace: h.Namespace, Name: h.Name, Comment: h.Comment}
	return m.Named(h.GenerateName)
}

// Named returns m with its naming, and with generateName as its name if it has none.
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

func scalarField(mapping *yaml.Node, name string) string {
	if v := yamlnode.Field(mapping, name); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
		return v.Value
	}
	return ""
}

// Side is one of the three versions of a package. Values for all three are in a [3]T indexed by Side.
type Side int

const (
	// Origin is the common ancestor, where upstream and local both started.
	Origin Side = iota
	// Upstream is the new version of the package.
	Upstream
	// Local is the user's customised copy.
	Local
)

// Sides lists the three sides in order.
func Sides() [3]Side { return [3]Side{Origin, Upstream, Local} }

// String returns the side's name in results and in the function config.
func (s Side) String() string {
	switch s {
	case Origin:
		return "origin"
	case Upstream:
		return "upstream"
	}
	return "local"
}

// joinByOwnID joins unmatched local items by their own name and namespace, if the resource of their merge comment has
// another local item or does not exist: a copy renamed to a name of upstream's, or one whose comment is older than a
// rename upstream. It never joins a resource that upstream deleted.
func (m *matcher) joinByOwnID(triples []Triple) []Triple {
	return m.joinOpen(triples, joinRule{
		localID: func(t Triple) (ID, bool) {
			e := m.sides[Local][t.At[Local]]
			_, commented := e.mergeComment()
			return m.currentID(Local, e.OwnID()), commented && !m.hasOwnID(t.At[Local])
		},
		openID: func(t Triple) (ID, bool) { return t.ID, t.Has(Upstream) },
	})
}

// joinByIdentifier follows rules/identity: by upstream-identifier: a triple that lacks local joins an unmatched local
// entry whose upstream-identifier names it. kpt writes that annotation, and it outlives programs that strip comments.
// Its namespaces `default` and `~C` match any: kpt writes them for cluster-scoped kinds too.
func (m *matcher) joinByIdentifier(triples []Triple) []Triple {
	identifier := func(t Triple) (ID, bool) {
		e := m.sides[Local][t.At[Local]]
		id, ok := parseIdentifier(e.Identifier)
		return m.currentID(Local, e.scoped(id)), ok
	}
	triples = m.joinOpen(triples, joinRule{
		localID: identifier,
		openID:  func(t Triple) (ID, bool) { return t.ID, true },
	})
	return m.joinOpen(triples, joinRule{
		localID: func(t Triple) (ID, bool) {
			id, ok := identifier(t)
			return withoutNamespace(id), ok && (id.Namespace == "default" || id.Namespace == "~C")
		},
		openID: func(t Triple) (ID, bool) { return withoutNamespace(t.ID), true },
	})
}

// parseIdentifier parses group|kind|namespace|name.
func parseIdentifier(text string) (ID, bool) {
	parts := strings.Split(text, "|")
	if len(parts) != 4 || parts[1] == "" || parts[3] == "" {
		return ID{}, false
	}
	return ID{Group: parts[0], Kind: parts[1], Namespace: parts[2], Name: parts[3]}, true
}

// Comment is the merge comment on a metadata key, `# kpt-merge: ns/name`: the identity that the resource has in the
// upstream package, kept when the local copy is renamed (rules/identity: by identity).
type Comment struct {
	Namespace, Name string
}

// String returns the comment without its `#`.
func (c Comment) String() string { return bookkeeping.MergeComment + " " + c.Namespace + "/" + c.Name }

// ParseComment parses a merge comment: strip `#`, the prefix `kpt-merge:`, split at the first `/`, trim. The namespace
// may be empty (`/name` is not `default/name`), the name may not. It returns an error for a malformed comment.
func ParseComment(text string) (Comment, error) {
	if !bookkeeping.IsMergeComment(text) {
		return Comment{}, fmt.Errorf("no merge comment: %q", text)
	}
	namespace, name, ok := bookkeeping.ReadMergeComment(text)
	if !ok {
		return Comment{}, fmt.Errorf("malformed merge comment %q, want `# kpt-merge: namespace/name`", text)
	}
	return Comment{Namespace: namespace, Name: name}, nil
}

// Entry is one item of one side, for matching.
type Entry struct {
	Meta
	// Path is the item's file below its side's directory, "" if unknown.
	Path string
	// Package is the directory of the package that holds the item, below its side's directory: the
	// nearest one with a Kptfile.
	Package string
	// Identifier is kpt's upstream-identifier annotation, "" if there is none.
	Identifier string
	// ClusterScoped reports that the kind has no namespaces; a namespace in the metadata is ignored.
	ClusterScoped bool
}

// OwnID returns the ID by the entry's metadata, or by its path if the path identifies it.
func (e Entry) OwnID() ID {
	id := e.PlainID()
	if e.Naming == ByPath {
		id.Namespace, id.Name = "", e.Path
	}
	return e.scoped(id)
}

// ID returns the entry's identity: namespace and name of a well-formed merge comment, else of the
// entry itself. An item that its path identifies ignores the comment.
func (e Entry) ID() ID {
	id := e.OwnID()
	if c, ok := e.mergeComment(); ok {
		id.Namespace, id.Name = c.Namespace, c.Name
	}
	return e.scoped(id)
}

// mergeComment returns the entry's merge comment, if it is well-formed and not ignored.
func (e Entry) mergeComment() (Comment, bool) {
	if e.Naming == ByPath || !bookkeeping.IsMergeComment(e.Comment) {
		return Comment{}, false
	}
	c, err := ParseComment(e.Comment)
	return c, err == nil
}

// scoped removes the namespace of an ID of the entry if its kind has none.
func (e Entry) scoped(id ID) ID {
	if e.ClusterScoped {
		id.Namespace = ""
	}
	return id
}

// area returns the part of an entry's location that has to be equal.
type area func(Entry) string

func inFile(e Entry) string { return e.Path }

func anywhere(Entry) string { return "" }

func inDirectory(e Entry) string { return path.Dir(e.Path) }

func inPackage(e Entry) string { return e.Package }

// endOfPath returns the area of the entries of a package whose paths have the same last parts.
func endOfPath(parts int) area {
	return func(e Entry) string {
		all := strings.Split(e.Path, "/")
		return e.Package + "\n" + strings.Join(all[max(0, len(all)-parts):], "/")
	}
}

type areaKey struct {
	id   ID
	area string
}

func withoutNamespace(id ID) ID {
	id.Namespace = ""
	return id
}
