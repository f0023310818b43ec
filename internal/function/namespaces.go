package function

import (
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/identity"
)

// otherNamespaces says once for all resources which of local's were found in
// another namespace than upstream's, without a merge comment (DESIGN 2, step 4).
func otherNamespaces(all []*merged) framework.Results {
	var moves []string
	var first *merged
	count := 0
	for _, m := range all {
		if !m.matched.OtherNamespace {
			continue
		}
		if first == nil {
			first = m
		}
		count++
		move := namespaceName(m.counterpart().meta.Namespace) + " is " + namespaceName(m.items[identity.Local].meta.Namespace)
		if !slices.Contains(moves, move) {
			moves = append(moves, move)
		}
	}
	if count == 0 {
		return nil
	}
	const most = 3
	if len(moves) > most {
		moves = append(moves[:most], ellipsis)
	}
	are := "were"
	if count == 1 {
		are = "was"
	}
	return framework.Results{{Severity: framework.Info, Message: fmt.Sprintf(
		"%s %s matched by name, such as %s %s: local has replaced the namespace (%s); merge comments make the match last",
		plural(count, "resource"), are, first.id.Kind, first.id.Name, strings.Join(moves, ", "))}}
}

func namespaceName(namespace string) string {
	if namespace == "" {
		return "none"
	}
	return namespace
}
