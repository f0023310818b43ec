package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// TestClientGoesAway cancels a request while the function works on it. The function is
// stopped before, so that it cannot end by itself: the server must kill it.
func TestClientGoesAway(t *testing.T) {
	server := startServer(t)
	list := listOf(t, 1, 100, "")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := server.Evaluate(ctx, list)
		ended <- err
	}()
	child := aChild(t, server)
	if err := syscall.Kill(child, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; status.Code(err) != codes.Canceled {
		t.Errorf("the request ended with %v", err)
	}
	isIdle(t, server)
	if slices.Contains(server.Children(), child) {
		t.Error("the function still runs")
	}
	isRight(t, server)
}

// aChild waits until the server has a child that is the function: before, it is the
// server's own program, and the server waits for it, also while it is stopped.
func aChild(t *testing.T, server *wrapper.Server) int {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		for _, child := range server.Children() {
			if program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", child)); err == nil && filepath.Base(program) == "resource-merge" {
				return child
			}
		}
	}
	t.Fatal("the server started nothing")
	return 0
}

// TestClientsGoAway cancels hundreds of requests at any moment. Nothing stays of them,
// and the next requests are right.
func TestClientsGoAway(t *testing.T) {
	server := startServer(t)
	list := listOf(t, 1, 20, "")
	draw := rand.New(rand.NewPCG(1, 22))
	for range 20 {
		done := make(chan struct{})
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(draw.IntN(100))*time.Millisecond)
			go func() {
				defer cancel()
				server.Evaluate(ctx, list) // whether it ended in time is no matter
				done <- struct{}{}
			}()
		}
		for range 10 {
			<-done
		}
	}
	isIdle(t, server)
	isRight(t, server)
}

// isRight fails unless the server answers a request as a single run does.
func isRight(t *testing.T, server *wrapper.Server) {
	t.Helper()
	list := listOf(t, 7, 3, "")
	answer, err := server.Evaluate(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(answer.ResourceList, alone(t, list)) {
		t.Error("the answer is not that of a single run")
	}
}
