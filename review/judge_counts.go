package review

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// image returns the line of an entry of images.
func (j judge) image(u *kustomize.Use) *Line {
	l := lineOf(u, u.Node, "")
	var to []string
	for _, field := range []string{"newName", "newTag", "digest", "tagSuffix"} {
		if text := yamlnode.TextAt(u.Node, field); text != "" {
			to = append(to, text)
		}
	}
	l.Value = strings.Join(to, ":")
	var images [2][]string
	for side := range images {
		changes := false
		for _, i := range u.Sides[side].Targets {
			for _, n := range kustomize.ImagesOf(i.Node, u.Node) {
				images[side] = append(images[side], n.Value)
			}
			changes = changes || !alike(i.Node, kustomize.WithImage(i.Node, u.Node))
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
	pinsTag := yamlnode.TextAt(u.Node, "newTag")+yamlnode.TextAt(u.Node, "digest") != ""
	if l.Class == Needed && l.HasOld && pinsTag && l.Old != l.New {
		l.Class = MovedBeneath
	}
	return l
}

// replicas returns the line of an entry of replicas.
func (j judge) replicas(u *kustomize.Use) *Line {
	l := lineOf(u, u.Node, "")
	count := yamlnode.Field(u.Node, "count")
	l.setValues(count, u.First(0, "spec", "replicas"), u.First(1, "spec", "replicas"), false)
	same := func(side int) bool {
		return !slices.ContainsFunc(u.Sides[side].Targets, func(i *kustomize.Item) bool { return !alike(yamlnode.Lookup(i.Node, "spec", "replicas"), count) })
	}
	switch {
	case same(1):
		l.Class = Redundant
	case l.HasOld && !alike(u.First(0, "spec", "replicas"), u.First(1, "spec", "replicas")):
		l.Class = MovedBeneath
	}
	if len(u.Sides[0].Targets) > 0 && same(0) {
		l.Was = Redundant
	}
	return l
}
