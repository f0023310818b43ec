package pkgmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// listing keeps the names of files in local's kustomizations in step with the files of the result
// (rules/placement: kustomizations): a name follows its file in every field, a new file is listed where
// its neighbours are listed, and a deleted file leaves the lists.
type listing struct {
	files *files
	// result are the files of the result with resources, and every directory around them.
	result map[string]bool
	// renamed maps files and directories that the result lacks to the files with their contents.
	renamed map[string][]string
	// added are upstream's resources in files that local lacks.
	added []*Change
	// away are upstream's files that stay away, because local removed their resources or everything in their directory.
	away map[string]bool
	// used are the files that the kustomizations of the result name in any field.
	used map[string]bool
	// has are the files and directories of each side, by the side's own names.
	has [3]map[string]bool
	// kept are local's files, and directories of kustomizations, that stay although upstream deleted their resources.
	kept map[string]bool
}

// listFiles updates the names of files in the kustomizations of the result.
func (f *files) listFiles(changes []*Change) error {
	l := listing{files: f, result: map[string]bool{}, renamed: map[string][]string{}, used: map[string]bool{}, kept: map[string]bool{}, away: map[string]bool{}}
	lists := slices.DeleteFunc(slices.Clone(changes), func(c *Change) bool {
		return !c.present() || !bookkeeping.IsKustomization(c.Result.File)
	})
	if len(lists) == 0 {
		return nil
	}
	l.learnAll(changes)
	for _, c := range lists {
		for _, named := range namesIn(c.Result) {
			l.used[named.at] = true
		}
	}
	for _, c := range lists {
		if err := l.edit(c); err != nil {
			return err
		}
	}
	return nil
}

// learnAll records the files of the result, and the renamed and added files.
func (l *listing) learnAll(changes []*Change) {
	for _, c := range changes {
		if c.present() {
			addDirectories(l.result, c.Result.File)
		}
	}
	for _, c := range changes {
		l.learn(c)
	}
	for _, f := range l.files.assembly.packages[identity.Upstream].Files {
		if l.files.assembly.staysAway(f.Name) {
			l.away[f.Name] = true
		}
	}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		l.has[side] = map[string]bool{}
		for name := range l.files.assembly.packages[side].fileNames() {
			addDirectories(l.has[side], l.files.assembly.ownFile(side, name))
		}
	}
	l.learnKept(changes)
	l.learnFiles()
}

// learnKept records the files that stay although upstream deleted their resources: a conflict keeps local's changes.
func (l *listing) learnKept(changes []*Change) {
	for _, c := range changes {
		was := c.Versions[identity.Local]
		if was == nil || c.Versions[identity.Origin] == nil || c.Versions[identity.Upstream] != nil || !c.present() && !c.mayStay() {
			continue
		}
		l.kept[was.File] = true
		if bookkeeping.IsKustomization(was.File) {
			l.kept[path.Dir(was.File)] = true
		}
	}
	for _, c := range changes {
		if u := c.Versions[identity.Upstream]; u != nil {
			delete(l.kept, u.File)
		}
	}
}

// addDirectories adds a file and the directories around it.
func addDirectories(to map[string]bool, file string) {
	for ; file != "" && file != "." && file != "/" && !to[file]; file = path.Dir(file) {
		to[file] = true
	}
}

// learn records the renamed and added files of a resource. A file of upstream whose resources local removed stands
// for origin's file. A resource whose deletion is marked may still stay.
func (l *listing) learn(c *Change) {
	was := c.Versions[identity.Local]
	if was != nil && c.mayStay() && !l.result[was.File] {
		l.result[was.File] = true
		delete(l.renamed, was.File)
	}
	if was != nil && was.File != "" && !l.result[was.File] && l.renamed[was.File] == nil {
		l.renamed[was.File] = []string{}
	}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		if v := c.Versions[side]; v != nil && c.present() {
			l.rename(v.File, c.Result.File)
		}
	}
	if u := c.Versions[identity.Upstream]; u != nil && !c.present() && !(len(c.Conflicts) > 0 && c.policy().Marks(nil)) {
		if o := c.Versions[identity.Origin]; o != nil { // local has other resources in the file
			l.rename(u.File, o.File)
		}
	}
	if u := c.Versions[identity.Upstream]; u != nil && was == nil && !c.present() && len(c.Conflicts) == 0 && !l.result[u.File] {
		l.away[l.files.assembly.upstreamFile(u)] = true
	}
	if was == nil && c.Action == Added && c.Result.Meta.Naming == identity.ByName && !l.files.local[c.Result.File] {
		l.added = append(l.added, c)
	}
}

