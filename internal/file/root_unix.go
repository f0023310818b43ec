//go:build unix

package file

import (
	"os"

	"golang.org/x/sys/unix"
)

// withoutRoot returns an open directory as a file that does not know that it was opened in an os.Root.
func withoutRoot(dir *os.File) (*os.File, error) {
	control, err := dir.SyscallConn()
	if err != nil {
		return nil, err
	}
	again := -1
	var failed error
	err = control.Control(func(fd uintptr) { again, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err == nil {
		err = os.NewSyscallError("fcntl", failed)
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(again), dir.Name()), nil // #nosec G115 -- a descriptor is not negative
}
