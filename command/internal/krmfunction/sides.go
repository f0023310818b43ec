package krmfunction

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/directory"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// sides is the items by side, and the directory of each, "" for the package.
type sides struct {
	// list is the items of the input, in its order.
	list  []*item
	items [3][]*item
	dir   [3]string
	// claimed are the sides that have a directory of their own.
	claimed [3]bool
	// skipped are the files of a side's dir that are left out, and ignored finds the files that its .krmignore lists, nil
	// for a side without a dir.
	skipped [3][]pkgmerge.SkippedFile
	ignored [3]*file.Ignorer
}

// splitSides puts every item on its side (rules/function: sides): by its merge-source annotation, else by the longest
// configured directory that holds it, else it is local's. With neither annotations nor configured directories the
// conventional ones apply: origin/, upstream/ and, if it is there, local/.
//
// A side that has a dir is read from there, and no item of the list is on it.
func splitSides(from *resourcelist.List, list []*item, sources config.Sources) (sides, error) {
	s := sides{list: list}
	s.claimDirectories(sources)
	for _, it := range list {
		side, err := s.sideOf(it)
		if err != nil {
			return s, err
		}
		if dir := sources.BySide()[side].Dir; dir != "" {
			return s, fmt.Errorf("%s: the item is on the %s side, but sources.%s.dir says that this is read from %s", it, side, side, dir)
		}
		it.Label = it.path
		if s.holds(side, it.path) {
			it.File = strings.TrimPrefix(strings.TrimPrefix(it.path, s.dir[side]), "/")
		}
		s.items[side] = append(s.items[side], it)
	}
	if err := s.readDirs(from, sources); err != nil {
		return s, err
	}
	return s, nil
}

// claimDirectories notes which directories of the package are a side's.
func (s *sides) claimDirectories(sources config.Sources) {
	if sources.Configured() {
		for _, side := range identity.Sides() {
			s.claim(side, sources.BySide()[side].Path)
		}
		return
	}
	for _, it := range s.list {
		if it.in.Annotation(bookkeeping.MergeSource) != "" {
			return
		}
	}
	s.claimConventional(s.list)
}

// readDirs reads the sides that have a directory outside of the list.
func (s *sides) readDirs(from *resourcelist.List, sources config.Sources) error {
	for _, side := range identity.Sides() {
		dir := sources.BySide()[side].Dir
		if dir == "" {
			continue
		}
		content, err := directory.Read(dir)
		if err != nil {
			return fmt.Errorf("functionConfig: sources.%s.dir: %w", side, err)
		}
		var found []*resourcelist.Item
		for _, document := range content.Documents {
			found = append(found, from.NewDocument(document.Node, document.Text))
		}
		if s.items[side], err = readItems(found); err != nil {
			return fmt.Errorf("functionConfig: sources.%s.dir: %w", side, err)
		}
		s.skipped[side], s.ignored[side] = content.Skipped, content.Ignored
	}
	return nil
}

func (s *sides) claim(side identity.Side, dir string) {
	if dir != "" {
		s.dir[side], s.claimed[side] = config.CleanPath(dir), true
	}
}

func (s *sides) claimConventional(items []*item) {
	for _, it := range items {
		first, _, below := strings.Cut(it.path, "/")
		for _, side := range identity.Sides() {
			if below && first == side.String() {
				s.claim(side, first)
			}
		}
	}
}

// sideOf is the side of one item.
func (s *sides) sideOf(it *item) (identity.Side, error) {
	switch mark := it.in.Annotation(bookkeeping.MergeSource); mark {
	case "origin", "original":
		return identity.Origin, nil
	case "upstream", "updated":
		return identity.Upstream, nil
	case "local", "dest":
		return identity.Local, nil
	case "":
		if it.in.Annotated(bookkeeping.MergeSource) {
			return 0, fmt.Errorf("%s: annotation %s is not a string, allowed are origin, original, upstream, updated, local, dest", it, bookkeeping.MergeSource)
		}
	default:
		return 0, fmt.Errorf("%s: annotation %s is %q, allowed are origin, original, upstream, updated, local, dest", it, bookkeeping.MergeSource, mark)
	}
	longest, found := -1, identity.Local
	for _, side := range identity.Sides() {
		if s.claimed[side] && s.holds(side, it.path) && len(s.dir[side]) > longest {
			longest, found = len(s.dir[side]), side
		}
	}
	return found, nil
}

