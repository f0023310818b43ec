package values

import (
	"slices"
	"strings"
)

// references are the values that the templates of a chart read, as a tree of field names.
type references struct {
	fields map[string]*references
	// anyField has the references to every field, and computed the references to a field whose name is computed.
	anyField, computed *references
	// whole says that the value is read with all that is in it; but has the fields without which it is, nil if it is not.
	whole bool
	but   map[string]bool
	// tested says that it was asked for whether the value is empty.
	tested bool
}

// readsField reports whether the value is read with all that is in it, a field among them.
func (r *references) readsField(name string) bool { return r.whole || r.but != nil && !r.but[name] }

// addWhole notes that the value is read with all that is in it but for some fields.
func (r *references) addWhole(omitted []string) {
	if len(omitted) == 0 {
		r.whole = true
		return
	}
	but := map[string]bool{}
	for _, name := range omitted {
		but[name] = r.but == nil || r.but[name]
	}
	r.but = but
}

// at returns the references of a path, which are made if needed. "*" is every field.
func (r *references) at(path []string) *references {
	for _, name := range path {
		if name == anyName || name == computedName {
			special := &r.anyField
			if name == computedName {
				special = &r.computed
			}
			if *special == nil {
				*special = &references{}
			}
			r = *special
			continue
		}
		if r.fields == nil {
			r.fields = map[string]*references{}
		}
		if r.fields[name] == nil {
			r.fields[name] = &references{}
		}
		r = r.fields[name]
	}
	return r
}

const (
	// anyName is the name of each field of a map that is walked over.
	anyName = "*"
	// computedName is the name of a field whose name a template computes.
	computedName = "?"
	// mergedName is the name of the maps whose fields a template merges into a map.
	mergedName = "+"
)

// usage is how templates use a value.
type usage int

const (
	unused usage = iota
	// guessed means that a template reads it by a name that is not known, or all values.
	guessed
	// used means that a template reads it, or a map that it is in.
	used
)

// usageOf returns how templates use a value. filled reports whether a path has a map by default that is not empty.
func (f *follower) usageOf(path []string, filled func(path []string) bool) usage {
	return f.below(f.references, path, 0, true, filled)
}

func (f *follower) below(r *references, path []string, depth int, named bool, filled func([]string) bool) usage {
	as := guessed
	if named && depth > 0 {
		as = used
	}
	if depth == len(path) || r.readsField(path[depth]) || r.tested && !filled(path[:depth]) {
		return as
	}
	best := unused
	if next := r.fields[path[depth]]; next != nil {
		best = f.below(next, path, depth+1, named, filled)
	}
	if r.anyField != nil {
		best = max(best, f.below(r.anyField, path, depth+1, named && depth > 0, filled))
	}
	if r.computed != nil {
		best = max(best, f.below(r.computed, path, depth+1, false, filled))
	}
	return best
}

// readsMapOf reports whether a template reads a map that a path is in with all that is in it, or by names that are not known.
func (f *follower) readsMapOf(path []string) bool {
	r := f.references
	for _, name := range path {
		if r.readsField(name) || r.anyField != nil || r.computed != nil {
			return true
		}
		if r = r.fields[name]; r == nil {
			return false
		}
	}
	return false
}

// occurrence is a place in a template that reads a value by its path.
type occurrence struct {
	template   int
	start, end int // of the whole reference, such as $.Values.image.tag
	path       []string
}

// lineOf returns the text of the line before and behind an occurrence.
func (o occurrence) lineOf(text string) (before, behind string) {
	start, end := o.start, o.end
	for start > 0 && text[start-1] != '\n' {
		start--
	}
	for end < len(text) && text[end] != '\n' {
		end++
	}
	return text[start:o.start], text[o.end:end]
}

// hasPrefix reports whether a path begins with another.
func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}

// whole records that values are read with all that is in them.
func (f *follower) whole(values ...abstract) {
	seen := map[any]bool{} // by extent, and the maps of the values by joined path
	for _, v := range values {
		f.wholeOf(v, seen)
	}
}

// extent is the place of an abstract value in memory.
type extent struct {
	first *possible
	size  int
}

// wholeOf is whole for a value, and for the values of the maps and lists in it that are not seen yet: dicts that are made
// of each other have the same ones.
func (f *follower) wholeOf(a abstract, seen map[any]bool) {
	if len(a) == 0 || seen[extent{&a[0], len(a)}] {
		return
	}
	seen[extent{&a[0], len(a)}] = true
	for _, p := range a {
		switch {
		case p.isValue:
			f.references.at(p.path).addWhole(p.omitted)
			f.wholeAdded(p.path, seen)
		case p.root != nil:
			f.references.at(p.root.path).whole = true
		case p.isAny:
			f.references.whole = true
		}
		f.wholeOf(p.elements, seen)
		f.wholeOf(p.encoded, seen)
		for _, field := range p.fields {
			f.wholeOf(field, seen)
		}
	}
}

// wholeAdded is whole for the fields that templates set in a map of the values and in the maps in it.
func (f *follower) wholeAdded(path []string, seen map[any]bool) {
	key := joined(path)
	if seen[key] {
		return
	}
	seen[key] = true
	for at, fields := range f.added {
		if at == key || len(path) == 0 || strings.HasPrefix(at, key) && at[len(key)] == 0 {
			for _, value := range fields {
				f.wholeOf(value, seen)
			}
		}
	}
}

// tested records that values were asked for whether they are empty.
func (f *follower) tested(values ...abstract) {
	for _, p := range slices.Concat(values...) {
		switch {
		case p.isValue:
			f.references.at(p.path).tested = true
		case p.isAny:
			f.references.whole = true
		case p.encoded != nil:
			f.whole(p.encoded) // a text of an empty map is not empty
		}
	}
}
