// Package parallel spreads independent work over the processors.
package parallel

import (
	"cmp"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Each calls work for 0 to n-1, on as many goroutines as there are processors. A failed call stops further
// calls, and a panic fails with a *Panic. The error is that of the lowest number, whatever the order of the
// calls. Calls must not write shared data.
func Each(n int, work func(i int) error) error { return On(runtime.GOMAXPROCS(0), n, work) }

// On is Each on a number of goroutines, for work that mostly waits. One of them is the caller's.
func On(goroutines, n int, work func(i int) error) error {
	var next atomic.Int64
	var failed atomic.Bool
	errs := make([]error, n)
	worker := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = Guard(func() error { return work(i) }); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	var others sync.WaitGroup
	for range min(n, goroutines) - 1 {
		others.Go(worker)
	}
	worker()
	others.Wait()
	return cmp.Or(errs...)
}

// Within is Each for calls of different sizes. The calls at one time have a limited size together, and a call above the
// limit runs alone.
func Within(limit, n int, size func(i int) int, work func(i int) error) error {
	r := room{left: limit}
	r.freed.L = &r.mutex
	return Each(n, func(i int) error {
		taken := min(size(i), limit)
		r.take(taken)
		defer r.give(taken)
		return work(i)
	})
}

// room is the size that is left for more calls.
type room struct {
	mutex sync.Mutex
	freed sync.Cond
	left  int
}

// take waits until there is room for a size, and takes it.
func (r *room) take(size int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for r.left < size {
		r.freed.Wait()
	}
	r.left -= size
}

// give returns room that was taken.
func (r *room) give(size int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.left += size
	r.freed.Broadcast()
}

// Panic is the error of work that panicked.
type Panic struct {
	Value any
	// Where is the file and line of the code that panicked.
	Where string
}

func (p *Panic) Error() string {
	return fmt.Sprintf("a bug in resource-merge, please report it: %v at %s", p.Value, p.Where)
}

// Guard calls work, and turns a panic into a *Panic.
func Guard(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Where: panicLocation()}
		}
	}()
	return work()
}

// panicLocation returns the location of the recovered panic: the first caller that is not in the runtime.
func panicLocation() string {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers)])
	raised := false
	for {
		f, more := frames.Next()
		if f.Function == "runtime.gopanic" {
			raised = true
		} else if raised && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s/%s:%d", path.Base(path.Dir(f.File)), path.Base(f.File), f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
