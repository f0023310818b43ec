// Package parallel spreads independent work over the processors.
package parallel

import (
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// Each calls work for 0 to n-1, on as many goroutines as there are processors.
// After a call that fails no more are begun. The error is that of the lowest
// number that failed, whatever the order in which they ran; a call that panics
// has failed with a *Panic. Each call may write only what is its own.
func Each(n int, work func(i int) error) error { return On(runtime.GOMAXPROCS(0), n, work) }

// On is Each on a number of goroutines, the caller's among them, for work that waits more
// than it computes.
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
	return first(errs)
}

func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
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

// Guard calls work; a panic in it becomes a *Panic.
func Guard(work func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Panic{Value: v, Where: panicked()}
		}
	}()
	return work()
}

// panicked is the place of the panic that is being recovered: the first below
// the runtime's functions that raise it.
func panicked() string {
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
