//go:build !unix

package gitrepo

import "os/exec"

// OwnGroup does nothing: the end of a program's context kills the program alone.
func OwnGroup(*exec.Cmd) {}

// KillGroup kills a program.
func KillGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // it may have ended
	}
}
