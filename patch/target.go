package patch

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Target says whose patch it is.
type Target struct{ APIVersion, Kind, Name, Namespace string }

// TargetOf is what a resource calls itself.
func TargetOf(resource *yaml.Node) Target { return Target(yamlnode.MetaOf(resource)) }

// differing is the first field in which targets differ, nil if there is none.
func (t Target) differing(other Target) *merge.Path {
	var top *merge.Path
	metadata := top.Field("metadata")
	switch {
	case t.APIVersion != other.APIVersion:
		return top.Field("apiVersion")
	case t.Kind != other.Kind:
		return top.Field("kind")
	case t.Name != other.Name:
		return metadata.Field("name")
	case t.Namespace != other.Namespace:
		return metadata.Field("namespace")
	}
	return nil
}

// resource is the patch of a target whose fields are those of delta: apiVersion, kind and
// metadata first.
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
	for i := 0; i+1 < len(delta.Content); i += 2 {
		if delta.Content[i].Value == "metadata" && isMap(delta.Content[i+1]) {
			key = delta.Content[i]
			metadata.Content = append(metadata.Content, delta.Content[i+1].Content...)
		}
	}
	if len(metadata.Content) > 0 {
		out.Content = append(out.Content, key, metadata)
	}
	rest := yamlnode.Without(delta, func(name string) bool { return name == "metadata" })
	out.Content = append(out.Content, rest.Content...)
	return out
}

// Component is a kustomize Component that has the patches, each with its target
// (rules/patches: JSON patches). Patches of other forms than JSON say their target
// themselves.
func Component(patches []Patch) (*yaml.Node, error) {
	out, all := yamlnode.EmptyMap(), list()
	entry(out, "apiVersion", yamlnode.String("kustomize.config.k8s.io/v1alpha1"))
	entry(out, "kind", yamlnode.String("Component"))
	for _, p := range patches {
		text, err := p.YAML()
		if err != nil {
			return nil, err
		}
		one := yamlnode.EmptyMap()
		if p.Form == JSON {
			entry(one, "target", p.Target.Selector())
		}
		literal := yamlnode.String(string(text))
		literal.Style = yaml.LiteralStyle
		entry(one, "patch", literal)
		all.Content = append(all.Content, one)
	}
	entry(out, "patches", all)
	return out, nil
}

// Selector is the target as kustomize selects it, whose names are regular expressions.
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

// FileNames gives each resource a name for its file: kind and name, and only where that is
// taken the namespace, the group, and a number too. It has the names that are taken, without
// their ending.
type FileNames map[string]bool

// maxName is how many bytes a name has at most without its extension. File systems take 255;
// the rest is for a number, and for the names that editors and tools make of it.
const maxName = 200

// Of is a name that nothing has yet. Of a long name the end is a hash of the whole.
func (n FileNames) Of(t Target) string {
	name := short(clean(t.Kind + "-" + t.Name))
	for _, more := range [2]string{t.Namespace, identity.Group(t.APIVersion)} {
		if n[name] && more != "" {
			name = short(name + "-" + clean(more))
		}
	}
	free := name
	for i := 2; n[free]; i++ {
		free = name + "-" + strconv.Itoa(i)
	}
	n[free] = true
	return free + ".yaml"
}

// short is a name of at most maxName bytes.
func short(name string) string {
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	tail := "-" + hex.EncodeToString(sum[:8])
	return name[:maxName-len(tail)] + tail
}

// clean is a text as a part of a file's name, on every system.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(text))
}