// mayStay reports whether the deletion of a resource is marked.
func (c *Change) mayStay() bool {
	return c.Action == Deleted && len(c.Conflicts) > 0 && c.policy().Marks(nil)
}

// rename records that the contents of a file went to another file, if the result lacks the first. The
// directory of a kustomization goes with it.
func (l *listing) rename(from, to string) {
	if from == "" || l.result[from] || !l.result[to] {
		return
	}
	if !slices.Contains(l.renamed[from], to) {
		l.renamed[from] = append(l.renamed[from], to)
	}
	if bookkeeping.IsKustomization(from) && bookkeeping.IsKustomization(to) {
		l.rename(path.Dir(from), path.Dir(to))
	}
}

// learnFiles records renamed files without resources: in the directories that local moved, and the ones
// that upstream or local renamed.
func (l *listing) learnFiles() {
	m := l.files.assembly
	moved := [3]map[string]string{identity.Origin: m.followed, identity.Upstream: m.successors(identity.Upstream), identity.Local: m.successors(identity.Local)}
	if len(moved[identity.Origin])+len(moved[identity.Upstream])+len(moved[identity.Local]) == 0 {
		return
	}
	for _, c := range m.fileChanges() {
		if m.decideFile(c); c.Result != nil {
			addDirectories(l.result, c.Name)
		}
	}
	for _, to := range moved {
		for _, from := range slices.Sorted(maps.Keys(to)) {
			if len(l.renamed[from]) == 0 {
				l.rename(from, to[from])
			}
		}
	}
}

// resolved returns the file that a kustomization names, below the top of the package.
func resolved(kustomization, named string) string {
	return path.Join(path.Dir(kustomization), named)
}

// edit changes a kustomization whose files were added, deleted or renamed.
func (l *listing) edit(c *Change) error {
	tree, err := c.Result.Tree()
	if err != nil {
		return nil // another notice reports the error
	}
	wanted, dangling := l.withoutAway(c, tree), l.dangling(c)
	for _, field := range nameFields() {
		wanted = replaceNames(wanted, field, func(n *yaml.Node) []*yaml.Node {
			if dangling[joinField(field)+"\x00"+n.Value] {
				return []*yaml.Node{n}
			}
			return l.follow(c, field, n)
		})
	}
	if wanted = l.list(c, l.relist(c, wanted)); wanted == tree {
		return nil
	}
	return l.write(c, wanted)
}

// withoutAway takes the names that upstream added of files that stay away out of a kustomization: whole elements with such a
// path, and the directory of a kustomization that stays away.
func (l *listing) withoutAway(c *Change, tree *yaml.Node) *yaml.Node {
	u := c.Versions[identity.Upstream]
	if len(l.away) == 0 || u == nil {
		return tree
	}
	own := map[string]bool{}
	if was := c.Versions[identity.Local]; was != nil {
		for _, named := range namesIn(was) {
			own[named.field+"\x00"+named.entry] = true
		}
	}
	isAway := func(field []string, n *yaml.Node) bool {
		_, name := splitKey(field, n.Value)
		at := resolved(l.files.assembly.upstreamFile(u), name)
		return name != "" && !own[joinField(field)+"\x00"+n.Value] && !l.result[at] && !l.result[resolved(c.Result.File, name)] && len(l.renamed[at]) == 0 &&
			(l.away[at] || l.away[path.Join(at, "kustomization.yaml")] || l.away[path.Join(at, "kustomization.yml")] || l.away[path.Join(at, "Kustomization")])
	}
	for _, field := range nameFields() {
		if list := yamlnode.Field(tree, field[0]); len(field) > 1 && field[1] == "path" && list != nil && list.Kind == yaml.SequenceNode {
			without := *list
			without.Content = slices.DeleteFunc(slices.Clone(list.Content), func(e *yaml.Node) bool {
				n := yamlnode.Field(yamlnode.Resolve(e), "path")
				return n != nil && isAway(field, n)
			})
			if len(without.Content) < len(list.Content) {
				tree = yamlnode.WithField(tree, field[0], &without)
			}
			continue
		}
		tree = replaceNames(tree, field, func(n *yaml.Node) []*yaml.Node {
			if isAway(field, n) {
				return nil
			}
			return []*yaml.Node{n}
		})
	}
	return tree
}

