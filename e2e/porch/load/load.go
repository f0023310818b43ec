// Package load sends many requests to a server from many clients at once, and compares
// each answer with the one that is expected.
package load

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

// Request is a list, and the answer that it must have.
type Request struct{ List, Want []byte }

// Outcome is the result of a load.
type Outcome struct {
	Right  int     // how many answers were the expected ones
	Faults []error // of the others
	Time   time.Duration
	CPU    time.Duration   // of the server and of its children
	Usage  []wrapper.Usage // in the order of time, one each tenth of a second
}

// Run sends count requests from so many clients at once. It takes the given requests in
// order, and begins with the first again when all were sent.
func Run(ctx context.Context, server *wrapper.Server, requests []Request, count, clients int) (Outcome, error) {
	before, err := server.Usage()
	if err != nil {
		return Outcome{}, err
	}
	var out Outcome
	sampled, done := sample(server)
	start := time.Now()
	out.Right, out.Faults = send(ctx, server, requests, count, clients)
	out.Time = time.Since(start)
	close(done)
	out.Usage = <-sampled
	after, err := server.Usage()
	out.CPU = after.CPU - before.CPU
	return out, err
}

// send sends the requests.
func send(ctx context.Context, server *wrapper.Server, requests []Request, count, clients int) (right int, faults []error) {
	var next atomic.Int64
	var mu sync.Mutex
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < count; i = int(next.Add(1)) - 1 {
				err := one(ctx, server, requests[i%len(requests)])
				mu.Lock()
				if err == nil {
					right++
				} else {
					faults = append(faults, fmt.Errorf("request %d: %w", i, err))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return right, faults
}

// one sends a request. The error is that of the server, or says that the answer is
// another one.
func one(ctx context.Context, server *wrapper.Server, r Request) error {
	answer, err := server.Evaluate(ctx, r.List)
	if err != nil {
		return err
	}
	if !bytes.Equal(answer.ResourceList, r.Want) {
		return fmt.Errorf("the answer of %d bytes is not the one of a single run, of %d", len(answer.ResourceList), len(r.Want))
	}
	return nil
}

// sample reads the server's usage until done is closed.
func sample(server *wrapper.Server) (sampled chan []wrapper.Usage, done chan struct{}) {
	sampled, done = make(chan []wrapper.Usage, 1), make(chan struct{})
	go func() {
		var all []wrapper.Usage
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				sampled <- all
				return
			case <-tick.C:
				if u, err := server.Usage(); err == nil {
					all = append(all, u)
				}
			}
		}
	}()
	return sampled, done
}
