package krmfunction

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/kptids"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// output makes the items of the list that comes out (rules/function: output).
type output struct {
	list   *resourcelist.List
	sides  sides
	merged *pkgmerge.Result
	// keep says that origin's and upstream's items come out too.
	keep bool
	// applies says that the merge was an apply.
	applies bool
	// legacy says that the input uses the old names of annotations.
	legacy bool
	// of has the items of the list by what the merge reads of them. A resource that follows a directory that local moved
	// is a copy, with the same item.
	of map[*resourcelist.Item]*item
}

func newOutput(list *resourcelist.List, s sides, keep bool, merged *pkgmerge.Result) output {
	o := output{list: list, sides: s, merged: merged, keep: keep, applies: apply.Of(merged) != nil, legacy: usesLegacyPaths(s.list), of: map[*resourcelist.Item]*item{}}
	for _, it := range s.all() {
		o.of[it.Item()] = it
	}
	return o
}

// itemOf returns the item of the list that holds a resource.
func (o output) itemOf(r *pkgmerge.Resource) *item { return o.of[r.Listed().Item()] }

// unit is an item that comes out of a merge: a resource, or a List of several.
type unit struct {
	*pkgmerge.Change
	list *pkgmerge.Resource
}

// units are the merged items in the order of the result. A List has the place of its first resource.
func (o output) units() []unit {
	seen := map[*pkgmerge.Resource]bool{}
	var out []unit
	for _, c := range o.merged.Merged {
		if list := c.List(); list == nil || !seen[list] {
			seen[list] = true
			out = append(out, unit{c, list})
		}
	}
	return out
}

// items are the merged ones in the order of the result. With keep, the items of
// origin and upstream stay where they are in the input.
func (o output) items() ([]*resourcelist.Item, error) {
	units := o.units()
	merged := make([]*resourcelist.Item, len(units))
	err := parallel.Each(len(units), func(i int) (err error) {
		if list := units[i].list; list != nil {
			it := list.Item().WithoutAnnotation(bookkeeping.MergeSource)
			if live := units[i].Versions[identity.Local].Listed(); list.Item() != live.Item() {
				if it, err = unidentified(it, live); err != nil {
					return err
				}
			}
			merged[i] = kept(it)
			return nil
		}
		merged[i], err = o.item(units[i].Change)
		return err
	})
	if err != nil || !o.keep {
		return merged, err
	}
	return o.withKept(units, merged), nil
}

// withKept puts the items of origin and upstream among the merged ones: each
// before the first of local's that the input has after it.
func (o output) withKept(units []unit, merged []*resourcelist.Item) []*resourcelist.Item {
	at := o.positions(units)
	local := map[*item]bool{}
	for _, it := range o.sides.items[identity.Local] {
		local[it] = true
	}
	var out []*resourcelist.Item
	done := 0
	for _, it := range o.sides.list {
		i, found := at[it]
		switch {
		case found:
			end := i + 1
			for end < len(merged) && units[end].Action == pkgmerge.Added {
				end++
			}
			out = append(out, merged[done:end]...)
			done = end
		case !local[it]:
			out = append(out, kept(it.in))
		}
	}
	return append(out, merged[done:]...)
}

// positions returns the positions of the local items among the merged ones.
func (o output) positions(units []unit) map[*item]int {
	at := map[*item]int{}
	for i, c := range units {
		if l := c.Versions[identity.Local]; l != nil {
			at[o.itemOf(l)] = i
		}
	}
	return at
}

// item returns the item of the list for a resource. Its annotations have kpt's ids, and the
// new path if the resource was added or moved.
func (o output) item(c *pkgmerge.Change) (*resourcelist.Item, error) {
	it := c.Result.Item()
	if c.Action == pkgmerge.Unchanged {
		it = it.WithoutAnnotation(bookkeeping.MergeSource)
		return kept(it), nil
	}
	if c.Action == pkgmerge.Changed && !c.Moved {
		if o.applies {
			return unidentified(it.WithoutAnnotation(bookkeeping.MergeSource), c.Versions[identity.Local])
		}
		return identified(it, c)
	}
	return o.rewritten(it, c)
}

// rewritten returns the item of a resource that was added, or that has another path than local's.
func (o output) rewritten(it *resourcelist.Item, c *pkgmerge.Change) (*resourcelist.Item, error) {
	full, err := it.Parsed()
	if err != nil {
		return nil, err
	}
	n := full.Node
	switch {
	case c.Action == pkgmerge.Added:
		n, err = o.added(n, c)
	case c.Moved:
		n = o.atPlace(unmarked(n), c, o.itemOf(c.Versions[identity.Local]))
	}
	if err != nil {
		return nil, err
	}
	if n != full.Node {
		it, err = full.Rewritten(n)
	}
	switch {
	case err != nil:
		return nil, err
	case c.Moved:
		return identified(it, c)
	}
	return apart(it, n), nil
}

