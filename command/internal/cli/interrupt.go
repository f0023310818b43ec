package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// grace is how long a command may take to end by itself after an interrupt. Work that looks at
// its context ends at once, and cleans up; a read of a pipe, say, does not look.
const grace = 500 * time.Millisecond

// errInterrupted is the error of a command that an interrupt ended.
var errInterrupted = errors.New("interrupted")

// interruptions ends the process some time after an interrupt, wherever the command is, but
// never while files are written: these are all written, or none.
type interruptions struct {
	writing sync.Mutex
	ended   chan struct{}
}

// interruptionsKey is the key of the interruptions in a command's context.
type interruptionsKey struct{}

// interruptible returns a context that SIGINT and SIGTERM end. Where the command has not ended
// some time after that, give up is called. stop is to be called when the command has ended.
func interruptible(parent context.Context, giveUp func()) (ctx context.Context, stop func()) {
	ctx, cancel := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	i := &interruptions{ended: make(chan struct{})}
	go i.watch(ctx, giveUp)
	return context.WithValue(ctx, interruptionsKey{}, i), func() {
		close(i.ended)
		cancel()
	}
}

// watch waits for an interrupt, and gives the command the grace.
func (i *interruptions) watch(ctx context.Context, giveUp func()) {
	select {
	case <-i.ended:
		return
	case <-ctx.Done():
	}
	select {
	case <-i.ended:
	case <-time.After(grace):
		i.writing.Lock()
		giveUp()
	}
}

// uninterrupted calls write, which writes files and looks at the context between them. An
// interrupt does not end the process meanwhile.
func uninterrupted(ctx context.Context, write func() error) error {
	if i, found := ctx.Value(interruptionsKey{}).(*interruptions); found {
		i.writing.Lock()
		defer i.writing.Unlock()
	}
	return write()
}
