package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// chosenChanges returns origin's package with some of local's changes, and their number (rules/blame: contributions).
// compared is the merge of origin, origin and local; choose reports whether a change is to be in: the path at is nil for
// a resource that one of the two lacks.
func chosenChanges(compared *pkgmerge.Result, origin pkgmerge.Package, choose func(c *pkgmerge.Change, at *merge.Comparison) bool) (out pkgmerge.Package, n int, err error) {
	s := selection{kinds: schema.New(nil, nil, true), choose: choose, trees: map[*pkgmerge.Resource]*yaml.Node{}}
	for _, c := range compared.Changes {
		if err := s.change(c); err != nil {
			return out, 0, err
		}
	}
	out = origin
	out.Resources = nil
	for _, r := range origin.Resources {
		tree, changed := s.trees[r]
		switch {
		case !changed:
			out.Resources = append(out.Resources, r)
		case tree != nil:
			out.Resources = append(out.Resources, pkgmerge.NewResource(r.File, r.Index, tree))
		}
	}
	out, err = withAdded(out, s.added)
	return out, s.count, err
}

// withAdded returns a package with more resources, and with the files of them that it lacks.
func withAdded(p pkgmerge.Package, added []*pkgmerge.Resource) (pkgmerge.Package, error) {
	var files []pkgmerge.File
	for _, r := range added {
		isOwn := func(f pkgmerge.File) bool { return f.Name == r.File }
		if slices.ContainsFunc(p.Files, isOwn) {
			p.Resources = append(p.Resources, r)
			continue
		}
		text, err := r.YAML()
		if err != nil {
			return p, err
		}
		if at := slices.IndexFunc(files, isOwn); at >= 0 {
			files[at].Data = slices.Concat(files[at].Data, []byte("---\n"), text)
		} else {
			files = append(files, pkgmerge.File{Name: r.File, Mode: 0o644, Data: text})
		}
	}
	for _, f := range files {
		var err error
		if p, err = p.WithFile(f); err != nil {
			return p, err
		}
	}
	return p, nil
}

// selection selects changes.
type selection struct {
	kinds  *schema.Schema
	choose func(*pkgmerge.Change, *merge.Comparison) bool
	count  int
	// trees are the changed resources of origin's, nil for a deleted one.
	trees map[*pkgmerge.Resource]*yaml.Node
	added []*pkgmerge.Resource
}

// change selects the changes of one resource.
func (s *selection) change(c *pkgmerge.Change) error {
	o, l := c.Versions[identity.Origin], c.Versions[identity.Local]
	versions, _, err := c.Contents()
	if err != nil {
		return err
	}
	from, to := versions[identity.Origin], versions[identity.Local]
	switch {
	case o == nil && l == nil:
	case o == nil && s.choose(c, &merge.Comparison{To: to}):
		s.count++
		s.added = append(s.added, l)
	case l == nil && s.choose(c, &merge.Comparison{From: from}):
		s.count++
		s.trees[o] = nil
	case o != nil && l != nil:
		return s.fields(c, from, to)
	}
	return nil
}

// fields selects the changes of the fields of a resource that both versions have.
func (s *selection) fields(c *pkgmerge.Change, from, to *yaml.Node) error {
	o := c.Versions[identity.Origin]
	compared, err := merge.CompareRekeyed(from, to, s.kinds.Resource(identity.Group(o.Meta.APIVersion), identity.Version(o.Meta.APIVersion), o.Meta.Kind))
	if err != nil {
		return fmt.Errorf("%s: %w", o, err)
	}
	before := s.count
	if tree := s.node(c, compared); s.count > before {
		s.trees[o] = tree
	}
	return nil
}

// node returns origin's value with the selected changes, nil if the value is not there.
func (s *selection) node(c *pkgmerge.Change, at *merge.Comparison) *yaml.Node {
	switch {
	case at.From != nil && at.To != nil && at.Equal():
		return at.From
	case at.IsMap():
		return s.mapping(c, at)
	case at.IsList():
		return s.list(c, at)
	case at.From == nil && at.To == nil || !s.choose(c, at):
		return at.From
	}
	s.count++
	return at.To
}

// mapping returns a map with the selected changes of its fields.
func (s *selection) mapping(c *pkgmerge.Change, at *merge.Comparison) *yaml.Node {
	out := at.From
	for _, part := range at.Parts {
		switch value := s.node(c, part); {
		case value == part.From:
		case value == nil:
			out = yamlnode.Without(out, func(name string) bool { return name == part.Name() })
		default:
			out = yamlnode.Put(out, at.To, part.Name(), value)
		}
	}
	return out
}

// list returns a list with the selected changes of its elements: origin's in their order, and a new one behind its
// predecessor in local.
func (s *selection) list(c *pkgmerge.Change, at *merge.Comparison) *yaml.Node {
	out := *at.From
	out.Content = slices.Clone(at.From.Content)
	removed := map[*yaml.Node]bool{}
	var before *yaml.Node
	for _, part := range at.Parts {
		value := s.element(c, part)
		switch {
		case part.From == nil && value != nil:
			out.Content = slices.Insert(out.Content, slices.Index(out.Content, before)+1, value)
		case part.From != nil && value == nil:
			removed[part.From] = true
		case part.From != nil:
			out.Content[slices.Index(out.Content, part.From)] = value
		}
		if value != nil && part.To != nil {
			before = value
		}
	}
	out.Content = slices.DeleteFunc(out.Content, func(n *yaml.Node) bool { return removed[n] })
	return &out
}

