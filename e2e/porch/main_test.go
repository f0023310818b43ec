package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// programs are the programs that the tests run.
var programs wrapper.Programs

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests builds the programs and runs the tests.
func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "resource-merge-porch-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	if programs, err = wrapper.Build(context.Background(), dir); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// startServer starts a server over the function, which ends with the test.
func startServer(t *testing.T) *wrapper.Server {
	t.Helper()
	server, err := wrapper.Start(programs.Server, nil, programs.Function)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// alone runs the function by itself, and returns its output.
func alone(t *testing.T, list []byte) []byte {
	t.Helper()
	out, err := programs.Alone(list)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
