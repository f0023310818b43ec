//go:build unix

package render

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a process group of a program and its children, so that they can be ended together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endGroup kills a program and its children.
func endGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none left
}
