//go:build unix

package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// ownGroup has git and its children be a group of processes, which the end of the
// context ends together. A process of a group of its own could not ask at a
// terminal: this is for runs that are at none.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// endGroup ends what is left of a group after the end of its context.
func endGroup(cmd *exec.Cmd, ctx context.Context) {
	if ctx.Err() != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // there may be none left
	}
}

// tryLock locks a file for this process, and reports whether it could.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
