package parallel

import (
	"errors"
	"strings"
	"testing"
)

// A panic on another goroutine ends nothing but its own work, and is the error.
func TestEachPanics(t *testing.T) {
	var list []int
	err := Each(100, func(i int) error {
		if i == 7 {
			list[i] = i
		}
		return nil
	})
	var p *Panic
	if !errors.As(err, &p) {
		t.Fatalf("got %v, want a panic", err)
	}
	if !strings.Contains(p.Error(), "index out of range [7]") || !strings.HasPrefix(p.Where, "parallel/panic_test.go:") {
		t.Errorf("got %v", p)
	}
}
