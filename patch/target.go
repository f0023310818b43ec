package patch

import (
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Target names the resource of a patch.
type Target struct{ APIVersion, Kind, Name, Namespace string }

// TargetOf returns the target that a resource names.
func TargetOf(resource *yaml.Node) Target { return Target(yamlnode.MetaOf(resource)) }

// differing returns the first field in which targets differ, nil if there is none.
func (t Target) differing(other Target) *merge.Path {
	var root *merge.Path
	for _, f := range [4]struct {
		at       *merge.Path
		old, new string
	}{
		{root.Field("apiVersion"), t.APIVersion, other.APIVersion}, {root.Field("kind"), t.Kind, other.Kind},
		{root.Field("metadata").Field("name"), t.Name, other.Name}, {root.Field("metadata").Field("namespace"), t.Namespace, other.Namespace},
	} {
		if f.old != f.new {
			return f.at
		}
	}
	return nil
}

// resource returns a partial resource with the fields of delta: apiVersion, kind and metadata first.
func (t Target) resource(delta *yaml.Node) *yaml.Node {
	out, metadata := yamlnode.EmptyMap(), yamlnode.EmptyMap()
	entry(out, "apiVersion", text(t.APIVersion))
	entry(out, "kind", text(t.Kind))
	for _, f := range [2][2]string{{"name", t.Name}, {"namespace", t.Namespace}} {
		if f[1] != "" {
			entry(metadata, f[0], text(f[1]))
		}
	}
	key := yamlnode.String("metadata")
	if k, fields := yamlnode.Entry(delta, "metadata"); isMap(fields) {
		key, metadata.Content = k, append(metadata.Content, fields.Content...)
	}
	if len(metadata.Content) > 0 {
		out.Content = append(out.Content, key, metadata)
	}
	rest := yamlnode.Without(delta, func(name string) bool { return name == "metadata" })
	out.Content = append(out.Content, rest.Content...)
	return out
}

// Component returns a kustomize Component with the patches, and with the targets of JSON patches, since
// patches of other forms name theirs (rules/patches: JSON patches).
func Component(patches []Patch) (*yaml.Node, error) {
	out, all := yamlnode.EmptyMap(), list()
	entry(out, "apiVersion", yamlnode.String("kustomize.config.k8s.io/v1alpha1"))
	entry(out, "kind", yamlnode.String("Component"))
	for _, p := range patches {
		patch, err := p.YAML()
		if err != nil {
			return nil, err
		}
		one := yamlnode.EmptyMap()
		if p.Form == JSON {
			entry(one, "target", p.Target.Selector())
		}
		literal := yamlnode.String(string(patch))
		literal.Style = yaml.LiteralStyle
		entry(one, "patch", literal)
		all.Content = append(all.Content, one)
	}
	entry(out, "patches", all)
	return out, nil
}

// Selector returns the target as a selector of kustomize, whose names are regular expressions.
func (t Target) Selector() *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range [5][2]string{
		{"group", identity.Group(t.APIVersion)}, {"version", identity.Version(t.APIVersion)}, {"kind", t.Kind},
		{"name", regexp.QuoteMeta(t.Name)}, {"namespace", regexp.QuoteMeta(t.Namespace)},
	} {
		if f[1] != "" {
			entry(out, f[0], text(f[1]))
		}
	}
	return out
}

// FileNames gives each resource a name for its file: kind and name, and only if that is taken the
// namespace, the group, and a number too. Its keys are the taken names without their extension.
type FileNames map[string]bool

// Of returns a name that is not taken yet. A long name ends with a hash.
func (n FileNames) Of(t Target) string {
	name := file.ShortName(clean(t.Kind + "-" + t.Name))
	for _, more := range [2]string{t.Namespace, identity.Group(t.APIVersion)} {
		if n[name] && more != "" {
			name = file.ShortName(name + "-" + clean(more))
		}
	}
	free := name
	for i := 2; n[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
	}
	n[free] = true
	return free + ".yaml"
}

// clean returns a text that can be part of a file's name on every system.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
}
