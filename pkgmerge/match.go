package pkgmerge

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Match is the versions of one resource.
type Match struct {
	ID identity.ID
	// Versions are nil where a side has none.
	Versions [3]*Resource

	schema *schema.Schema
	// isBookkeeping, noOrigin, ignoreSetters and profile are fields of Options, and removalsCollide follows the profile
	// unless it is doubtful that local removed the resource.
	isBookkeeping             func(annotation string) bool
	noOrigin, removalsCollide bool
	ignoreSetters             bool
	profile                   Profile
	// moves are the namespaces that local replaced.
	moves []identity.Move
	// renamed are the names and namespaces that upstream and local gave origin's resources.
	renamed [3]map[merge.Rename]bool
	// streamed reports whether origin's or upstream's package is a stream.
	streamed bool
	// policy decides the resource's conflicts.
	policy func() merge.Policy
	// marked reports whether the result depends on the preference for marks.
	marked bool
	// unlearned are the paths of conflicts that learned rules leave to other rules.
	unlearned map[string]bool
	// nullIsValue reports whether a null is a value in fields that a schema describes (rules/fields:
	// null). It is called only if there may be a null.
	nullIsValue func() bool
	// how is the triple by which the versions were matched (rules/identity: matching).
	how identity.Triple
	// packages are the directories of the packages that contain the versions.
	packages [3]string
	// items are the parsed versions, and trees the same without bookkeeping.
	items  [3]*resourcelist.Item
	trees  [3]*yaml.Node
	parsed bool
	// collated has the versions side by side once they were merged, so that another policy need not collate them again.
	collated *merge.Collation
	// orphanOf is the package that upstream deleted around a resource that only local has, or "".
	orphanOf string
	// alone is the directory of a Kptfile's package in which each file stays as local has it, or stays absent; else "".
	alone string
	// differing is the first resource in the package of a Kptfile that makes a conflict on the
	// package, nil if that is the Kptfile itself.
	differing *Resource
	// run is the run of the Driver.
	run Run
	// header has the comments above the document in the result, and fileHeader the ones at the top of a file; nil for local's.
	header     []byte
	fileHeader *fileHeader
	// headerBelow means that origin's version has the header of its file as a comment, as upstream has it.
	headerBelow bool
	// between has the text around the document, nil if not all sides have it in one file.
	between *betweenDocuments
	// warnings are about reading the versions.
	warnings []string
	// staysAway means that upstream's new resource lies in a directory that local emptied, or is in a file that
	// local removed and upstream moved.
	staysAway bool
	// ignored means that local alone has the resource, as upstream ignores its file.
	ignored bool
	// names gives a side's version of a kustomization the names of files that all versions have in common, nil if they have
	// them already.
	names func(side identity.Side, tree *yaml.Node) *yaml.Node
	// following adapts upstream's version to local, nil if it stays unchanged; origin may have the resource too.
	// follows reports whether it changed something (rules/adopt: what follows).
	following func(upstream *resourcelist.Item, origin *yaml.Node) (*resourcelist.Item, error)
	follows   bool
}

// forget drops the parsed versions: they are parsed again when needed.
func (m *Match) forget() {
	m.items, m.trees, m.parsed, m.collated = [3]*resourcelist.Item{}, [3]*yaml.Node{}, false, nil
}

// size returns the number of bytes of the versions' texts.
func (m *Match) size() (size int) {
	for _, r := range m.Versions {
		if r != nil {
			size += r.item.Size()
		}
	}
	return size
}

// Has reports whether a side has a version.
func (m *Match) Has(side identity.Side) bool { return m.Versions[side] != nil }

// Newest returns local's version, else upstream's, else origin's: the user knows the resource by the
// names and the file of this version.
func (m *Match) Newest() *Resource { return m.Versions[m.newest()] }

func (m *Match) newest() identity.Side {
	for _, side := range [2]identity.Side{identity.Local, identity.Upstream} {
		if m.Has(side) {
			return side
		}
	}
	return identity.Origin
}

// Package returns the directory of the package that contains the newest version, "." for the merged
// package itself (rules/kptfiles: package boundaries).
func (m *Match) Package() string { return m.packages[m.newest()] }

// counterpart returns upstream's version, else origin's, nil if neither has one.
func (m *Match) counterpart() *Resource {
	if u := m.Versions[identity.Upstream]; u != nil {
		return u
	}
	return m.Versions[identity.Origin]
}

func (m *Match) identityOf(side identity.Side) identity.ID {
	return m.Versions[side].entry(m.packages[side], m.schema).ID()
}

// onlyLocal reports whether local alone has the resource.
func (m *Match) onlyLocal() bool { return m.counterpart() == nil }

// isPackaged reports whether any version lies in a subpackage.
func (m *Match) isPackaged() bool {
	for side, r := range m.Versions {
		if r != nil && m.packages[side] != "." {
			return true
		}
	}
	return false
}

// Trees parses the versions and removes bookkeeping; nil where a side has none. The trees must not be
// altered. Calls for one Match must not overlap.
func (m *Match) Trees() ([3]*yaml.Node, error) {
	if m.parsed {
		return m.trees, nil
	}
	full, err := m.readVersions()
	for _, side := range identity.Sides() {
		if err == nil {
			err = m.takeVersion(side, full[side])
		}
	}
	if err != nil {
		return m.trees, err
	}
	if m.run != nil {
		if m.trees, m.warnings, err = m.run.Read(m, m.trees); err != nil {
			return m.trees, err
		}
	}
	m.parsed = true
	return m.trees, nil
}

