package main

import (
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// idleFiles are the most files that a server without requests has open: its streams,
// the listener, the connection of the client, and what Go's runtime needs.
const idleFiles = 16

// isIdle fails if a server without requests still has children, or more files open than
// such a server has.
func isIdle(t *testing.T, server *wrapper.Server) {
	t.Helper()
	var u wrapper.Usage
	for range 500 {
		var err error
		if u, err = server.Usage(); err != nil {
			t.Fatal(err)
		}
		if u.Running == 0 && u.Files <= idleFiles {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("a server without requests has %d children and %d files", u.Running, u.Files)
}
