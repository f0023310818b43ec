package patch

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// Target says whose patch it is.
type Target struct{ APIVersion, Kind, Name, Namespace string }

// TargetOf is what a resource calls itself.
func TargetOf(resource *yaml.Node) Target {
	text := func(names ...string) string { return yamlnode.Text(yamlnode.Lookup(resource, names...)) }
	return Target{
		APIVersion: text("apiVersion"), Kind: text("kind"),
		Name: text("metadata", "name"), Namespace: text("metadata", "namespace"),
	}
}

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
