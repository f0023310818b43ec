package journal

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// limitVariable has how many bytes a file of the child may have: none more can be
// written, as on a disk that is full.
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
