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
		case err != nil || slices.ContainsFunc(now.Targets, func(i *kustomize.Item) bool { return i.HidesOperation(o) }):
			l.Note = "not judged: the value beneath it is not known"
		case now.Err != nil && now.Failed == index:
			l.Class, l.Note = Refused, "kustomize fails: "+now.Err.Error()
			if before := u.Sides[0]; before.Err != nil && before.Failed == index {
				l.Was = Refused
			}
		case now.Err == nil:
			j.operation(u, all, index, l)
		}
		lines = append(lines, l)
	}
	return lines
}

// operation classes an operation. What it inserts into a list overrides nothing, unless upstream has it now.
func (j judge) operation(u *kustomize.Use, all []kustomize.Operation, index int, l *Line) {
	o, others := all[index], slices.Delete(slices.Clone(all), index, index+1)
	apply := func(n *yamlnodes.Node, all []kustomize.Operation) (*yamlnodes.Node, error) {
		out, _, err := kustomize.ApplyJSON(n, all)
		return out, err
	}
	one := line{
		value: o.Value, isSecret: j.isSecret(u, o.At),
		with:    func(n *yamlnodes.Node) (*yamlnodes.Node, error) { return apply(n, all) },
		without: func(n *yamlnodes.Node) (*yamlnodes.Node, error) { return apply(n, others) },
		beneath: func(n *yamlnodes.Node) *yamlnodes.Node {
			in := kustomize.ValueAt(n, o.At[:len(o.At)-1])
			if in == nil || in.Kind != yamlnodes.SequenceNode || o.Name == "replace" || o.Name == "remove" {
				return kustomize.ValueAt(n, o.At)
			}
			for _, e := range in.Content {
				if alike(e, o.Value) {
					return e
				}
			}
			return nil
		},
	}
	switch o.Name {
	case "remove":
		in := kustomize.ValueAt(u.Sides[1].Targets[0].Node, o.At[:len(o.At)-1])
		one.value, one.isRemoval = nil, in != nil && in.Kind == yamlnodes.MappingNode
	case "move", "copy":
		one.value = kustomize.ValueAt(u.Sides[1].Targets[0].Node, o.From)
	}
	classify(u, l, one)
}
