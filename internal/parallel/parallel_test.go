package parallel

import (
	"errors"
	"fmt"
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