// holds reports whether a side's directory holds a file.
func (s *sides) holds(side identity.Side, file string) bool {
	dir := s.dir[side]
	return dir == "" || strings.HasPrefix(file, dir+"/")
}

// checkPresent finds a side that is missing. An empty upstream would delete the package, an empty origin would make
// every difference a conflict; force-delete-replace needs no origin.
func (s *sides) checkPresent(sources config.Sources, strategy pkgmerge.Strategy) error {
	if len(s.items[identity.Upstream]) == 0 {
		return s.missing(identity.Upstream, sources, "")
	}
	if _, driven := strategy.(pkgmerge.Driver); driven {
		return s.checkNoOrigin(strategy)
	}
	if len(s.items[identity.Origin]) == 0 && !sources.Origin.None && strategy.Name() != "force-delete-replace" {
		return s.missing(identity.Origin, sources, "; or set sources.origin.none [origin-none] to merge without one")
	}
	if len(s.items[identity.Origin]) > 0 && sources.Origin.None {
		return fmt.Errorf("functionConfig: sources.origin.none is true, but %s is on the origin side", s.items[identity.Origin][0])
	}
	return nil
}

// checkNoOrigin finds an item on the origin side where the strategy reads origin from live objects.
func (s *sides) checkNoOrigin(strategy pkgmerge.Strategy) error {
	if len(s.items[identity.Origin]) > 0 {
		return fmt.Errorf("%s is on the origin side, but the strategy %s reads origin from each live object: take the item out, or choose a strategy that merges three versions, such as resource-merge", s.items[identity.Origin][0], strategy.Name())
	}
	return nil
}

// missing returns the error of a side without items. It names the field of the config that says where they are, if
// the config has it, and shows the ways to supply them.
func (s *sides) missing(side identity.Side, sources config.Sources, more string) error {
	where, alias, source := "", [2]string{"original", "updated"}[side], sources.BySide()[side]
	switch {
	case source.Path != "":
		where = fmt.Sprintf("functionConfig: sources.%s.path: nothing lies below %q: ", side, source.Path)
	case source.Dir != "":
		where = fmt.Sprintf("functionConfig: sources.%s.dir: %q has no resources: ", side, source.Dir)
	case s.isPassedOver(side):
		return fmt.Errorf("no %[1]s items: %[1]s/ counts by itself only where the config names no directory and no item has the annotation %[2]s: name it in sources.%[1]s.path [%[1]s-path]", side, bookkeeping.MergeSource)
	}
	return fmt.Errorf("%sno %[2]s items: put them into %[2]s/ at the top of the package, or name their directory in sources.%[2]s.path [%[2]s-path], or one that the function is to read in sources.%[2]s.dir [%[2]s-dir], or annotate them %[3]s: %[2]s (or %[4]s)%[5]s; a step that runs again needs sources.keep [keep-sources], or the first run takes them out of the package", where, side, bookkeeping.MergeSource, alias, more)
}

// isPassedOver reports whether the package has items in the conventional directory of a side, which does not count.
func (s *sides) isPassedOver(side identity.Side) bool {
	return !s.claimed[side] && slices.ContainsFunc(s.list, func(it *item) bool { return strings.HasPrefix(it.path, side.String()+"/") })
}

// all is the items of all sides.
func (s sides) all() []*item { return slices.Concat(s.items[0], s.items[1], s.items[2]) }

// packages are the sides as the merge takes them.
func (s sides) packages() [3]pkgmerge.Package {
	var out [3]pkgmerge.Package
	for side, items := range s.items {
		out[side].Dir = s.dir[side]
		out[side].Skipped, out[side].Source = s.skipped[side], fmt.Sprintf("sources.%s.dir", identity.Side(side))
		if ignored := s.ignored[side]; ignored != nil {
			out[side].Ignored = func(name string) bool { return ignored.Ignores(name, false) }
		}
		for _, it := range items {
			out[side].Resources = append(out[side].Resources, it.Resource)
		}
	}
	return out
}

