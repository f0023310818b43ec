package schema

import "go.yaml.in/yaml/v3"

// Warning is about a CRD that could not be used as it is written.
type Warning struct {
	CRD  *yaml.Node // its tree
	Path string     // in the CRD
	Text string
}
