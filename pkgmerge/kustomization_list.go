package pkgmerge

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// listing keeps the `resources` of local's kustomizations in step with the files of the result
// (rules/placement: kustomizations): it lists a new file where the files beside it are listed,
// and no file that goes.
type listing struct {
	files *files
	// result are the files of the result that have resources, and every directory around them.
	result map[string]bool
	// renamed are the files that go, with those that their resources went to.
	renamed map[string][]string
	// added are upstream's resources that are in a file that local lacks.
	added []*Change
	// used are the files that the kustomizations of the result name in any field.
	used map[string]bool
}

// listFiles has local's kustomizations list the files of the result.
func (f *files) listFiles(changes []*Change) error {
	l := listing{files: f, result: map[string]bool{}, renamed: map[string][]string{}, used: map[string]bool{}}
	var lists []*Change
	for _, c := range changes {
		if c.present() {
			addDirectories(l.result, c.Result.File)
		}
		if c.stays() && isKustomizationFile(c.Result.File) {
			lists = append(lists, c)
		}
	}
	if len(lists) == 0 {
		return nil
	}
	for _, c := range changes {
		l.learn(c)
	}
	for _, c := range lists {
		for _, named := range namesIn(c.Result) {
			l.used[resolved(c.Result.File, named)] = true
		}
	}
	for _, c := range lists {
		if err := l.edit(c); err != nil {
			return err
		}
	}
	return nil
}

// addDirectories adds a file and the directories around it.
func addDirectories(to map[string]bool, file string) {
	for ; file != "." && file != "/" && !to[file]; file = path.Dir(file) {
		to[file] = true
	}
}

// learn notes where the file of a resource goes, and a file that comes. What is to be marked as
// deleted may yet stay.
func (l *listing) learn(c *Change) {
	was := c.Versions[identity.Local]
	switch {
	case was != nil && was.File != "" && !l.result[was.File]:
		to := l.renamed[was.File]
		if c.Moved && !slices.Contains(to, c.Result.File) {
			to = append(to, c.Result.File)
		}
		if l.renamed[was.File] = to; c.Action == Deleted && len(c.Conflicts) > 0 && c.policy().Marks(nil) {
			l.result[was.File] = true
			delete(l.renamed, was.File)
		}
	case c.Action == Added && c.Result.Meta.Naming == identity.ByName && !l.files.local[c.Result.File]:
		l.added = append(l.added, c)
	}
}

// resolved is what a kustomization names, below the top of the package.
func resolved(kustomization, named string) string {
	return path.Join(path.Dir(kustomization), named)
}

// edit changes the `resources` of a kustomization where files came or went.
func (l *listing) edit(c *Change) error {
	tree, err := c.Result.Tree()
	if err != nil {
		return nil // it is told elsewhere
	}
	before := yamlnode.Field(tree, "resources")
	if before == nil || before.Kind != yaml.SequenceNode {
		return nil
	}
	after := l.listed(c, before)
	if slices.Equal(entriesOf(before), entriesOf(after)) {
		return nil
	}
	return l.write(c, tree, after)
}

// listed are the entries that a kustomization is to have.
func (l *listing) listed(c *Change, before *yaml.Node) *yaml.Node {
	after := *before
	after.Content = nil
	following := l.following(c, before)
	has := map[string]bool{}
	add := func(file string) {
		if !has[file] {
			has[file] = true
			after.Content = append(after.Content, yamlnode.String(relative(path.Dir(c.Result.File), file)))
		}
	}
	for _, n := range before.Content {
		file := resolved(c.Result.File, n.Value)
		has[file] = has[file] || l.result[file]
	}
	for _, n := range before.Content {
		file := resolved(c.Result.File, n.Value)
		to, gone := l.renamed[file]
		switch {
		case l.result[file] || !gone && l.placed(file) == nil:
			after.Content = append(after.Content, n)
		case gone:
			for _, file := range to {
				add(file)
			}
		default:
			for _, file := range l.placed(file) {
				add(file)
			}
		}
		for _, file := range following[file] {
			add(file)
		}
	}
	return &after
}

// placed are the files that have what upstream has in a file that the result lacks.
func (l *listing) placed(file string) (out []string) {
	for _, a := range l.files.put[file] {
		out = append(out, a.Result.File)
	}
	return out
}