// identified gives a merged item, encoded, the ids of kpt that do no harm (rules/function: ids of kpt). It finds most
// of them in the texts that the merge has read anyway.
func identified(it *resourcelist.Item, c *pkgmerge.Change) (*resourcelist.Item, error) {
	sent := kptids.Sent{Local: c.Versions[identity.Local].Item()}
	if !kptids.Has(sent.Local) {
		return it, nil
	}
	if it = it.Apart(); it.IsIdentified(sent.Local) {
		return it, nil
	}
	if u := c.Versions[identity.Upstream]; u != nil {
		sent.Upstream = u.Item()
	}
	it, err := sent.Rewritten(it)
	if err != nil {
		return nil, err
	}
	return it.Apart(), nil
}

// unidentified takes the ids off a live object that has changed: by them kpt would bring
// its order of keys back, and comments by the index of elements.
func unidentified(it *resourcelist.Item, live *pkgmerge.Resource) (*resourcelist.Item, error) {
	if !kptids.Has(live.Item()) {
		return it, nil
	}
	full, err := it.Parsed()
	if err != nil {
		return nil, err
	}
	return full.Rewritten(kptids.Without(full.Node))
}

// kept is an item that comes out as it came in, with an empty line at its end if it has an id
// of kpt's and ends with a comment.
func kept(it *resourcelist.Item) *resourcelist.Item {
	if kptids.Has(it) {
		return it.Apart()
	}
	return it
}

// apart is kept for an item whose node is n.
func apart(it *resourcelist.Item, n *yaml.Node) *resourcelist.Item {
	if kptids.In(n) {
		return it.Apart()
	}
	return it
}

// added writes the place and the ids of an added resource.
func (o output) added(n *yaml.Node, c *pkgmerge.Change) (*yaml.Node, error) {
	u := c.Versions[identity.Upstream]
	sent, err := u.Tree()
	if err != nil {
		return nil, err
	}
	n = o.atPlace(n, c, o.itemOf(u))
	if o.applies { // by an id kpt copies the comments of config
		return n, nil
	}
	return kptids.With(n, sent), nil
}

// atPlace writes a resource's place into the annotations of n: the internal ones, and the legacy ones alike if the
// input uses them. The sequence indentation that from, the item n comes from, asks for stays. Where from has a
// package-path, the place is told from the root package's.
func (o output) atPlace(n *yaml.Node, c *pkgmerge.Change, from *item) *yaml.Node {
	file := c.File()
	if file == "" {
		return n
	}
	if pkg := from.in.Annotation(bookkeeping.Package); pkg != "" {
		n = yamlnode.Annotate(n, bookkeeping.Package, strings.TrimSuffix(strings.TrimSuffix(pkg, from.base), "/"))
	}
	index := strconv.Itoa(c.Result.Index)
	if o.legacy {
		n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.LegacyIndex, index), bookkeeping.LegacyPath, file)
	}
	n = yamlnode.Annotate(yamlnode.Annotate(n, bookkeeping.Index, index), bookkeeping.Path, file)
	if indent := from.in.Annotation(bookkeeping.SeqIndent); indent != "" {
		n = yamlnode.Annotate(n, bookkeeping.SeqIndent, indent)
	}
	return n
}

// usesLegacyPaths reports whether any item has the old name of the path annotation.
func usesLegacyPaths(items []*item) bool {
	return slices.ContainsFunc(items, func(it *item) bool { return it.in.Annotation(bookkeeping.LegacyPath) != "" })
}

// replaceLocal returns the list in which made items stand in place of local's (rules/patches: the output patches), with
// the merged Kptfile at the top of local's package, the new files, and with keep the items of origin and upstream.
func (o output) replaceLocal(made []*resourcelist.Item) ([]*resourcelist.Item, error) {
	var out []*resourcelist.Item
	for _, c := range o.merged.Merged {
		if o.isOwnKptfile(c) {
			it, err := o.item(c)
			if err != nil {
				return nil, err
			}
			out = append(out, it)
		}
	}
	out = append(out, made...)
	if !o.keep {
		return out, nil
	}
	for _, it := range o.sides.list {
		if !slices.Contains(o.sides.items[identity.Local], it) {
			out = append(out, kept(it.in))
		}
	}
	return out, nil
}

// isOwnKptfile reports whether a resource is the Kptfile at the top of local's package, or of
// the package that the list holds.
func (o output) isOwnKptfile(c *pkgmerge.Change) bool {
	l := c.Versions[identity.Local]
	if l == nil || c.Result == nil || l.Meta.Kind != "Kptfile" {
		return false
	}
	at := o.itemOf(l).path
	return at == "Kptfile" || at == path.Join(o.sides.dir[identity.Local], "Kptfile")
}