// dangling returns the entries of a kustomization, by field, that a side has, though it lacks the file or directory: that
// side moved or removed the file, and left the name.
func (l *listing) dangling(c *Change) map[string]bool {
	out := map[string]bool{}
	for _, side := range [2]identity.Side{identity.Upstream, identity.Local} {
		v := c.Versions[side]
		if v == nil {
			continue
		}
		for _, n := range namesIn(v) {
			if !l.has[side][resolved(l.files.assembly.ownFile(side, v.File), n.name)] {
				out[n.field+"\x00"+n.entry] = true
			}
		}
	}
	return out
}

// follow returns the replacements of a name in a kustomization. A file keeps its key in a ConfigMap.
func (l *listing) follow(c *Change, field []string, n *yaml.Node) []*yaml.Node {
	key, name := splitKey(field, n.Value)
	to, gone := l.replacements(c, name)
	switch {
	case !gone || len(to) == 0 && len(field) > 1 || len(to) > 1 && field[len(field)-1] == "files":
		return []*yaml.Node{n}
	case field[len(field)-1] == "files" && key == "" && path.Base(to[0]) != path.Base(name):
		key = path.Base(name) + "="
	}
	out := make([]*yaml.Node, len(to))
	for i, file := range to {
		out[i] = yamlnode.WithText(n, key+relative(path.Dir(c.Result.File), file))
	}
	return out
}

// replacements returns the files that replace a name of a kustomization, if the result lacks the named
// file. The name may be relative to the directory of the kustomization in upstream or local.
func (l *listing) replacements(c *Change, name string) (to []string, gone bool) {
	homes := []string{c.Result.File}
	if was := c.Versions[identity.Local]; was != nil {
		homes = append(homes, was.File)
	}
	if u := c.Versions[identity.Upstream]; u != nil {
		homes = append(homes, l.files.assembly.upstreamFile(u))
	}
	for i, home := range homes {
		at := resolved(home, name)
		switch to, gone := l.renamed[at]; {
		case l.result[at]:
			return []string{at}, i > 0 && at != resolved(c.Result.File, name)
		case gone:
			return to, true
		}
	}
	return nil, false
}

// relist puts the kept files that upstream took off `resources` back, behind the entry before them in local's list.
func (l *listing) relist(c *Change, tree *yaml.Node) *yaml.Node {
	was := c.Versions[identity.Local]
	if was == nil || len(l.kept) == 0 {
		return tree
	}
	own, err := was.Tree()
	if err != nil {
		return tree // another notice reports the error
	}
	locals, list := yamlnode.Field(own, "resources"), yamlnode.Field(tree, "resources")
	names := func(n *yaml.Node) func(*yaml.Node) bool {
		return func(other *yaml.Node) bool {
			return resolved(c.Result.File, other.Value) == resolved(was.File, n.Value)
		}
	}
	content, at := slices.Clone(yamlnode.Elements(list)), 0
	for _, n := range yamlnode.Elements(locals) {
		if i := slices.IndexFunc(content, names(n)); i >= 0 {
			at = i + 1
		} else if l.kept[resolved(was.File, n.Value)] {
			content = slices.Insert(content, at, n)
			at++
		}
	}
	if len(content) == len(yamlnode.Elements(list)) {
		return tree
	}
	after := *cmp.Or(list, locals)
	after.Content = content
	return yamlnode.WithField(tree, "resources", &after)
}

