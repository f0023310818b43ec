package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// DependsOn is the annotation that lists what a resource depends on.
const DependsOn = "config.kubernetes.io/depends-on"

// references are the resources that an annotation depends-on lists, with commas
// between. A malformed one is an error (design 15.5).
func references(text string) ([]identity.ID, error) {
	var ids []identity.ID
	for part := range strings.SplitSeq(text, ",") {
		id, err := reference(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// reference reads group/kind/name of what is cluster-scoped, and
// group/namespaces/namespace/kind/name of what is in a namespace. The group of
// Kubernetes' own kinds is empty.
func reference(text string) (identity.ID, error) {
	parts := strings.Split(text, "/")
	switch {
	case len(parts) == 3:
		return identity.ID{Group: parts[0], Kind: parts[1], Name: parts[2]}, nil
	case len(parts) == 5 && parts[1] == "namespaces":
		return identity.ID{Group: parts[0], Namespace: parts[2], Kind: parts[3], Name: parts[4]}, nil
	}
	return identity.ID{}, fmt.Errorf("%s is neither group/kind/name nor group/namespaces/namespace/kind/name", quote(text))
}
