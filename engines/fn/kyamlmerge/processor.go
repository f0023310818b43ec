// Package kyamlmerge merges packages in functions and pipelines that are built with kyaml, kustomize's library:
//
//	framework.Execute(kyamlmerge.Processor{}, nil)                       in a function of your own
//	kyamlmerge.Command().Execute()                                       as a function with a command line
//	kio.Pipeline{Filters: []kio.Filter{&kyamlmerge.ResourceMerge{}, …}}  in a pipeline of filters
//
// The merge is the one of the program. What kyaml loses around it is in README.md.
package kyamlmerge

import (
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/command/function"
)

// Processor merges the items of a ResourceList as its function config says, a ResourceMerge or a ConfigMap, in place of
// the program. It adds results to those of the list.
type Processor struct{}

var _ framework.ResourceListProcessor = Processor{}

// Process merges the list. After an error the list has the items as they came. The error is the results with the severity
// error, which the list has too.
func (Processor) Process(rl *framework.ResourceList) error {
	items, results, err := merge(rl.Items, rl.FunctionConfig)
	rl.Items, rl.Results = items, append(rl.Results, results...)
	return err
}

// merge returns the merged items, or with an error the given ones.
func merge(items []*yaml.RNode, config *yaml.RNode) ([]*yaml.RNode, framework.Results, error) {
	nodes := make([]*yaml.Node, len(items))
	for i, item := range items {
		nodes[i] = item.YNode()
	}
	mergedNodes, found, err := function.Merge(nodes, config.YNode())
	var results framework.Results
	if found != nil {
		if err := found.Decode(&results); err != nil {
			results = framework.Results{{Message: "the results cannot be read: " + err.Error(), Severity: framework.Error}}
		}
	}
	if err == nil {
		merged := make([]*yaml.RNode, len(mergedNodes))
		for i, n := range mergedNodes {
			merged[i] = yaml.NewRNode(n)
		}
		return merged, results, nil
	}
	var failures framework.Results
	for _, r := range results {
		if r.Severity == framework.Error {
			failures = append(failures, r)
		}
	}
	if failures == nil {
		failures = framework.Results{{Message: err.Error(), Severity: framework.Error}}
		results = append(results, failures...)
	}
	return items, results, failures
}
