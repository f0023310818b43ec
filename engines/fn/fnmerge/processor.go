// Package fnmerge merges packages in functions that are built with kpt's SDK for functions:
//
//	func main() {
//		if err := fn.AsMain(fnmerge.Processor{}, fnmerge.Docs()); err != nil {
//			os.Exit(1)
//		}
//	}
//
// The merge is the one of the program. What the SDK loses around it is in the README.md of the module.
package fnmerge

import (
	_ "embed"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/command/function"
)

// Processor merges the items of a ResourceList as its function config says, a ResourceMerge or a ConfigMap, in place of
// the program. It adds results to those of the list.
type Processor struct{}

var _ fn.ResourceListProcessor = Processor{}

// Process merges the list. If it fails, it returns false and the error, which the SDK writes to stderr, the list has the
// items as they came, and the results with the severity error say why.
func (Processor) Process(rl *fn.ResourceList) (bool, error) {
	nodes := make([]*yaml.Node, len(rl.Items))
	for i, item := range rl.Items {
		nodes[i] = item.CopyToResourceNode().YNode()
	}
	var config *yaml.Node
	if rl.FunctionConfig != nil && !rl.FunctionConfig.IsEmpty() {
		config = rl.FunctionConfig.CopyToResourceNode().YNode()
	}
	merged, found, err := function.Merge(nodes, config)
	var results fn.Results
	if found != nil {
		if err := found.Decode(&results); err != nil {
			results.Errorf("the results cannot be read: %v", err)
		}
	}
	if err != nil && results == nil {
		results.ErrorE(err)
	}
	rl.Results = append(rl.Results, results...)
	if err != nil {
		return false, err
	}
	rl.Items = nil
	for _, n := range merged {
		rl.Items = append(rl.Items, fn.MoveToKubeObject(kyaml.NewRNode(n)))
	}
	return true, nil
}

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

// Docs has the function answer --help and --doc, as kpt fn doc asks.
func Docs() fn.Option { return fn.WithDocs(readme, metadata) }
