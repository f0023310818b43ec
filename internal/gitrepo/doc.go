// Package gitrepo reads packages from git repositories (rules/versions: the user's git). Only this package
// starts a program: the user's own git, so that the user's credentials and configuration apply.
//
// It starts git without a shell. Repositories, directories and versions from outside are checked first, and
// follow all options; the variables that a hook sets for its repository do not reach git.
//
// A version is read as git would check it out, with line ends and filters by the .gitattributes of that version and the
// user's configuration. So a checkout and a version of it are equal. Submodules are left out, as in a plain checkout.
package gitrepo

import (
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/resource-merge/resource-merge/internal/file"
)

// Git holds the settings for running git. The zero value runs it as a user does.
type Git struct {
	// Cache is the directory for fetched repositories. The default is KPT_CACHE_DIR, else the user's cache.
	Cache string
	// Patience limits the silence of a remote; the default is two minutes. It does not apply at a terminal,
	// where git may ask the user for a password.
	Patience time.Duration
}

// ThisProgram returns the absolute path of this program: its path in PATH if it is there, which
// outlives an upgrade, else the path of the running file.
func ThisProgram() (string, error) {
	running, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("resource-merge")
	if err != nil {
		return running, nil
	}
	if !file.IsSame(found, running) {
		return running, nil
	}
	return filepath.Abs(found)
}
