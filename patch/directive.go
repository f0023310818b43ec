package patch

// The directives of strategic merge.
const (
	patchDirective  = "$patch"
	retainKeys      = "$retainKeys"
	setElementOrder = "$setElementOrder/"
	deleteFromList  = "$deleteFromPrimitiveList/"
)
