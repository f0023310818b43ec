package main

import (
	"bytes"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"github.com/resource-merge/resource-merge/e2e/porch/fleet"
	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// TestSize sends requests of just below and just above the size that Porch takes, and
// the package of the second alone, with upstream's versions in directories.
func TestSize(t *testing.T) {
	server := startServer(t)
	below := listOf(t, 1, components(t, wrapper.MaxMessage), "")
	answer, err := server.Evaluate(t.Context(), below)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.ResourceList, alone(t, below)) {
		t.Error("the answer is not that of a single run")
	}
	t.Logf("a request of %d bytes has an answer of %d", len(below), len(answer.ResourceList))

	more := components(t, wrapper.MaxMessage) + 10
	_, err = server.Evaluate(t.Context(), listOf(t, 1, more, ""))
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "trying to send message larger than max (") {
		t.Errorf("above the size: %v", err)
	}
	_, err = server.Evaluate(t.Context(), listOf(t, 1, more, ""), grpc.UseCompressor(gzip.Name))
	if code := status.Code(err); code != codes.ResourceExhausted && code != codes.Unimplemented {
		t.Errorf("above the size, with gzip: %v", err)
	}
	t.Logf("with gzip: %v", err)
	with := listOf(t, 1, more, t.TempDir())
	if answer, err = server.Evaluate(t.Context(), with); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.ResourceList, alone(t, with)) {
		t.Error("the answer is not that of a single run")
	}
	isRight(t, server)
	isIdle(t, server)
}

// TestSizeOfAnswer sends a request near the size that Porch takes whose answer is above
// it, because origin and upstream stay and upstream added resources.
func TestSizeOfAnswer(t *testing.T) {
	server := startServer(t)
	n := components(t, wrapper.MaxMessage)
	local, err := fleet.Variant(1, n)
	if err != nil {
		t.Fatal(err)
	}
	list, err := fleet.List(local, n, "keep-sources: \"true\"\n")
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.Evaluate(t.Context(), list)
	if status.Code(err) != codes.ResourceExhausted || !strings.Contains(err.Error(), "trying to send message larger than max (") {
		t.Errorf("above the size: %v", err)
	}
	isRight(t, server)
}

// components is the number of components of a copy whose list is just below a size.
func components(t *testing.T, size int) int {
	t.Helper()
	const some = 50
	each := len(listOf(t, 1, some, "")) / some
	return size/each - 3
}
