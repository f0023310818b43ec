package update

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// files are the files of a package, with names relative to it.
type files []pkgmerge.File

func filesOf(v *gitrepo.Version) files { return file.As[pkgmerge.File](v.Files) }

// unignored returns the files of a version that neither its own .krmignore nor local's
// ignores: files that local ignores are not part of the copy.
func (fs files) unignored(local files) (files, error) {
	own, err := file.WithoutIgnored(fs, fs)
	if err != nil {
		return nil, err
	}
	return file.WithoutIgnored(own, local)
}

// isBelow reports whether a file is in a directory or in a subdirectory of it.
func isBelow(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

// inside returns the files of a directory, with names relative to it.
func (fs files) inside(dir string) (inside files) {
	for _, f := range fs {
		if isBelow(f.Name, dir) {
			f.Name = f.Name[len(dir)+1:]
			inside = append(inside, f)
		}
	}
	return inside
}

// except returns the files whose names do not match a predicate.
func (fs files) except(drop func(name string) bool) files {
	return slices.DeleteFunc(slices.Clone(fs), func(f pkgmerge.File) bool { return drop(f.Name) })
}

// with returns the files and others, which are in a directory, sorted by name.
func (fs files) with(others files, dir string) files {
	all := slices.Clone(fs)
	for _, f := range others {
		f.Name = path.Join(dir, f.Name)
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// find returns the file with a name, nil if there is none.
func (fs files) find(name string) *pkgmerge.File {
	for i := range fs {
		if fs[i].Name == name {
			return &fs[i]
		}
	}
	return nil
}

// replace returns the files with one that replaces the file with its name.
func (fs files) replace(f pkgmerge.File) files {
	return fs.except(func(name string) bool { return name == f.Name }).with(files{f}, "")
}

// kptfile returns the Kptfile in a directory, nil if there is none that kpt could read.
func (fs files) kptfile(dir string) *kptfile {
	f := fs.find(path.Join(dir, "Kptfile"))
	if f == nil {
		return nil
	}
	k, err := readKptfile(*f)
	if err != nil {
		return nil
	}
	return k
}

// ParseArgument splits PKG@VERSION, where PKG may have an @ in it if it exists. Without a package it returns the current
// directory, and without a version the Kptfile's applies.
func ParseArgument(arg string) (dir, version string, err error) {
	known := existing(arg)
	rest, version, found := strings.Cut(arg[len(known):], "@")
	dir = known + rest
	if strings.Contains(version, "@") {
		return "", "", errors.New("at most 1 version permitted")
	}
	if found && version == "" {
		return "", "", fmt.Errorf("no version follows the @ of %q", arg)
	}
	return cmp.Or(dir, "."), version, nil
}

// existing returns the part in front of an @ of PKG@VERSION that exists, or all of it; "" if none does.
func existing(arg string) string {
	for at := len(arg); at > 0; at = strings.LastIndexByte(arg[:at], '@') {
		if _, err := os.Lstat(arg[:at]); err == nil {
			return arg[:at]
		}
	}
	return ""
}

// DirtyError is the error for a package with changes that are not committed to git: its update
// could not be undone.
type DirtyError struct {
	// Dir is the package; Files are its uncommitted files, relative to the top of the repository.
	Dir   string
	Files []string
}

func (e *DirtyError) Error() string {
	return fmt.Sprintf("package %q contains uncommitted changes: %s", e.Dir, wording.FirstFile(e.Files))
}

// CheckClean returns a *DirtyError if a package has changes, staged or not, or, withUntracked, untracked files that
// git does not ignore (rules/update: refused packages). work is the work tree of the package, nil
// if it is not in a repository: then there is nothing to check.
func CheckClean(ctx context.Context, work *gitrepo.WorkTree, dir string, withUntracked bool) error {
	if work == nil {
		return nil
	}
	changes, err := work.Changes(ctx, withUntracked)
	changes = slices.DeleteFunc(changes, func(name string) bool { return name == path.Join(work.Name, file.Config) })
	if err == nil && len(changes) > 0 {
		err = &DirtyError{Dir: dir, Files: changes}
	}
	return err
}

// resourceKey identifies a resource of an updated package by file and identity.
type resourceKey struct {
	file string
	id   identity.ID
}

// identify adds kpt's annotation with the identity of the merge comment to each resource into which
// the update wrote one (rules/update: merge comments).
func identify(all files, done []Package) (files, error) {
	added := map[resourceKey]bool{}
	for _, p := range done {
		for _, c := range p.Result.Changes {
			if c.Result != nil && (c.Has(identity.Origin) || c.Has(identity.Upstream)) && !hasMergeComment(c.Versions[identity.Local]) {
				added[resourceKey{path.Join(p.Dir, c.Result.File), c.Result.ID()}] = true
			}
		}
	}
	out := make(files, len(all))
	err := parallel.Each(len(all), func(i int) (err error) {
		out[i] = all[i]
		if ext := path.Ext(all[i].Name); all[i].Mode&fs.ModeSymlink == 0 && (ext == ".yaml" || ext == ".yml") {
			out[i].Data, err = identifyFile(all[i], added)
		}
		return err
	})
	return out, err
}

// hasMergeComment reports whether a resource exists and has a merge comment.
func hasMergeComment(r *pkgmerge.Resource) bool {
	if r == nil {
		return false
	}
	_, err := identity.ParseComment(r.Meta.Comment)
	return err == nil
}

// identifyFile returns the text of a file with the identities of its resources.
func identifyFile(f pkgmerge.File, added map[resourceKey]bool) ([]byte, error) {
	s := stream.Read(f.Data)
	entries := make([]stream.Entry, len(s.Documents))
	changed := false
	for n, d := range s.Documents {
		entries[n].Document = n
		if d.IsEmpty() {
			continue
		}
		item, err := resourcelist.Document(d.Text, d.Line)
		if err != nil {
			return f.Data, nil // a template, or another text that is no resource
		}
		named, err := identifyItem(item, f.Name, added)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if named != item {
			entries[n].Text, changed = named.Text(), true
		}
	}
	if !changed {
		return f.Data, nil
	}
	data, _ := s.Join(entries)
	return data, nil
}

// identifyItem returns a resource with the annotation, if the update wrote its merge comment.
func identifyItem(item *resourcelist.Item, file string, added map[resourceKey]bool) (*resourcelist.Item, error) {
	meta := identity.ReadMeta(item.Head())
	if meta.Kind == "" || meta.Naming != identity.ByName {
		return item, nil
	}
	id := meta.PlainID()
	comment, err := identity.ParseComment(meta.Comment)
	if err != nil || !added[resourceKey{file, id}] {
		return item, nil
	}
	full, err := item.Parsed()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s|%s|%s|%s", id.Group, id.Kind, cmp.Or(comment.Namespace, "default"), comment.Name)
	return full.Rewritten(withAnnotation(full.Node, bookkeeping.UpstreamIdentifier, text))
}

// withAnnotation returns a resource with an annotation at the end, in single quotes as kpt writes it.
func withAnnotation(tree *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Resolve(yamlnode.Field(tree, "metadata"))
	annotations := yamlnode.Resolve(yamlnode.Field(metadata, "annotations"))
	value := yamlnode.String(text)
	value.Style = yaml.SingleQuotedStyle
	return setField(tree, "metadata", setField(metadata, "annotations", setField(annotations, name, value, ""), ""), "")
}
