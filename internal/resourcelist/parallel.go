package resourcelist

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls work for 0 to n-1, on as many goroutines as there are
// processors, and tells whether all calls returned true. After one that did
// not, no more are begun. Each call may write only what is its own.
func parallel(n int, work func(int) bool) bool {
	var next atomic.Int64
	var failed atomic.Bool
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if !work(i) {
					failed.Store(true)
				}
			}
		})
	}
	workers.Wait()
	return !failed.Load()
}
