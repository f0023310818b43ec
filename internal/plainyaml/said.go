package plainyaml

import "go.yaml.in/yaml/v3"

// Head returns the item's mapping as far as it says who the item is: apiVersion,
// kind, and of metadata name, namespace, generateName, annotations, and the
// comment on the key. It is made anew each time.
func (i *Item) Head() *yaml.Node {
	notes := make([]pair, len(i.annotations))
	for n, a := range i.annotations {
		notes[n] = pair{a.name, i.value(a)}
	}
	return i.head.node(notes)
}

// Annotation returns the value of an annotation, "" if there is none.
func (i *Item) Annotation(name string) string {
	for _, a := range i.annotations {
		if a.name == name {
			return i.value(a)
		}
	}
	return ""
}

// value is the value of an annotation. One of several lines is read only now.
func (i *Item) value(a entry) string {
	if !a.long {
		return a.pair.value
	}
	if m := rootOf(i.part(a.line)); m != nil && len(m.Content) == 2 {
		return m.Content[1].Value
	}
	return ""
}
