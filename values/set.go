package values

import (
	"maps"
	"slices"
)

// setField sets a field of maps and of contexts, as set does. What is set in something else counts as used.
func (f *follower) setField(maps, key, value abstract) abstract {
	if !isKnown(key) {
		key = knownText(computedName)
	}
	if len(maps) == 0 {
		f.whole(value)
	}
	for _, p := range maps {
		for _, k := range key {
			f.setIn(p, k.text, value)
		}
	}
	return maps
}

// unsetField notes that a field of maps may be gone, as after unset.
func (f *follower) unsetField(maps, key abstract) abstract {
	if !isKnown(key) {
		key = knownText(computedName)
	}
	for _, p := range maps {
		f.unsetsContext = f.unsetsContext || p.root != nil || p.isAny
		if !p.isValue {
			continue
		}
		for _, k := range key {
			f.setIn(p, k.text, nil)
		}
	}
	return maps
}

// setIn sets a field of one possible map.
func (f *follower) setIn(p possible, name string, value abstract) {
	switch {
	case p.fields != nil:
		p.fields[name] = p.fields[name].or(value)
	case p.root != nil && name != computedName:
		f.addTo(p.root.fields, name, value)
	case p.isValue:
		at := joined(p.path)
		if f.added[at] == nil {
			f.added[at] = map[string]abstract{}
		}
		f.addTo(f.added[at], name, value)
	default:
		f.whole(value)
	}
}

// merge adds the fields of other maps to the first ones, as merge does. It is for the maps that a template reads later.
func (f *follower) merge(first, others abstract) {
	for _, p := range first {
		for _, other := range others {
			switch {
			case p.fields == nil && p.root == nil && !p.isValue:
			case other.fields != nil:
				for name, value := range other.fields {
					f.setIn(p, name, value)
				}
			case other.isValue && !(p.isValue && slices.Equal(p.path, other.path)):
				f.setIn(p, mergedName, abstract{other})
			}
		}
	}
}

// addTo adds a possible value of a field.
func (f *follower) addTo(fields map[string]abstract, name string, value abstract) {
	was := fields[name]
	fields[name] = was.or(value)
	f.hasNews = f.hasNews || len(fields[name]) > len(was)
}

// addedField returns a field that templates set in a map of the values. Maps that are merged into each other are read once.
func (f *follower) addedField(at, name string) abstract {
	if f.reading[at] {
		return nil
	}
	f.reading[at] = true
	defer delete(f.reading, at)
	return f.oneOf(f.added[at], name)
}

// oneOf returns the possible values of a name among fields that templates made: the fields of that name and of unknown names.
func (f *follower) oneOf(fields map[string]abstract, name string) (out abstract) {
	for _, set := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case set == mergedName:
			out = out.or(f.field(fields[set], name))
		case set == name || set == computedName || name == anyName || name == computedName:
			out = out.or(fields[set])
		}
	}
	return out
}
