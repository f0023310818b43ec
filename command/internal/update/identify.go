package update

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// resourceKey identifies a resource of an updated package by file and identity.
type resourceKey struct {
	file string
	id   identity.ID
}

// identify adds the identities by which kpt matches resources (rules/update: merge comments): a
// merge comment to every named resource without one. With each merge comment that an update writes
// comes kpt's annotation with the same identity.
func identify(all files, done []Package) (files, error) {
	added := map[resourceKey]bool{}
	for _, p := range done {
		for _, c := range p.Result.Changes {
			if c.Result != nil && !hasMergeComment(c.Versions[identity.Local]) {
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
			return f.Data, nil // a template, or what else is no resource
		}
		named, err := identifyItem(item, f.Name, added)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if named != item {
			entries[n].Text, changed = stream.LikeIn(named.Text(), d.Text), true
		}
	}
	if !changed {
		return f.Data, nil
	}
	data, _ := s.Join(entries)
	return data, nil
}

// identifyItem returns a resource with its identity.
func identifyItem(item *resourcelist.Item, file string, added map[resourceKey]bool) (*resourcelist.Item, error) {
	meta := identity.ReadMeta(item.Head())
	if meta.Kind == "" || meta.Naming != identity.ByName {
		return item, nil
	}
	id := meta.PlainID()
	comment, err := identity.ParseComment(meta.Comment)
	if err == nil && !added[resourceKey{file, id}] {
		return item, nil
	}
	if err != nil {
		comment = identity.Comment{Namespace: meta.Namespace, Name: meta.Name}
		item = item.WithMergeComment(comment.String())
	}
	full, err := item.Parsed()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s|%s|%s|%s", id.Group, id.Kind, cmp.Or(comment.Namespace, "default"), comment.Name)
	return full.Rewritten(withAnnotation(full.Node, bookkeeping.UpstreamIdentifier, text))
}

// withAnnotation returns a resource with an annotation at the end, in single quotes as kpt writes
// it.
func withAnnotation(tree *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Resolve(yamlnode.Field(tree, "metadata"))
	annotations := yamlnode.Resolve(yamlnode.Field(metadata, "annotations"))
	value := yamlnode.String(text)
	value.Style = yaml.SingleQuotedStyle
	return setField(tree, "metadata", setField(metadata, "annotations", setField(annotations, name, value, ""), ""), "")
}
