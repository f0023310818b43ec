package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// grace is the time in which a command may end by itself after an interrupt. Work that checks its
// context ends at once and cleans up; a read from a pipe, for example, does not check.
const grace = 500 * time.Millisecond

// interruption ends the process some time after SIGINT or SIGTERM, whatever the command does, but not
// while files are written: all of them are written, or none. A second signal ends it at once.
type interruption struct {
	writing sync.Mutex
	output  atomic.Int32 // nothing, begun or written
	ended   chan struct{}
	signals chan os.Signal
}

// States of a command's output. Files are all written or none, unless a second signal comes between
// them; then the next run that writes takes them back.
const (
	nothing int32 = iota
	begun
	written
)

// interruptionsKey is the key of the interruption in a command's context.
type interruptionsKey struct{}

// interruptionOf returns the interruption of a command's context, nil if it has none.
func interruptionOf(ctx context.Context) *interruption {
	i, _ := ctx.Value(interruptionsKey{}).(*interruption)
	return i
}

// withInterrupts returns a context that SIGINT and SIGTERM cancel. If the command has not ended some time after that,
// or at a second signal, giveUp is called. The command must call stop at its end.
func withInterrupts(parent context.Context, giveUp func(context.Context)) (ctx context.Context, stop func()) {
	i := &interruption{ended: make(chan struct{}), signals: make(chan os.Signal, 2)}
	ctx, cancel := context.WithCancel(context.WithValue(parent, interruptionsKey{}, i))
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case <-i.ended:
			return
		case <-i.signals:
			cancel()
		}
		if i.outlives() {
			giveUp(ctx)
		}
	}()
	return ctx, func() {
		close(i.ended)
		signal.Stop(i.signals)
		cancel()
	}
}

// outlives waits for the end of an interrupted command. It reports whether the command goes on
// though it had time, and writes no files, or though there was a second signal.
func (i *interruption) outlives() bool {
	select {
	case <-i.ended:
		return false
	case <-i.signals:
		return true
	case <-time.After(grace):
	}
	free := make(chan struct{})
	go func() {
		i.writing.Lock()
		close(free)
	}()
	select {
	case <-i.ended:
		return false
	case <-i.signals:
	case <-free:
	}
	return true
}

// message returns the message about an interrupted command.
func (i *interruption) message() string {
	switch i.output.Load() {
	case nothing:
		return "interrupted; nothing was written"
	case begun:
		return "interrupted between two files; resource-merge recover DIR takes back the written ones"
	}
	return "interrupted"
}

// withoutInterrupts calls write, which writes files and checks the context between them. An
// interrupt does not end the process meanwhile.
func withoutInterrupts(ctx context.Context, write func() error) error {
	i := interruptionOf(ctx)
	if i == nil {
		return write()
	}
	i.writing.Lock()
	defer i.writing.Unlock()
	i.output.Store(begun)
	err := write()
	i.output.Store(nothing)
	if err == nil {
		i.output.Store(written)
	}
	return err
}

// writesParts notes that the command writes parts of its output, which stay after an interrupt.
func writesParts(ctx context.Context) {
	if i := interruptionOf(ctx); i != nil {
		i.output.Store(written)
	}
}
