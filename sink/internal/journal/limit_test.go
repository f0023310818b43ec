package journal

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// limitVariable is the environment variable with the largest size of a file of the child, as on a
// full disk.
const limitVariable = "RESOURCE_MERGE_JOURNAL_LIMIT"

// limitFiles sets the limit, if there is one.
func limitFiles() {
	limit, err := strconv.ParseUint(os.Getenv(limitVariable), 10, 64)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	_ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit})
}
