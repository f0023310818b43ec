// Package gitrepo reads packages from git repositories (rules/versions: the user's
// git). It is the one place that starts a program, the user's own git: so the user's
// credentials and configuration apply.
//
// What it starts is started without a shell. What comes from outside, a
// repository, a directory or a version, is checked first and stands where git
// takes no option; git's own variables, which a hook sets for its repository, do
// not reach it.
//
// A version is read as git would check it out: line ends and filters are those
// of the .gitattributes of that version and of the user's configuration. So
// three versions, of which one is a checkout, differ in nothing but what somebody
// changed. Submodules are left out, as git does where nobody asks for them.
package gitrepo

import "time"

// Git says how git is run. The zero value is how a user runs it.
type Git struct {
	// Cache is the directory of what was fetched: without one KPT_CACHE_DIR, else
	// a directory of the user's cache.
	Cache string
	// Patience is how long a remote may say nothing before it is given up: without
	// one two minutes. A user at a terminal, who may be asked for a password, ends
	// a run without it.
	Patience time.Duration
}

// patience is Patience, or what holds without one.
func (g Git) patience() time.Duration {
	if g.Patience > 0 {
		return g.Patience
	}
	return 2 * time.Minute
}