// readVersions parses the versions, large ones at the same time, as few of these are merged at one time.
func (m *Match) readVersions() (full [3]*resourcelist.Item, err error) {
	goroutines, large := 1, 1<<16
	if m.size() > large {
		goroutines = len(full)
	}
	err = parallel.On(goroutines, len(full), func(side int) (err error) {
		if r := m.Versions[side]; r != nil {
			full[side], err = r.parsed()
		}
		if err == nil && full[side] != nil && identity.Side(side) == identity.Origin {
			full[side] = full[side].WithNode(full[side].Node) // its text is never edited: the places of its nodes need no memory
		}
		return err
	})
	return full, err
}

// takeVersion takes the parsed version of a side, which may be nil; upstream's follows local's customisation.
func (m *Match) takeVersion(side identity.Side, full *resourcelist.Item) (err error) {
	if full == nil {
		return nil
	}
	if side == identity.Upstream && m.following != nil {
		was := full
		if full, err = m.following(was, m.trees[identity.Origin]); err != nil {
			return fmt.Errorf("%s: %w", m.Versions[side], err)
		}
		m.follows = full != was
	}
	if m.names != nil {
		if tree := m.names(side, full.Node); tree != full.Node {
			full = full.WithNode(tree)
		}
	}
	m.items[side], m.trees[side] = full, yamlnode.WithoutAnnotations(full.Node, m.isBookkeeping)
	return nil
}

// unadapted returns the versions with upstream's own tree instead of the adapted one.
func (m *Match) unadapted(trees [3]*yaml.Node) ([3]*yaml.Node, error) {
	if !m.follows {
		return trees, nil
	}
	tree, err := m.Versions[identity.Upstream].Tree()
	trees[identity.Upstream] = yamlnode.WithoutAnnotations(tree, m.isBookkeeping)
	return trees, err
}

// sameText reports whether the texts of two sides certainly have equal content and comments, or
// neither side has a version. Nothing is parsed.
func (m *Match) sameText(a, b identity.Side) bool {
	x, y := m.Versions[a], m.Versions[b]
	if x == nil || y == nil {
		return x == y
	}
	if m.headerBelow && (a == identity.Origin || b == identity.Origin) {
		return false
	}
	return resourcelist.SameText(x.item, y.item, manifest.Ignored{Annotation: m.isBookkeeping, Comment: isMergeComment})
}

// mayHaveNull reports whether there may be a null in a side's version.
func (m *Match) mayHaveNull(side identity.Side) bool {
	return m.Has(side) && m.Versions[side].item.MayHaveNull()
}

// movedUpstream reports whether upstream moved the resource to another file and local did not
// (rules/placement: moved resources). A stream has no layout.
func (m *Match) movedUpstream() bool {
	o, u, l := m.Versions[identity.Origin], m.Versions[identity.Upstream], m.Versions[identity.Local]
	return o != nil && u != nil && l != nil && u.File != o.File && l.File == o.File && u.File != "" && !m.streamed
}

// Policy returns the policy for the conflicts of the resource.
func (m *Match) Policy() merge.Policy { return m.policy() }

func isMergeComment(text string) bool {
	_, err := identity.ParseComment(text)
	return err == nil
}

// maxLeafDepth limits the depth to which two resources are compared for likeness.
const maxLeafDepth = 100

// Likeness returns the share of values that two resources have in common, except for names and
// namespaces: from 0 to 1, and 1 only if all are equal.
func (r *Resource) Likeness(other *Resource) float64 {
	return newReader(func(string) bool { return false }).likeness(r, other)
}

// reader reads each resource that is compared with others once.
type reader struct {
	bookkeeping func(annotation string) bool
	known       map[*Resource]reading
}

// reading is a resource without bookkeeping, and its leaves; empty if the resource cannot be read.
type reading struct {
	tree   *yaml.Node
	leaves map[string]int
}

func newReader(bookkeeping func(string) bool) reader {
	return reader{bookkeeping: bookkeeping, known: map[*Resource]reading{}}
}

func (d reader) read(r *Resource) reading {
	if found, done := d.known[r]; done {
		return found
	}
	var out reading
	if tree, err := r.Tree(); err == nil {
		out.tree = yamlnode.WithoutAnnotations(tree, d.bookkeeping)
		out.leaves = leaves(out.tree)
	}
	d.known[r] = out
	return out
}

func (d reader) likeness(a, b *Resource) float64 {
	x, y := d.read(a), d.read(b)
	switch {
	case x.tree == nil || y.tree == nil:
		return 0
	case merge.SameButNamed(x.tree, y.tree):
		return 1
	}
	const almost = 0.999
	return min(alike(x.leaves, y.leaves), almost)
}

// leaves counts the scalars of a resource by path and value, except for its name and namespace.
func leaves(n *yaml.Node) map[string]int {
	out := map[string]int{}
	addLeaves(out, "", n, 0)
	return out
}

func addLeaves(out map[string]int, path string, n *yaml.Node, depth int) {
	switch {
	case depth > maxLeafDepth:
	case n.Kind == yaml.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			if at := path + "." + key.Value; at != ".metadata.name" && at != ".metadata.namespace" {
				addLeaves(out, at, v, depth+1)
			}
		}
	case n.Kind == yaml.SequenceNode:
		for i, c := range n.Content {
			addLeaves(out, path+"["+strconv.Itoa(i)+"]", c, depth+1)
		}
	default:
		out[path+"="+n.Value]++
	}
}

// alike returns the share of leaves that two resources have in common, from 0 to 1.
func alike(a, b map[string]int) float64 {
	common, total := 0, 0
	for leaf, n := range a {
		common += min(n, b[leaf])
		total += n
	}
	for _, n := range b {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 2 * float64(common) / float64(total)
}
