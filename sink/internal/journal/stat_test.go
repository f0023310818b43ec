package journal

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestStatWhileAnotherRunWrites: a directory that becomes a file while a name below it is looked up
// has no such name, which is no error.
func TestStatWhileAnotherRunWrites(t *testing.T) {
	dir := directoryOf(t, file("a/b.yaml", "a: 1\n"), file("other", "a: 2\n"))
	top, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer top.Close()
	stop, others := make(chan struct{}), sync.WaitGroup{}
	others.Go(func() {
		a, directory, other := filepath.Join(dir, "a"), filepath.Join(dir, "directory"), filepath.Join(dir, "other")
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, _ = os.Rename(a, directory), os.Rename(other, a)
			_, _ = os.Rename(a, other), os.Rename(directory, a)
		}
	})
	defer others.Wait()
	defer close(stop)
	for range 100_000 {
		if _, err := (disk{top: top}).stat("a/b.yaml"); err != nil {
			t.Fatal(err)
		}
	}
}
