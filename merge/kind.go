package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// ResultKind is the apiVersion and kind that the merged resource will have: the
// schema of these describes it.
func ResultKind(versions [3]*yaml.Node) (apiVersion, kind string) {
	o, u, l := kindOf(versions[origin]), kindOf(versions[upstream]), kindOf(versions[local])
	if u[0] != "" && (l[0] == "" || u[0] != o[0]) {
		return u[0], u[1]
	}
	return l[0], l[1]
}

func kindOf(n *yaml.Node) (out [2]string) {
	for i, name := range [2]string{"apiVersion", "kind"} {
		if v := yamlnode.Lookup(n, name); v != nil {
			out[i] = v.Value
		}
	}
	return out
}
