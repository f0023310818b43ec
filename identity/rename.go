package identity

import "strings"

// Rename is a resource that upstream calls otherwise than before (rules/identity: by
// identity). From and To are a name, in whatever namespace, or namespace/name; a To
// without a namespace keeps that. Group is any if it is nil.
type Rename struct {
	Group          *string
	Kind, From, To string
}

// renames finds the one of a config's renames that an ID is to get.
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

// apply is the ID by the first rename that it matches, else id itself.
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

// unused are the renames that no ID has matched.
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

// splitName reads a name or namespace/name.
func splitName(text string) (namespace, name string) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name
	}
	return "", text
}

// Move says that local replaced a namespace: resources that origin has in From are in
// To in local's version (rules/identity: by identity).
type Move struct {
	// From is the namespace by upstream's names, To is local's. Either may be "", for
	// resources that name no namespace.
	From, To string
	// Moved counts the resources of origin's that made this move, and Others those of
	// From that local has in another namespace, such as From itself. Namespace objects
	// and resources of cluster-scoped kinds do not count.
	Moved, Others int
	// Object says that local renamed the Namespace object From to To.
	Object bool
	// Inhabited says that local still has a resource in From, if only one of its own.
	Inhabited bool
}

// isMostly reports whether most of what local has of From is in To.
func (m Move) isMostly() bool { return m.Moved > m.Others }

// IsWhole reports whether local has replaced From altogether: something of it is in
// To, and nothing is anywhere else.
func (m Move) IsWhole() bool {
	return (m.Moved > 0 || m.Object) && m.Others == 0 && !m.Inhabited
}

// isCertain reports whether local has replaced From altogether, and more than one
// resource or the Namespace object says so.
func (m Move) isCertain() bool { return m.IsWhole() && (m.Moved > 1 || m.Object) }
