package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// parseKey reads a key of a ConfigMap's data, which names a resource as
// namespace_name_group_kind (design 15.1). In the name, two underscores stand for a
// colon.
func parseKey(key string) (identity.ID, error) {
	namespace, rest, found := strings.Cut(key, "_")
	parts := strings.Split(rest, "_")
	if n := len(parts); found && n >= 3 {
		name := strings.ReplaceAll(strings.Join(parts[:n-2], "_"), "__", ":")
		if !strings.Contains(name, "_") {
			return identity.ID{Group: parts[n-2], Kind: parts[n-1], Namespace: namespace, Name: name}, nil
		}
	}
	return identity.ID{}, fmt.Errorf("the key %s is not namespace_name_group_kind", quote(key))
}

// key writes a key that parseKey reads. Names of RBAC resources alone have colons.
func key(id identity.ID) string {
	return strings.Join([]string{id.Namespace, strings.ReplaceAll(id.Name, ":", "__"), id.Group, id.Kind}, "_")
}
