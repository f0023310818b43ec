package pkgmerge

// Result is what a merge came to.
type Result struct {
	// Changes are all resources of all sides: local's in local's order, then
	// upstream's and origin's.
	Changes []*Change
	// Merged are the changes that the merged package has, in its order.
	Merged []*Change
	// FileChanges are the files of all sides that do not merge by structure, sorted by
	// name, where the packages were made by NewPackage.
	FileChanges []*FileChange
	// Notices are what deserves a word though it is no conflict.
	Notices []Notice
	// Apply is what is done to a cluster, nil where packages were merged.
	Apply *Applied
	// IdleRules are the rules of the policy, if that is Rules, that were about
	// nothing.
	IdleRules []IdleRule
	// IdleRenames and IdleLists are the indices of Options' renames and lists that
	// matched nothing.
	IdleRenames, IdleLists []int

	// ofFiles says that the result has files, which are sorted by name.
	ofFiles bool
	files   []File
	placed  *lastPlaced
}

// Count is how many resources an action was done to.
func (r *Result) Count(a Action) int {
	count := 0
	for _, c := range r.Changes {
		if c.Action == a {
			count++
		}
	}
	return count
}

// Failing are the changes with a conflict that is to fail the run: its policy
// prefers neither side (design 5).
func (r *Result) Failing() []*Change {
	var out []*Change
	for _, c := range r.Changes {
		for _, conflict := range c.Conflicts {
			if c.Fails(conflict) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}

// FailingFiles are the files with a conflict that is to fail the run.
func (r *Result) FailingFiles() []*FileChange {
	var out []*FileChange
	for _, c := range r.FileChanges {
		if c.Fails() {
			out = append(out, c)
		}
	}
	return out
}

// Package is the merged package.
func (r *Result) Package() Package {
	var p Package
	for _, c := range r.Merged {
		p.Resources = append(p.Resources, c.Result)
	}
	return p
}
