package parallel

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

func TestEach(t *testing.T) {
	done := make([]int, 1000)
	err := Each(len(done), func(i int) error {
		done[i]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, times := range done {
		if times != 1 {
			t.Fatalf("%d was done %d times", i, times)
		}
	}
	if err := Each(0, func(int) error { return errors.New("called") }); err != nil {
		t.Error(err)
	}
}

// TestEachFirstError has many calls fail: the error is always the same one.
func TestEachFirstError(t *testing.T) {
	for range 100 {
		err := Each(50, func(i int) error {
			if i%7 == 3 {
				return fmt.Errorf("number %d", i)
			}
			return nil
		})
		if err == nil || err.Error() != "number 3" {
			t.Fatal(err)
		}
	}
}

// TestWithin runs calls of different sizes, some larger than the limit: the running ones never exceed the limit, unless one
// is alone.
func TestWithin(t *testing.T) {
	const limit = 10
	var mutex sync.Mutex
	running, sum, done := 0, 0, 0
	note := func(calls, size int) {
		mutex.Lock()
		defer mutex.Unlock()
		if running, sum = running+calls, sum+size; running > 1 && sum > limit {
			t.Errorf("%d calls of size %d run", running, sum)
		}
		done += max(calls, 0)
	}
	err := Within(limit, 200, func(i int) int { return i % 13 }, func(i int) error {
		note(1, i%13)
		runtime.Gosched()
		note(-1, -(i % 13))
		return nil
	})
	if err != nil || done != 200 {
		t.Errorf("%d calls, %v", done, err)
	}
}
