package main

// versions are the three versions of a package.
type versions struct {
	origin, upstream tree
	local            copyOf
}

// outcome is a program's result for the versions.
type outcome struct {
	files tree
	// before is local as the program's reader and writer alone leave it: extra
	// lines are counted from there.
	before tree
	told   []conflict
	// untold are files that the program left for the user to merge by hand.
	untold []string
	// conflicts is the number of places that the program left in conflict, if it does so.
	conflicts int
	// broken are the files that the program wrote and nobody can read.
	broken []string
	// aside is a remark for the notes.
	aside    string
	failure  string
	unstable bool
}

// contender is a program that merges.
type contender struct {
	name  string
	merge func(v versions, dir string) (outcome, error)
}

// contenders are the programs to measure. With kpt, the function runs under it.
func (o options) contenders() []contender {
	ours := contender{"resource-merge", mergeByFunction}
	others := []contender{{"git merge", mergeByGit}}
	if o.kpt != "" {
		ours.merge = func(v versions, dir string) (outcome, error) { return mergeUnderKpt(o.kpt, o.function, v, dir) }
		update := func(v versions, dir string) (outcome, error) { return mergeByKpt(o.kpt, v, dir) }
		others = append([]contender{{"kpt pkg update", update}}, others...)
	}
	return append([]contender{ours}, others...)
}
