package render

import "os/exec"

// ownGroup does nothing: there are no process groups to end.
func ownGroup(*exec.Cmd) {}

// endGroup kills a program.
func endGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may have ended
