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

// place is a resource of an updated package, by file and identity.
type place struct {
	file string
	id   identity.ID
}

// identify says of each resource who it is, where kpt says it (rules/update: merge
// comments): in a merge comment of every resource that has a name and none yet. With
// each merge comment that an update writes comes kpt's annotation, so that both say the
// same.
func identify(all files, done []Package) (files, error) {
	fresh := map[place]bool{}
	for _, p := range done {
		for _, c := range p.Result.Changes {
			if c.Result != nil && !isIdentified(c.Versions[identity.Local]) {
				fresh[place{path.Join(p.Dir, c.Result.File), c.Result.ID()}] = true
			}
		}
	}
	out := make(files, len(all))
	err := parallel.Each(len(all), func(i int) (err error) {
		out[i] = all[i]
		if ext := path.Ext(all[i].Name); all[i].Mode&fs.ModeSymlink == 0 && (ext == ".yaml" || ext == ".yml") {
			out[i].Data, err = identified(all[i], fresh)
		}
		return err
	})
	return out, err
}

// isIdentified reports whether a version of a resource is there and has a merge
// comment.
func isIdentified(r *pkgmerge.Resource) bool {
	if r == nil {
		return false
	}
	_, err := identity.ParseComment(r.Meta.Comment)
	return err == nil
}

// identified is the text of a file whose resources say who they are.
func identified(f pkgmerge.File, fresh map[place]bool) ([]byte, error) {
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
		named, err := identifiedItem(item, f.Name, fresh)
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

// identifiedItem is a resource that says who it is.
func identifiedItem(item *resourcelist.Item, file string, fresh map[place]bool) (*resourcelist.Item, error) {
	meta := identity.ReadMeta(item.Head())
	if meta.Kind == "" || meta.Naming != identity.ByName {
		return item, nil
	}
	id := meta.PlainID()
	was, err := identity.ParseComment(meta.Comment)
	if err == nil && !fresh[place{file, id}] {
		return item, nil
	}
	if err != nil {
		was = identity.Comment{Namespace: meta.Namespace, Name: meta.Name}
		item = item.WithMergeComment(was.String())
	}
	full, err := item.Parsed()
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("%s|%s|%s|%s", id.Group, id.Kind, cmp.Or(was.Namespace, "default"), was.Name)
	return full.Rewritten(annotated(full.Node, bookkeeping.UpstreamIdentifier, text))
}

// annotated is a resource with an annotation, the last one, in single quotes as kpt
// writes it.
func annotated(tree *yaml.Node, name, text string) *yaml.Node {
	metadata := yamlnode.Resolve(yamlnode.Field(tree, "metadata"))
	annotations := yamlnode.Resolve(yamlnode.Field(metadata, "annotations"))
	value := yamlnode.String(text)
	value.Style = yaml.SingleQuotedStyle
	return set(tree, "metadata", set(metadata, "annotations", set(annotations, name, value, ""), ""), "")
}
