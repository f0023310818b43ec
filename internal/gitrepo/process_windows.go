package gitrepo

import (
	"context"
	"errors"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

// ownGroup does nothing: the end of the context kills the process.
func ownGroup(*exec.Cmd) {}

// endGroup does nothing.
func endGroup(*exec.Cmd, context.Context) {}

// tryLock locks a file for this process, and reports whether it could.
func tryLock(file *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err := windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
