package identity

import "strings"

// Rename is a resource that upstream calls otherwise than before (design 2).
// From and To are a name, in whatever namespace, or namespace/name; a To without
// a namespace keeps that. Group is any if it is nil.
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
