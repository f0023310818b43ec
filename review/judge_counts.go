package review

import (
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
)

// image returns the line of an entry of images. Without a tag it overrides the names of images alone.
func (j judge) image(u *kustomize.Use) *Line {
	l := lineOf(u, u.Node, "")
	var to []string
	for _, field := range []string{"newName", "newTag", "digest", "tagSuffix"} {
		if text := yamlnode.TextAt(u.Node, field); text != "" {
			to = append(to, text)
		}
	}
	pinsTag := yamlnode.TextAt(u.Node, "newTag")+yamlnode.TextAt(u.Node, "digest") != ""
	classify(u, l, line{
		value: yamlnode.String(strings.Join(to, ":")), with: func(n *yamlnodes.Node) (*yamlnodes.Node, error) { return kustomize.WithImage(n, u.Node), nil },
		beneath: func(n *yamlnodes.Node) *yamlnodes.Node {
			var all []string
			for _, is := range kustomize.ImagesOf(n, u.Node) {
				if name, _, _ := transform.SplitImage(is.Value); pinsTag {
					all = append(all, is.Value)
				} else {
					all = append(all, name)
				}
			}
			slices.Sort(all)
			return yamlnode.String(strings.Join(slices.Compact(all), ", "))
		},
	})
	return l
}

// replicas returns the line of an entry of replicas.
func (j judge) replicas(u *kustomize.Use) *Line {
	l, count := lineOf(u, u.Node, ""), yamlnode.Field(u.Node, "count")
	classify(u, l, line{
		value: count, with: func(n *yamlnodes.Node) (*yamlnodes.Node, error) {
			return yamlnode.Set(n, nil, count, "spec", "replicas"), nil
		},
		beneath: func(n *yamlnodes.Node) *yamlnodes.Node { return yamlnode.Lookup(n, "spec", "replicas") },
	})
	return l
}
