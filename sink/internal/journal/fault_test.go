package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errFault = errors.New("no space left on device")

// serial lets one goroutine at a time call a function.
func serial(fault func(string) error) func(string) error {
	var mutex sync.Mutex
	return func(op string) error {
		mutex.Lock()
		defer mutex.Unlock()
		return fault(op)
	}
}

// from fails each change of the disk from the n-th on, as if the process had been killed.
func from(n int, failed *bool) func(string) error {
	return serial(func(string) error {
		if n--; n < 0 {
			*failed = true
			return errFault
		}
		return nil
	})
}

// at fails each change of the disk from an operation on.
func at(op string) func(string) error {
	stop := false
	return serial(func(o string) error {
		if stop = stop || o == op; stop {
			return errFault
		}
		return nil
	})
}

// only fails the n-th change of the disk.
func only(n int, failed *string) func(string) error {
	return serial(func(op string) error {
		if n--; n == -1 {
			*failed = op
			return errFault
		}
		return nil
	})
}

// TestReplaceThatStopsAnywhereIsTakenBack: a run that stops at any of its changes is reverted, or
// was complete.
func TestReplaceThatStopsAnywhereIsTakenBack(t *testing.T) {
	before, after := upgrade()
	old, new := treeOf(t, directoryOf(t, before...)), treeOf(t, directoryOf(t, after...))
	taken, finished := 0, 0
	for n := 0; ; n++ {
		dir, failed := directoryOf(t, before...), false
		err := replace(context.Background(), dir, before, after, from(n, &failed))
		if !failed {
			t.Logf("%d instants, %d taken back, %d finished", n, taken, finished)
			break
		}
		back, recoverErr := Recover(dir)
		if recoverErr != nil {
			t.Fatalf("at %d: %v", n, recoverErr)
		}
		got := treeOf(t, dir)
		if err == nil && cmp.Equal(got, new) {
			finished++
		} else if diff := cmp.Diff(old, got); diff != "" {
			t.Fatalf("at %d: neither as before nor as after:\n%s", n, diff)
		}
		if back {
			taken++
		}
	}
	if taken < 20 || finished == 0 {
		t.Errorf("%d were taken back and %d finished", taken, finished)
	}
}

// TestReplaceTakesBackItsErrors: a single failing change, such as on a full disk, leaves nothing
// written.
func TestReplaceTakesBackItsErrors(t *testing.T) {
	before, after := upgrade()
	old, new := treeOf(t, directoryOf(t, before...)), treeOf(t, directoryOf(t, after...))
	for n := 0; ; n++ {
		failed := ""
		dir := directoryOf(t, before...)
		err := replace(context.Background(), dir, before, after, only(n, &failed))
		if failed == "" {
			return
		}
		if _, err := Recover(dir); err != nil { // what could not be removed
			t.Fatalf("%s failed: %v", failed, err)
		}
		want := old
		if err == nil {
			want = new
		}
		if diff := cmp.Diff(want, treeOf(t, dir)); diff != "" {
			t.Fatalf("%s failed with %v:\n%s", failed, err, diff)
		}
	}
}

// TestReplaceTakesBackTheFilesThemselves: a reverted file is the original one, with its times.
func TestReplaceTakesBackTheFilesThemselves(t *testing.T) {
	before, after := upgrade()
	dir := directoryOf(t, before...)
	was := stat(t, dir, "changed.yaml")
	err := replace(context.Background(), dir, before, after, serial(func(op string) error {
		if op == "rename sub/new.yaml" {
			return errFault
		}
		return nil
	}))
	if !errors.Is(err, errFault) {
		t.Fatal(err)
	}
	if is := stat(t, dir, "changed.yaml"); !isUntouched(was, is) {
		t.Errorf("was %v, is %v", was, is)
	}
}

// TestRecoverThatStopsAnywhereGoesOn: Recover may be killed too, any number of times.
func TestRecoverThatStopsAnywhereGoesOn(t *testing.T) {
	before, after := upgrade()
	old := treeOf(t, directoryOf(t, before...))
	killed := func() string {
		dir := directoryOf(t, before...)
		err := replace(context.Background(), dir, before, after, at("remove "+journalName))
		if err == nil {
			t.Fatal("want an error")
		}
		return dir
	}
	for n := 0; ; n++ {
		dir := killed()
		top, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		failed := false
		_, _ = disk{top: top, fault: from(n, &failed)}.recoverLocked()
		top.Close()
		if _, err := Recover(dir); err != nil {
			t.Fatalf("at %d: %v", n, err)
		}
		if diff := cmp.Diff(old, treeOf(t, dir)); diff != "" {
			t.Fatalf("at %d:\n%s", n, diff)
		}
		if !failed {
			t.Logf("%d instants", n)
			return
		}
	}
}

// TestReplaceWithoutHardLinks keeps files as copies if the file system has no hard links.
func TestReplaceWithoutHardLinks(t *testing.T) {
	before, after := upgrade()
	old, new := treeOf(t, directoryOf(t, before...)), treeOf(t, directoryOf(t, after...))
	for _, fail := range []string{"rename sub/new.yaml", "nothing"} {
		t.Run(fail, func(t *testing.T) {
			dir := directoryOf(t, before...)
			err := replace(context.Background(), dir, before, after, serial(func(op string) error {
				var name string
				if _, err := fmt.Sscanf(op, "link %s", &name); err == nil || op == fail {
					return errFault
				}
				return nil
			}))
			if err != nil {
				wantTree(t, dir, old)
			} else {
				wantTree(t, dir, new)
			}
		})
	}
}
