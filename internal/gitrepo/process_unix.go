//go:build unix

package gitrepo

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a process group of a program and its children: the end of the program's context ends the group. Such
// a group cannot read from a terminal: it is for programs without one.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// KillGroup kills the rest of a group. A program that never started has none.
func KillGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none left
	}
}
