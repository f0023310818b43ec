package review

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// image returns the line of an entry of images.
func (j judge) image(u *use) *Line {
	l := lineOf(u, u.node, "")
	var to []string
	for _, field := range []string{"newName", "newTag", "digest", "tagSuffix"} {
		if text := yamlnode.TextAt(u.node, field); text != "" {
			to = append(to, text)
		}
	}
	l.Value = strings.Join(to, ":")
	var images [2][]string
	for side := range images {
		changes := false
		for _, i := range u.sides[side].targets {
			for _, n := range imagesOf(i.node, u.node) {
				images[side] = append(images[side], n.Value)
			}
			changes = changes || !alike(i.node, withImage(i.node, u.node))
		}
		slices.Sort(images[side])
		images[side] = slices.Compact(images[side])
		class := Needed
		switch {
		case len(images[side]) == 0:
			class = Dead
		case !changes:
			class = Redundant
		}
		if side == 0 {
			l.Was = class
		} else {
			l.Class = class
		}
	}
	l.Old, l.New = strings.Join(images[0], ", "), strings.Join(images[1], ", ")
	l.HasOld, l.HasNew = len(images[0]) > 0, len(images[1]) > 0
	pinsTag := yamlnode.TextAt(u.node, "newTag")+yamlnode.TextAt(u.node, "digest") != ""
	if l.Class == Needed && l.HasOld && pinsTag && l.Old != l.New {
		l.Class = MovedBeneath
	}
	return l
}

// replicas returns the line of an entry of replicas.
func (j judge) replicas(u *use) *Line {
	l := lineOf(u, u.node, "")
	count := yamlnode.Field(u.node, "count")
	l.setValues(count, u.first(0, "spec", "replicas"), u.first(1, "spec", "replicas"), false)
	same := func(side int) bool {
		return !slices.ContainsFunc(u.sides[side].targets, func(i *item) bool { return !alike(yamlnode.Lookup(i.node, "spec", "replicas"), count) })
	}
	switch {
	case same(1):
		l.Class = Redundant
	case l.HasOld && !alike(u.first(0, "spec", "replicas"), u.first(1, "spec", "replicas")):
		l.Class = MovedBeneath
	}
	if len(u.sides[0].targets) > 0 && same(0) {
		l.Was = Redundant
	}
	return l
}
