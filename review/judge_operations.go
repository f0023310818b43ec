package review

import (
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// operations returns the lines of a JSON patch.
func (j judge) operations(u *kustomize.Use) (lines []*Line) {
	all, err := kustomize.Operations(u.Node)
	for index, o := range all {
		now := u.Sides[1]
		if o.Name == "test" && (now.Err == nil || now.Failed != index) { // it changes nothing
			continue
		}
		l := lineOf(u, o.Node, "/"+strings.Join(o.At, "/"))
		switch {
		case err != nil || slices.ContainsFunc(now.Targets, func(i *kustomize.Item) bool { return i.Hides(strings.Join(o.At, ".")) }):
			l.Note = "not judged: the value beneath it is not known"
		case now.Err != nil && now.Failed == index:
			l.Class, l.Note = Refused, "kustomize fails: "+now.Err.Error()
			if before := u.Sides[0]; before.Err != nil && before.Failed == index {
				l.Was = Refused
			}
		case now.Err == nil:
			l.Class, l.Was = j.operation(u, all, index, 1, l), j.operation(u, all, index, 0, nil)
		}
		lines = append(lines, l)
	}
	return lines
}

// operation returns the class of an operation on a side, and sets the values of its line, which is nil for the old side.
func (j judge) operation(u *kustomize.Use, all []kustomize.Operation, index, side int, l *Line) Class {
	o, without := all[index], slices.Delete(slices.Clone(all), index, index+1)
	isIdle := len(u.Sides[side].Targets) > 0
	for _, i := range u.Sides[side].Targets {
		with, _, err := kustomize.ApplyJSON(i.Node, all)
		less, _, lessErr := kustomize.ApplyJSON(i.Node, without)
		isIdle = isIdle && err == nil && lessErr == nil && alike(with, less)
	}
	if isIdle {
		if l != nil {
			l.setValues(o.Value, nil, kustomize.ValueAt(u.Sides[1].Targets[0].Node, o.At), j.isSecret(u, o.At))
		}
		return Redundant
	}
	if l == nil || len(u.Sides[0].Targets) == 0 {
		return Needed
	}
	beneath := func(side int) *yamlnodes.Node {
		n := u.Sides[side].Targets[0].Node
		in := kustomize.ValueAt(n, o.At[:len(o.At)-1])
		if in == nil || in.Kind != yamlnodes.SequenceNode || o.Name != "add" {
			return kustomize.ValueAt(n, o.At)
		}
		for _, e := range in.Content { // what is inserted overrides nothing, unless upstream has it now
			if alike(e, o.Value) {
				return e
			}
		}
		return nil
	}
	old, now := beneath(0), beneath(1)
	if l.setValues(o.Value, old, now, j.isSecret(u, o.At)); o.Name == "remove" {
		l.Value = nil
	}
	if alike(old, now) || o.Name == "move" || o.Name == "copy" {
		return Needed
	}
	return MovedBeneath
}
