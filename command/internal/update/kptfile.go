package update

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// kptfile is what a Kptfile says of where its package comes from.
type kptfile struct {
	name string
	// upstream is where the package comes from, lock is where it was last; nil where
	// the Kptfile does not say it.
	upstream, lock *reference
	strategy       string
	data           []byte
}

// reference is a place in a repository, as a Kptfile writes it.
type reference struct {
	repo, directory, ref, commit string
}

// remote is the reference as git finds it: the commit, if there is one.
func (r reference) remote() gitrepo.Remote {
	return gitrepo.Remote{Repository: r.repo, Directory: r.below(), Ref: cmp.Or(r.commit, r.ref)}
}

// below is the directory below the top of the repository, "" for the top itself. Steps
// that lead out of the repository stay, and are refused.
func (r reference) below() string {
	if dir := path.Clean(strings.Trim(r.directory, "/")); dir != "." {
		return dir
	}
	return ""
}

// errNoUpstream is kpt's error of a package that comes from nowhere.
var errNoUpstream = errors.New("package must have an upstream reference")

// readKptfile reads a Kptfile, of version v1 as kpt demands it.
func readKptfile(f pkgmerge.File) (*kptfile, error) {
	item, _, _, err := documentOf(f.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	tree := item.Node
	version, kind := yamlnode.Text(yamlnode.Field(tree, "apiVersion")), yamlnode.Text(yamlnode.Field(tree, "kind"))
	if version != "kpt.dev/v1" || kind != "Kptfile" {
		return nil, fmt.Errorf("%s: it is %s of %s, and must be Kptfile of kpt.dev/v1", f.Name, cmp.Or(kind, "of no kind"), cmp.Or(version, "no version"))
	}
	upstream, err := referenceIn(tree, "upstream")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	lock, err := referenceIn(tree, "upstreamLock")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	return &kptfile{
		name:     yamlnode.Text(yamlnode.Lookup(tree, "metadata", "name")),
		upstream: upstream,
		lock:     lock,
		strategy: yamlnode.Text(yamlnode.Lookup(tree, "upstream", "updateStrategy")),
		data:     f.Data,
	}, nil
}

// referenceIn reads the reference in a field of a Kptfile, nil if there is none to a
// repository of git. A part of it that is a map or a list is an error: read as
// no text it would be the top of the repository, or its default branch.
func referenceIn(tree *yaml.Node, field string) (*reference, error) {
	git := yamlnode.Resolve(yamlnode.Lookup(tree, field, "git"))
	if git == nil {
		return nil, nil
	}
	r := &reference{}
	for name, text := range r.fields() {
		value := yamlnode.Resolve(yamlnode.Field(git, name))
		if value != nil && value.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s.git.%s is no text", field, name)
		}
		*text = yamlnode.Text(value)
	}
	return r, nil
}

// fields are the parts of a reference by their names in a Kptfile.
func (r *reference) fields() iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) {
		_ = yield("repo", &r.repo) && yield("directory", &r.directory) && yield("ref", &r.ref) && yield("commit", &r.commit)
	}
}

// documentOf parses the one document of a Kptfile.
func documentOf(data []byte) (item *resourcelist.Item, s *stream.Stream, at int, err error) {
	s = stream.Read(data)
	for at = range s.Documents {
		if s.Documents[at].IsEmpty() {
			continue
		}
		if item, err = resourcelist.Document(s.Documents[at].Text, s.Documents[at].Line); err == nil {
			item, err = item.Parsed()
		}
		return item, s, at, err
	}
	return nil, nil, 0, errors.New("it is empty")
}

// with is the text of the Kptfile with another upstream and lock, in place: no other
// line changes.
func (k *kptfile) with(upstream, lock reference, strategy string) ([]byte, error) {
	return edited(k.data, func(tree *yaml.Node) *yaml.Node {
		up := setText(git(yamlnode.Field(tree, "upstream"), upstream), "updateStrategy", strategy)
		tree = set(tree, "upstream", up, "metadata")
		return set(tree, "upstreamLock", git(yamlnode.Field(tree, "upstreamLock"), lock), "upstream")
	})
}

// git is a reference as a field of a Kptfile, whose other fields stay.
func git(field *yaml.Node, r reference) *yaml.Node {
	field = setText(yamlnode.Resolve(field), "type", "git")
	inner := yamlnode.Resolve(yamlnode.Field(field, "git"))
	inner = setText(inner, "repo", r.repo)
	inner = setText(inner, "directory", r.directory)
	inner = setText(inner, "ref", r.ref)
	inner = setText(inner, "commit", r.commit)
	return set(field, "git", inner, "type")
}

// edited is the text of a file of one document with another tree.
func edited(data []byte, change func(*yaml.Node) *yaml.Node) ([]byte, error) {
	item, s, at, err := documentOf(data)
	if err != nil {
		return nil, err
	}
	tree := change(item.Node)
	if tree == item.Node {
		return data, nil
	}
	after, err := item.Rewritten(tree)
	if err != nil {
		return nil, err
	}
	var entries []stream.Entry
	for n := range s.Documents {
		entries = append(entries, stream.Entry{Document: n})
	}
	entries[at].Text = stream.LikeIn(after.Text(), s.Documents[at].Text)
	out, _ := s.Join(entries)
	return out, nil
}

// setText is a mapping with a text as a field, itself if it has that text. A field
// that is there keeps its style; "" is no text, and the field stays as it is.
func setText(mapping *yaml.Node, name, text string) *yaml.Node {
	old := yamlnode.Resolve(yamlnode.Field(mapping, name))
	if text == "" || old != nil && old.Kind == yaml.ScalarNode && old.Value == text && old.ShortTag() == "!!str" {
		return mapping
	}
	value := yamlnode.String(text)
	if old != nil && old.Kind == yaml.ScalarNode {
		value.Style = old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
		value.HeadComment, value.LineComment, value.FootComment = old.HeadComment, old.LineComment, old.FootComment
	}
	return set(mapping, name, value, "")
}

// set is a mapping with a field, itself if it has that very value. A new field
// comes after the one that is named, if that is there, else last.
func set(mapping *yaml.Node, name string, value *yaml.Node, after string) *yaml.Node {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		mapping = yamlnode.EmptyMap()
	}
	end := len(mapping.Content)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		switch mapping.Content[i].Value {
		case name:
			if mapping.Content[i+1] == value {
				return mapping
			}
			changed := *mapping
			changed.Content = slices.Clone(mapping.Content)
			changed.Content[i+1] = value
			return &changed
		case after:
			end = i + 2
		}
	}
	changed := *mapping
	changed.Content = slices.Insert(slices.Clone(mapping.Content), end, yamlnode.String(name), value)
	return &changed
}
