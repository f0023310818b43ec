package report

// Run is what a report says of the merge of one package.
type Run struct {
	Package   string
	conflicts []runConflict
	// failure is why nothing was merged, "" if something was.
	failure string
}

// runConflict is a conflict as any report tells of it.
type runConflict struct {
	kind, group, resourceKind, name, path string
	origin, upstream, local, chosen       string
	// prefer is what a rule must prefer to decide it otherwise, "" if none is known to.
	prefer string
}
