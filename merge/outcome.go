package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Outcome is what became of one resource.
type Outcome struct {
	// Verdict says whose version the result is: a side's as it stands, or one that
	// is made of several.
	Verdict Verdict
	// Node is the merged resource, nil if the result has none. It shares nodes with
	// the sides: neither is to be altered.
	Node      *yaml.Node
	Conflicts []Conflict
	Remarks   []Remark
	// Part says what Node was made of; only where Verdict is MergeParts.
	Part Part
}

// asItStands is the outcome that is a side's version, untouched.
func asItStands(versions [3]*yaml.Node, side identity.Side) Outcome {
	return Outcome{Verdict: take(side), Node: versions[side]}
}
