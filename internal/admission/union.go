package admission

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// unions finds members that exclude each other, and one that the type of its struct
// excludes.
func (w *walk) unions(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	for _, u := range typ.Unions {
		var members []string
		for _, name := range u.Members {
			if v := yamlnode.Field(n, name); v != nil && v.ShortTag() != "!!null" {
				members = append(members, name)
			}
		}
		if len(members) > 1 {
			w.found = append(w.found, refusal(at, n, strings.Join(members, " and ")+" exclude each other"))
		}
	}
	if path := at.String(); path == "spec.strategy" || path == "spec.updateStrategy" {
		w.rollout(at, n)
	}
}

// rollout finds settings of a rolling update beside another strategy. A DaemonSet may
// have both.
func (w *walk) rollout(at *merge.Path, n *yaml.Node) {
	kind := yamlnode.Text(yamlnode.Field(n, "type"))
	if v := yamlnode.Field(n, "rollingUpdate"); v != nil && v.ShortTag() != "!!null" && (kind == "Recreate" || kind == "OnDelete" && w.strict) {
		w.found = append(w.found, refusal(at, n, fmt.Sprintf("rollingUpdate may not be there with type %s", kind)))
	}
}
