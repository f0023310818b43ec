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

// grace is the time in which a command may end by itself after an interrupt. Work that checks its
// context ends at once and cleans up; a read from a pipe, for example, does not check.
const grace = 500 * time.Millisecond

// errInterrupted is the error of an interrupted command.
var errInterrupted = errors.New("interrupted")

// interruption ends the process some time after an interrupt, whatever the command does, but not
// while files are written: all of them are written, or none.
type interruption struct {
	writing sync.Mutex
	ended   chan struct{}
}

// interruptionsKey is the key of the interruption in a command's context.
type interruptionsKey struct{}

// withInterrupts returns a context that SIGINT and SIGTERM cancel. If the command has not ended
// some time after that, giveUp is called. The command must call stop at its end.
func withInterrupts(parent context.Context, giveUp func()) (ctx context.Context, stop func()) {
	ctx, cancel := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	i := &interruption{ended: make(chan struct{})}
	go i.watch(ctx, giveUp)
	return context.WithValue(ctx, interruptionsKey{}, i), func() {
		close(i.ended)
		cancel()
	}
}

// watch waits for an interrupt, and then for the command to end.
func (i *interruption) watch(ctx context.Context, giveUp func()) {
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

// withoutInterrupts calls write, which writes files and checks the context between them. An
// interrupt does not end the process meanwhile.
func withoutInterrupts(ctx context.Context, write func() error) error {
	if i, found := ctx.Value(interruptionsKey{}).(*interruption); found {
		i.writing.Lock()
		defer i.writing.Unlock()
	}
	return write()
}
