package plainyaml

import "go.yaml.in/yaml/v3"

// Head returns the item's mapping as far as it says who the item is: apiVersion,
// kind, and of metadata name, namespace, generateName, annotations, and the
// comment on the key. It is made anew each time.
func (i *Item) Head() *yaml.Node {
	notes := make([]pair, len(i.annotations))
	for n, a := range i.annotations {
		notes[n] = pair{string(i.part(a.name)), i.value(a)}
	}
	return i.head.node(notes)
}

// Said is what an item says about itself.
type Said struct {
	APIVersion, Kind, Name, Namespace, GenerateName string
	// Comment is that on the metadata key, and HasMetadata says that there is one.
	Comment     string
	HasMetadata bool
}

// Said is what Head says, but for the annotations.
func (i *Item) Said() Said {
	h := &i.head
	return Said{h.said[apiVersion], h.said[kind], h.said[name], h.said[namespace], h.said[generateName], h.comment, h.seen[0]}
}

// Annotation returns the value of an annotation, "" if there is none.
func (i *Item) Annotation(name string) string {
	if at := i.find([]byte(name)); at >= 0 {
		return i.value(i.annotations[at])
	}
	return ""
}

// value is the value of an annotation. One of several lines is read only now.
func (i *Item) value(a entry) string {
	if !a.long {
		return string(i.part(a.value))
	}
	if m := rootOf(i.part(a.line)); m != nil && len(m.Content) == 2 {
		return m.Content[1].Value
	}
	return ""
}