// item is an item of the list with its resource and its place in the package.
type item struct {
	*pkgmerge.Resource
	in *resourcelist.Item
	// path is the item's file below the top of the package that the list holds, "" if the item has no path.
	path string
	// base is the directory that package-path adds to the front of the path annotation.
	base string
}

// readItems reads the items' metadata. An item with neither kind nor path, and a path
// that leads out of the package, are errors (rules/input: bad input).
func readItems(list []*resourcelist.Item) ([]*item, error) {
	items := make([]*item, 0, len(list))
	root := rootPackage(list)
	for _, in := range list {
		it := &item{in: in}
		file := cmp.Or(in.Annotation(bookkeeping.Path), in.Annotation(bookkeeping.LegacyPath))
		if err := config.CheckPath(file); err != nil {
			return nil, fmt.Errorf("the item in line %d: %w", in.Line, err)
		}
		if file == "" && identity.ReadMeta(in.Head()).Kind == "" {
			return nil, fmt.Errorf("the item in line %d has neither a kind nor a path", in.Line)
		}
		it.base = below(root, in.Annotation(bookkeeping.Package))
		if file != "" {
			it.path = path.Join(it.base, file)
		}
		it.Resource = pkgmerge.FromItem(it.path, readIndex(in), in)
		items = append(items, it)
	}
	return items, nil
}

func readIndex(in *resourcelist.Item) int {
	index, err := strconv.Atoi(cmp.Or(in.Annotation(bookkeeping.Index), in.Annotation(bookkeeping.LegacyIndex)))
	if err != nil {
		return 0 // as kpt reads an index that is missing or no number
	}
	return index
}

// rootPackage is the shortest package-path of the list. Under `kpt fn render` paths are relative to each item's own
// package; what its package-path has beyond the root's goes in front (rules/function: sides).
func rootPackage(items []*resourcelist.Item) string {
	root, found := "", false
	for _, it := range items {
		if p := it.Annotation(bookkeeping.Package); p != "" && (!found || len(p) < len(root)) {
			root, found = p, true
		}
	}
	return root
}

func below(root, pkg string) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg, root), "/")
}

// unmarked takes the mark of its side off an item: a merged one is on none.
func unmarked(n *yaml.Node) *yaml.Node {
	return yamlnode.DropAnnotations(n, func(name string) bool { return name == bookkeeping.MergeSource })
}

// newFiles makes items of files that no side has: of patches, and of an overlay.
type newFiles struct {
	list *resourcelist.List
	// legacy says that the input uses the old names of annotations.
	legacy bool
	// pkg is the package-path of the package that the list holds, "" if it tells none, and
	// indent how its sequences are indented.
	pkg, indent string
}

func newFilesOf(list *resourcelist.List, s sides) newFiles {
	f := newFiles{list: list, legacy: usesLegacyPaths(s.list), pkg: rootPackage(list.Items)}
	for _, it := range list.Items {
		if f.indent == "" {
			f.indent = it.Annotation(bookkeeping.SeqIndent)
		}
	}
	return f
}

// item is the item of a file with one document, whose text is given. A kustomization gets the
// name of its directory, for kustomize takes no item without a name.
func (f newFiles) item(text []byte, dir, name string) (*resourcelist.Item, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	n, file := resourcelist.NewItem(&document).Node, path.Join(dir, name)
	if yamlnode.Field(n, "metadata") == nil {
		n, text = named(n, dir), nil
	}
	if f.pkg != "" {
		n = yamlnode.Annotate(n, bookkeeping.Package, f.pkg)
	}
	if f.legacy {
		n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.LegacyIndex, "0"), bookkeeping.LegacyPath, file)
	}
	n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.Index, "0"), bookkeeping.Path, file)
	if f.indent != "" {
		n = yamlnode.Annotate(n, bookkeeping.SeqIndent, f.indent)
	}
	return f.list.NewDocument(n, text), nil
}

// named is a kustomization with the name of its directory, behind the kind.
func named(n *yaml.Node, dir string) *yaml.Node {
	name := "overlay"
	if dir != "" {
		name = path.Base(dir)
	}
	metadata, out := yamlnode.EmptyMap(), *n
	metadata.Content = []*yaml.Node{yamlnode.String("name"), yamlnode.String(name)}
	out.Content = slices.Insert(slices.Clone(n.Content), 4, yamlnode.String("metadata"), metadata)
	return &out
}
