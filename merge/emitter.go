package merge

import "go.yaml.in/yaml/v3"

// emitter builds the result's tree from what was decided. It never alters a
// node of a side: where a node of local's comes out as it was, it is that very
// node, so that what did not change can be told by comparing pointers.
type emitter struct {
	policy Policy
	// conflicts takes those of comments.
	conflicts *[]Conflict
	// own takes where local's comments are in the result.
	own ownComments
	// stands are the nodes of upstream's that nodes of the result stand for.
	stands map[*yaml.Node]*yaml.Node
}

// note notes that n stands in the result for a node of local's, which has these comments, and
// for one of upstream's. Either may be nil.
func (m emitter) note(n, ofLocal *yaml.Node, s slots, ofUpstream *yaml.Node) {
	m.own.note(n, ofLocal, s)
	if ofUpstream != nil && n != ofUpstream {
		m.stands[n] = ofUpstream
	}
}
