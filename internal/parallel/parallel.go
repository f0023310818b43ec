// Package parallel spreads independent work over the processors.
package parallel

import (
	"runtime"
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
