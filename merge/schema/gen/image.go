package main

import "fmt"

// imageField is a field that holds a container image, which merges in two parts
// (design 3.1).
type imageField struct{ structure, field string }

// imageFields is the table of images by hand: the schema has them as strings.
func imageFields() []imageField {
	return []imageField{
		{"core.v1.Container", "image"},
		{"core.v1.EphemeralContainer", "image"},
		{"core.v1.ImageVolumeSource", "reference"},
	}
}

// addImages says of the fields that they are images. The schema must have them.
func (g *graph) addImages(fields []imageField) error {
	const image = "image"
	g.nodes[image] = &node{relation: "Granular", scalar: "Image"}
	for _, f := range fields {
		n := g.nodes[apiPrefix+f.structure]
		if n == nil || !n.setField(f.field, image) {
			return fmt.Errorf("image: the schema has no field %s of %s", f.field, f.structure)
		}
	}
	return nil
}

// setField gives a field of a struct another type, and reports whether there is
// such a field.
func (n *node) setField(name, to string) bool {
	for i, e := range n.fields {
		if e.field == name {
			n.fields[i].to = to
			return true
		}
	}
	return false
}
