package schema

import "strings"

// listType is the type of a kind that nothing else describes, nil if its name
// says nothing. A List, and the list of a kind, such as RoleList, have resources
// as items (design 4, step 3). What a kind of such a name has as items else, merges as
// in any unknown kind.
func listType(kind string) *Type {
	if !strings.HasSuffix(kind, "List") {
		return nil
	}
	items := &Type{Relation: Resources, Elem: &Type{Embedded: true}}
	return &Type{Fields: map[string]*Type{"items": items}}
}
