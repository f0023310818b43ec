package identity

import "strings"

// Rename is a resource with a new name in upstream (rules/identity: by identity). From and To are a
// name, in any namespace, or namespace/name; a To without a namespace keeps it. A nil Group matches
// any.
type Rename struct {
	Group          *string
	Kind, From, To string
}

// renames finds the rename in the config for an ID.
type renames struct {
	all    []Rename
	byName map[[2]string][]int // by kind and name
	used   []bool
}

func newRenames(all []Rename) renames {
	r := renames{all: all, byName: map[[2]string][]int{}, used: make([]bool, len(all))}
	for i, one := range all {
		_, name := splitName(one.From)
		key := [2]string{one.Kind, name}
		r.byName[key] = append(r.byName[key], i)
	}
	return r
}

// apply returns the ID after the first rename that matches, else id itself.
func (r renames) apply(id ID) ID {
	if len(r.all) == 0 {
		return id
	}
	for _, i := range r.byName[[2]string{id.Kind, id.Name}] {
		if r.all[i].matches(id) {
			r.used[i] = true
			return r.all[i].apply(id)
		}
	}
	return id
}

// unused returns the renames that no ID has matched.
func (r renames) unused() []int {
	var out []int
	for i, used := range r.used {
		if !used {
			out = append(out, i)
		}
	}
	return out
}

func (r Rename) matches(id ID) bool {
	namespace, name := splitName(r.From)
	return r.Kind == id.Kind && name == id.Name && (namespace == "" || namespace == id.Namespace) &&
		(r.Group == nil || *r.Group == id.Group)
}

func (r Rename) apply(id ID) ID {
	namespace, name := splitName(r.To)
	id.Name = name
	if namespace != "" {
		id.Namespace = namespace
	}
	return id
}

// splitName parses a name or namespace/name.
func splitName(text string) (namespace, name string) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name
	}
	return "", text
}

// Move is a namespace that local replaced: resources that origin has in From are in To in local's
// version (rules/identity: by identity).
type Move struct {
	// From is upstream's namespace, To local's. Either may be "", for resources without a
	// namespace.
	From, To string
	// Moved counts the resources of origin's that made this move, Others those of From that local
	// has in another namespace, such as From itself. Namespace objects and cluster-scoped resources
	// do not count.
	Moved, Others int
	// Object reports that local renamed the Namespace object From to To.
	Object bool
	// Inhabited reports that local has a resource in From, even if only one of its own.
	Inhabited bool
}

// isMajority reports whether most of local's resources of From are in To.
func (m Move) isMajority() bool { return m.Moved > m.Others }

// IsWhole reports whether local has replaced From altogether: a resource of it is in To, and none
// is anywhere else.
func (m Move) IsWhole() bool {
	return (m.Moved > 0 || m.Object) && m.Others == 0 && !m.Inhabited
}

// isCertain reports whether local has replaced From altogether, by the evidence of several
// resources or of the Namespace object.
func (m Move) isCertain() bool { return m.IsWhole() && (m.Moved > 1 || m.Object) }
