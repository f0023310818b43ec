//go:build unix

package gitrepo

import (
	"context"
	"os/exec"
	"syscall"
)

// ownGroup makes a process group of git and its children, so that the end of the context ends them together.
// Such a group cannot read from a terminal: it is for runs without one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup kills the rest of a group after the end of its context.
func endGroup(cmd *exec.Cmd, ctx context.Context) {
	if ctx.Err() != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none left
	}
}
