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

// kptfile is a Kptfile with the source of its package.
type kptfile struct {
	name string
	// upstream is the source of the package, lock the version last fetched; nil if missing.
	upstream, lock *reference
	strategy       string
	data           []byte
}

// reference is a version of a directory in a repository, as a Kptfile has it.
type reference struct {
	repo, directory, ref, commit string
}

// remote returns the reference for git: the commit, if there is one.
func (r reference) remote() gitrepo.Remote {
	return gitrepo.Remote{Repository: r.repo, Directory: r.path(), Ref: cmp.Or(r.commit, r.ref)}
}

// path returns the directory in the repository, "" for its top. Segments that lead out of the
// repository stay, and are refused later.
func (r reference) path() string {
	if dir := path.Clean(strings.Trim(r.directory, "/")); dir != "." {
		return dir
	}
	return ""
}

// errNoUpstream is kpt's error for a package without an upstream.
var errNoUpstream = errors.New("package must have an upstream reference")

// readKptfile reads a Kptfile, whose version must be v1 as in kpt.
func readKptfile(f pkgmerge.File) (*kptfile, error) {
	item, _, _, err := parseDocument(f.Data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	tree := item.Node
	version, kind := yamlnode.Text(yamlnode.Field(tree, "apiVersion")), yamlnode.Text(yamlnode.Field(tree, "kind"))
	if version != "kpt.dev/v1" || kind != "Kptfile" {
		return nil, fmt.Errorf("%s: it is %s of %s, and must be Kptfile of kpt.dev/v1", f.Name, cmp.Or(kind, "of no kind"), cmp.Or(version, "no version"))
	}
	upstream, err := readReference(tree, "upstream")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	lock, err := readReference(tree, "upstreamLock")
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

// Lock returns the version that the text of a Kptfile records in upstreamLock, and the name that it has there, if it
// does.
func Lock(text []byte) (lock gitrepo.Remote, name string, found bool) {
	k, err := readKptfile(pkgmerge.File{Name: "Kptfile", Data: text})
	if err != nil || k.lock == nil || k.lock.repo == "" {
		return lock, "", false
	}
	return k.lock.remote(), cmp.Or(k.lock.ref, k.lock.commit), true
}

// readReference reads the reference in a field of a Kptfile, nil if there is no git reference. A part that is a map or
// a list is an error: read as an empty text it would mean the top of the repository, or its default branch.
func readReference(tree *yaml.Node, field string) (*reference, error) {
	git := yamlnode.Resolve(yamlnode.Lookup(tree, field, "git"))
	if git == nil {
		return nil, nil
	}
	r := &reference{}
	for name, text := range r.fields() {
		value := yamlnode.Resolve(yamlnode.Field(git, name))
		if value != nil && value.Kind != yaml.ScalarNode {
			return nil, fmt.Errorf("%s.git.%s is not a string", field, name)
		}
		*text = yamlnode.Text(value)
	}
	return r, nil
}

// fields returns the parts of a reference by their names in a Kptfile.
func (r *reference) fields() iter.Seq2[string, *string] {
	return func(yield func(string, *string) bool) {
		_ = yield("repo", &r.repo) && yield("directory", &r.directory) && yield("ref", &r.ref) && yield("commit", &r.commit)
	}
}

// parseDocument parses the only document of a Kptfile.
func parseDocument(data []byte) (item *resourcelist.Item, s *stream.Stream, at int, err error) {
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

// withUpstream returns the text of the Kptfile with another upstream and lock. No other line changes.
func (k *kptfile) withUpstream(upstream, lock reference, strategy string) ([]byte, error) {
	return editDocument(k.data, func(tree *yaml.Node) *yaml.Node {
		up := setText(withReference(yamlnode.Field(tree, "upstream"), upstream), "updateStrategy", strategy)
		tree = setField(tree, "upstream", up, "metadata")
		return setField(tree, "upstreamLock", withReference(yamlnode.Field(tree, "upstreamLock"), lock), "upstream")
	})
}

// withReference returns a field of a Kptfile with another reference. Its other fields stay.
func withReference(field *yaml.Node, r reference) *yaml.Node {
	field = setText(yamlnode.Resolve(field), "type", "git")
	inner := yamlnode.Resolve(yamlnode.Field(field, "git"))
	for name, text := range r.fields() {
		inner = setText(inner, name, *text)
	}
	return setField(field, "git", inner, "type")
}

// editDocument returns the text of a file of one document with a changed tree.
func editDocument(data []byte, change func(*yaml.Node) *yaml.Node) ([]byte, error) {
	item, s, at, err := parseDocument(data)
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
	entries[at].Text = after.Text()
	out, _ := s.Join(entries)
	return out, nil
}

// setText returns a mapping with a text as a field, or the same mapping if it has that text. An
// existing field keeps its style. If text is "", the field stays as it is.
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
	return setField(mapping, name, value, "")
}

// setField returns a mapping with a field, or the same mapping if it has that very value. A new
// field follows the field named after, or comes last if there is none.
func setField(mapping *yaml.Node, name string, value *yaml.Node, after string) *yaml.Node {
	mapping = yamlnode.MapOf(mapping)
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