// list adds the new files to `resources`, behind their nearest neighbours.
func (l *listing) list(c *Change, tree *yaml.Node) *yaml.Node {
	list := yamlnode.Field(tree, "resources")
	following := l.following(c, list)
	if len(following) == 0 {
		return tree
	}
	after, has := *list, map[string]bool{}
	after.Content = nil
	for _, n := range list.Content {
		has[resolved(c.Result.File, n.Value)] = true
	}
	for _, n := range list.Content {
		after.Content = append(after.Content, n)
		for _, file := range following[resolved(c.Result.File, n.Value)] {
			if !has[file] {
				has[file] = true
				after.Content = append(after.Content, yamlnode.String(relative(path.Dir(c.Result.File), file)))
			}
		}
	}
	return yamlnode.WithField(tree, "resources", &after)
}

// following returns the new files to list in a kustomization, by the file of the nearest listed neighbour.
// A new file is not listed if upstream's version of the kustomization lists only the neighbour.
func (l *listing) following(c *Change, list *yaml.Node) map[string][]string {
	listed, upstreams := map[string]bool{}, map[string]bool{}
	for _, n := range yamlnode.Elements(list) {
		listed[resolved(c.Result.File, n.Value)] = true
	}
	if u := c.Versions[identity.Upstream]; u != nil {
		for _, named := range namesIn(u) {
			upstreams[named.at] = true
		}
	}
	out := map[string][]string{}
	for _, added := range l.added {
		nearest := l.neighbour(added, listed)
		if nearest != nil && !l.used[added.Result.File] && !upstreams[nearest.Versions[identity.Upstream].File] {
			out[nearest.Result.File] = append(out[nearest.Result.File], added.Result.File)
		}
	}
	return out
}

// neighbour returns the nearest listed resource beside an added one: of its file, else of its directory.
func (l *listing) neighbour(added *Change, listed map[string]bool) (nearest *Change) {
	u := added.Versions[identity.Upstream]
	beside := l.files.inPackageOf(added, l.files.inFile[u.File])
	if len(beside) == 0 {
		beside = l.files.inPackageOf(added, l.files.inDirectory[path.Dir(u.File)])
	}
	for _, other := range beside {
		if listed[other.Result.File] && (nearest == nil || isBefore(other.Versions[identity.Upstream], u)) {
			nearest = other
		}
	}
	return nearest
}

// write writes a kustomization with another tree.
func (l *listing) write(c *Change, wanted *yaml.Node) error {
	m := l.files.assembly
	match := m.newMatch(c.how)
	match.packages = c.packages
	match.Versions = [3]*Resource{c.Result, NewResource(c.Result.File, c.Result.Index, wanted), c.Result}
	trees, err := match.Trees()
	if err != nil {
		return err
	}
	out, err := merge.Resource(trees, match.kind(trees), merge.Prefer(merge.PreferUpstream))
	if err != nil {
		return fmt.Errorf("%s: %w", c.Newest(), err)
	}
	edited, err := m.newLocalChange(match, out)
	if err != nil {
		return err
	}
	c.Result.item = edited.Result.item
	if was := c.Versions[identity.Local]; was != nil && c.Result.File == was.File && bytes.Equal(c.Result.item.Text(), was.item.Text()) {
		c.Action = Unchanged
		return nil
	}
	if c.Action == Unchanged {
		c.Action = Changed
	}
	c.notes = append(c.notes, note{text: "its names of files follow the files of the package"})
	return nil
}

// newLocalChange is newChange without merge comments: the merged list is local's own.
func (m *merger) newLocalChange(match *Match, out merge.Outcome) (*Change, error) {
	return newChange(m.withOptions(func(o *Options) { o.MergeComments = CommentNever }), match, out)
}

// relative returns the name of a file relative to a directory.
func relative(dir, file string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir == "." {
		return up + file
	}
	return up + strings.TrimPrefix(file, dir+"/")
}
