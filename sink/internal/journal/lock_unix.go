//go:build !windows

package journal

import (
	"os"
	"syscall"
)

// tryLock locks an open file until it is closed, if it is not locked.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return false, nil
	}
	return err == nil, err
}

// sameOwner gives a new file the owner and group of the file that it replaces, if the process may.
func sameOwner(d disk, name string, info os.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = d.top.Lchown(name, int(stat.Uid), int(stat.Gid))
	}
}
