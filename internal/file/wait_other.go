//go:build !js

package file

import "syscall"

// noWait opens a file without waiting for it: a pipe could have no writer.
const noWait = syscall.O_NONBLOCK
