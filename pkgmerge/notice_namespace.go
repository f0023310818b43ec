package pkgmerge

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// otherNamespaces says once for all resources which of local's were found in
// another namespace than upstream's, without a merge comment (design 2, step 4).
func otherNamespaces(all []*Change) []Notice {
	var moves []string
	seen := map[string]bool{}
	var first *Change
	count := 0
	for _, m := range all {
		if !m.how.OtherNamespace {
			continue
		}
		if first == nil {
			first = m
		}
		count++
		move := namespaceName(m.counterpart().Meta.Namespace) + " is " + namespaceName(m.Versions[identity.Local].Meta.Namespace)
		if !seen[move] {
			seen[move], moves = true, append(moves, move)
		}
	}
	if count == 0 {
		return nil
	}
	const most = 3
	if len(moves) > most {
		moves = append(moves[:most], wording.Ellipsis)
	}
	are := "were"
	if count == 1 {
		are = "was"
	}
	return []Notice{{Text: fmt.Sprintf(
		"%s %s matched by name, such as %s %s: local has replaced the namespace (%s); merge comments make the match last",
		wording.Plural(count, "resource"), are, first.ID.Kind, first.ID.Name, strings.Join(moves, ", "))}}
}

func namespaceName(namespace string) string {
	if namespace == "" {
		return "none"
	}
	return namespace
}