// element returns origin's element of a list with the selected changes. One under another key is selected by both paths.
func (s *selection) element(c *pkgmerge.Change, at *merge.Comparison) *yaml.Node {
	if at.ToPath != nil {
		under := *at
		under.Path = at.ToPath
		if s.choose(c, &under) {
			s.count++
			return at.To
		}
	}
	return s.node(c, at)
}

// madeChanges are the changes of some commits.
type madeChanges struct {
	// values are the values that they gave fields, nil for deletions, by the resources and paths.
	values map[identity.ID]map[string]*yaml.Node
	// files are the names of the changed files that are no resources.
	files map[string]bool
}

// has reports whether a commit made a change that is still there, or added something above it.
func (m madeChanges) has(c *pkgmerge.Change, at *merge.Comparison) bool {
	for _, id := range idsOf(c) {
		if value, made := m.values[id][at.Path.String()]; made && (at.To != nil && at.To.Kind != yaml.ScalarNode || merge.Same(value, at.To)) {
			return true
		}
		for above := at.Path; above != nil; {
			above = above.Parent()
			if _, made := m.values[id][above.String()]; made {
				return true
			}
		}
	}
	return false
}

// idsOf returns the identities of a resource on all sides: a commit knows it by one of them.
func idsOf(c *pkgmerge.Change) []identity.ID {
	ids := []identity.ID{c.ID}
	for _, r := range c.Versions {
		if r != nil {
			ids = append(ids, r.ID())
		}
	}
	return ids
}

// addAll adds the changes of a commit.
func (m madeChanges) addAll(merged *pkgmerge.Result) error {
	for _, c := range merged.FileChanges {
		if isChanged(c) {
			m.files[c.Name] = true
		}
	}
	for _, c := range merged.Changes {
		if err := m.add(c); err != nil {
			return err
		}
	}
	return nil
}

// add adds the changes of a resource.
func (m madeChanges) add(c *pkgmerge.Change) error {
	versions, _, err := c.Contents()
	if err != nil {
		return err
	}
	from, to := versions[identity.Origin], versions[identity.Local]
	meta := c.Newest().Meta
	kind := schema.New(nil, nil, true).Resource(identity.Group(meta.APIVersion), identity.Version(meta.APIVersion), meta.Kind)
	differences, err := merge.Differences(from, to, kind)
	for _, d := range differences {
		for _, id := range idsOf(c) {
			if m.values[id] == nil {
				m.values[id] = map[string]*yaml.Node{}
			}
			m.values[id][d.Path.String()] = d.To
		}
	}
	return err
}

// changedTexts returns the names of the files that are no resources and that the copy, or its chosen commits, changed. A
// path chooses no such file, and without a commit a file that only one of the two has is no change.
func (r *contributeRun) changedTexts(compared *pkgmerge.Result, made madeChanges) (names []string) {
	for _, c := range compared.FileChanges {
		inBoth := c.Versions[identity.Origin] != nil && c.Versions[identity.Local] != nil
		isMeant := inBoth && len(r.commits) == 0 || made.files[c.Name]
		if isMeant && len(r.patterns) == 0 && isChanged(c) {
			names = append(names, c.Name)
		}
	}
	return names
}

// isChanged reports whether local has another file than origin.
func isChanged(c *pkgmerge.FileChange) bool {
	o, l := c.Versions[identity.Origin], c.Versions[identity.Local]
	if o == nil || l == nil {
		return o != l
	}
	return o.Mode != l.Mode || !bytes.Equal(o.Data, l.Data)
}

// changesOfCommits returns the changes of the commits of the flag in a directory, which is a copy of origin.
func (r *contributeRun) changesOfCommits(ctx context.Context, dir string, origin pkgmerge.Package) (madeChanges, error) {
	out := madeChanges{values: map[identity.ID]map[string]*yaml.Node{}, files: map[string]bool{}}
	if len(r.commits) == 0 {
		return out, nil
	}
	work, err := findRepository(ctx, "--commit", dir)
	if err != nil {
		return out, err
	}
	for _, commit := range r.commits {
		merged, err := changesOfCommit(ctx, work, commit, origin)
		if err != nil {
			return out, err
		}
		if err := out.addAll(merged); err != nil {
			return out, err
		}
	}
	return out, nil
}

// changesOfCommit merges the version of a commit into the one before it, so that the result has the commit's changes.
// The commit that brought the package changed it as the copy differs from origin.
func changesOfCommit(ctx context.Context, work *gitrepo.WorkTree, commit string, origin pkgmerge.Package) (*pkgmerge.Result, error) {
	after, err := revision(ctx, work, commit)
	if err != nil {
		return nil, fmt.Errorf("--commit: %w", err)
	}
	before, err := revision(ctx, work, commit+"^")
	if err != nil || len(before.Resources) == 0 {
		before = origin
	}
	merged, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{before, before, after}, quietly())
	if err != nil {
		return nil, fmt.Errorf("--commit %s: %w", commit, err)
	}
	return merged, nil
}

func revision(ctx context.Context, work *gitrepo.WorkTree, name string) (pkgmerge.Package, error) {
	v, err := work.Revision(ctx, name)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return packageOf(v)
}

// packageOf returns the package of a version without the files that its .krmignore names.
func packageOf(v *gitrepo.Version) (pkgmerge.Package, error) {
	files, err := file.WithoutIgnored(v.Files, v.Files)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	return pkgmerge.NewPackage(file.As[pkgmerge.File](files))
}
