package merge

import "go.yaml.in/yaml/v3"

// Expanded is a version of a resource with its aliases and merge keys written out, as it
// is merged (design 3.6): the node itself if there are none. A version that cannot be
// merged is a Fault.
func Expanded(n *yaml.Node) (*yaml.Node, error) { return prepare(n) }
