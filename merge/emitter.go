package merge

// emitter builds the result's tree from what was decided. It never alters a
// node of a side: where a node of local's comes out as it was, it is that very
// node, so that what did not change can be told by comparing pointers.
type emitter struct {
	policy Policy
	// conflicts takes those of comments.
	conflicts *[]Conflict
	// own takes where local's comments are in the result.
	own ownComments
}
