//go:build unix

package file

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks an open file for this process until it is closed, and reports whether it could.
func TryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
