package merge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Verdict says whose version a result is.
type Verdict = verdict

// The verdicts of an Outcome.
const (
	Drop         = drop
	TakeLocal    = takeLocal
	TakeUpstream = takeUpstream
	MergeParts   = mergeParts
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

// Resource merges the versions of one resource, each a mapping or nil where
// the side lacks it, by the rows of DESIGN 3.8. Bookkeeping is to be taken off
// them before. kind is what is known about its kind; of the zero Resource, all
// lists are decided whole.
//
// A version that cannot be merged (duplicate keys, alias cycles and bombs,
// nesting deeper than 1,000) is a Fault. Where upstream left such a resource as origin has it,
// local's passes through as it is.
func Resource(versions [3]*yaml.Node, kind schema.Resource, policy Policy) (Outcome, error) {
	out, err := mergeVersions(versions, kind, policy)
	switch out.Node {
	case nil:
		out.Verdict = Drop
	case versions[local]:
		out.Verdict = TakeLocal
	case versions[upstream]:
		out.Verdict = TakeUpstream
	default:
		out.Verdict = MergeParts
	}
	return out, err
}