// following are the files that are new and that a kustomization is to list, by the file of the nearest neighbour
// that it lists. Where upstream has the kustomization too, and lists the neighbour alone, the new file is not to be
// listed.
func (l *listing) following(c *Change, list *yaml.Node) map[string][]string {
	listed, upstreams := map[string]bool{}, map[string]bool{}
	for _, named := range entriesOf(list) {
		listed[resolved(c.Result.File, named)] = true
	}
	if u := c.Versions[identity.Upstream]; u != nil {
		for _, named := range namesIn(u) {
			upstreams[resolved(u.File, named)] = true
		}
	}
	out := map[string][]string{}
	for _, added := range l.added {
		u := added.Versions[identity.Upstream]
		beside := l.files.inPackageOf(added, l.files.which[u.File])
		if len(beside) == 0 {
			beside = l.files.inPackageOf(added, l.files.directories[path.Dir(u.File)])
		}
		var nearest *Change
		for _, other := range beside {
			if listed[other.Result.File] && (nearest == nil || isBefore(other.Versions[identity.Upstream], u)) {
				nearest = other
			}
		}
		if nearest != nil && !l.used[added.Result.File] && !upstreams[nearest.Versions[identity.Upstream].File] {
			out[nearest.Result.File] = append(out[nearest.Result.File], added.Result.File)
		}
	}
	return out
}

// write puts the entries into the text of a kustomization.
func (l *listing) write(c *Change, tree, entries *yaml.Node) error {
	m := l.files.merger
	wanted := yamlnode.Put(tree, nil, "resources", entries)
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
	comments := m.options.MergeComments
	m.options.MergeComments = CommentNever // what is merged here is local's own
	edited, err := newChange(m, match, out)
	m.options.MergeComments = comments
	if err != nil {
		return err
	}
	c.Result.item = edited.Result.item
	if c.Action == Unchanged {
		c.Action = Changed
	}
	c.notes = append(c.notes, note{text: "its resources follow the files of the package"})
	return nil
}

// entriesOf are the texts of a list.
func entriesOf(list *yaml.Node) (out []string) {
	for _, n := range yamlnode.Elements(list) {
		out = append(out, n.Value)
	}
	return out
}

// relative is a file as a kustomization in a directory names it.
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

// namesIn are the files and directories that a kustomization names in any field.
func namesIn(r *Resource) (out []string) {
	tree, err := r.Tree()
	if err != nil {
		return nil
	}
	for _, field := range [8]string{"resources", "bases", "components", "crds", "configurations", "generators", "transformers", "validators"} {
		out = append(out, entriesOf(yamlnode.Field(tree, field))...)
	}
	for _, n := range patchesOf(tree) {
		if name := yamlnode.Text(n); name != "" {
			out = append(out, name)
		}
	}
	for _, n := range yamlnode.Elements(yamlnode.Field(tree, "replacements")) {
		if name := yamlnode.Text(yamlnode.Field(n, "path")); name != "" {
			out = append(out, name)
		}
	}
	return slices.DeleteFunc(out, func(name string) bool { return strings.Contains(name, "\n") })
}

// lacking warn of what the kustomizations of the result name and the package lacks. A package that is not
// made of files may be a part of one: there only what a version of it has counts.
func (r *Result) lacking() []Notice {
	has, had := map[string]bool{}, map[string]bool{}
	for _, f := range r.files {
		addDirectories(has, f.Name)
	}
	for _, c := range r.Merged {
		addDirectories(has, c.Result.File)
	}
	for _, c := range r.Changes {
		for _, version := range c.Versions {
			if version != nil {
				addDirectories(had, version.File)
			}
		}
	}
	var out []Notice
	for _, c := range r.Merged {
		if !isKustomizationFile(c.Result.File) {
			continue
		}
		var names []string
		for _, name := range namesIn(c.Result) {
			at := resolved(c.Result.File, name)
			if isInside(at, name) && !has[at] && (r.ofFiles || had[at]) {
				names = append(names, name)
			}
		}
		if names != nil {
			out = append(out, Notice{Warning: true, Change: c, Text: "it names " + strings.Join(names, ", ") + ", which the package lacks"})
		}
	}
	return out
}

// isInside reports whether what a kustomization names, by a name and thus at a place, is in the package: no
// URL, and nothing around the package.
func isInside(at, name string) bool {
	host, _, deep := strings.Cut(name, "/")
	remote := strings.Contains(name, "://") || strings.Contains(name, "?") || strings.HasPrefix(name, "git@") ||
		deep && strings.Trim(host, ".") != "" && strings.Contains(host, ".")
	return !remote && at != "." && at != ".." && !strings.HasPrefix(at, "../") && !path.IsAbs(name)
}
