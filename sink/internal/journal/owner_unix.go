//go:build unix

package journal

import (
	"os"
	"syscall"
)

// sameOwner gives a new file the owner and group of the file that it replaces, if the process may.
func sameOwner(d disk, name string, info os.FileInfo) {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		_ = d.top.Lchown(name, int(stat.Uid), int(stat.Gid))
	}
}
