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
// excludes. strict says that a rolling update excludes deletion by hand.
func unions(typ *schema.Type, at *merge.Path, n *yaml.Node, strict bool) []merge.Conflict {
	var out []merge.Conflict
	for _, u := range typ.Unions {
		var members []string
		for _, name := range u.Members {
			if has(n, name) {
				members = append(members, name)
			}
		}
		if len(members) > 1 {
			out = append(out, refusal(at, n, strings.Join(members, " and ")+" exclude each other"))
		}
	}
	if path := at.String(); path != "spec.strategy" && path != "spec.updateStrategy" {
		return out
	}
	if kind := yamlnode.Text(yamlnode.Field(n, "type")); has(n, "rollingUpdate") && (kind == "Recreate" || kind == "OnDelete" && strict) {
		out = append(out, refusal(at, n, fmt.Sprintf("rollingUpdate may not be there with type %s", kind)))
	}
	return out
}

// has reports whether a struct has a field that is not null.
func has(n *yaml.Node, name string) bool {
	v := yamlnode.Field(n, name)
	return v != nil && v.ShortTag() != "!!null"
}
