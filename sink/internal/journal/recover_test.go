package journal

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// killedAt makes the upgrade of a directory and stops at an operation.
func killedAt(t *testing.T, op string) (string, []pkgmerge.File) {
	t.Helper()
	before, after := upgrade()
	dir := directoryOf(t, before...)
	if err := replace(context.Background(), dir, before, after, at(op)); err == nil {
		t.Fatal("want an error")
	}
	return dir, before
}

func TestRecoverHasNothingToDo(t *testing.T) {
	dir := directoryOf(t, file("a.yaml", "a: 1\n"))
	if taken, err := Recover(dir); taken || err != nil {
		t.Errorf("got %v, %v", taken, err)
	}
	if _, err := Recover(filepath.Join(dir, "missing")); err == nil {
		t.Error("want an error of a directory that is not there")
	}
}

// TestReplaceTakesBackAKilledRun: the next run reverts a killed one, whose files then do not count
// as new.
func TestReplaceTakesBackAKilledRun(t *testing.T) {
	dir, before := killedAt(t, "rename sub/new.yaml")
	_, after := upgrade()
	if err := Replace(context.Background(), dir, before, after); err != nil {
		t.Fatal(err)
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, after...)))
}

// TestPutTakesBackAKilledRun: Put reverts a killed run before it reads, also one that had replaced its last file.
func TestPutTakesBackAKilledRun(t *testing.T) {
	_, after := upgrade()
	for _, op := range []string{"rename sub/new.yaml", "remove " + journalName} {
		dir, before := killedAt(t, op)
		var removed []string
		for _, f := range before {
			if !slices.ContainsFunc(after, func(g pkgmerge.File) bool { return g.Name == f.Name }) {
				removed = append(removed, f.Name)
			}
		}
		if err := Put(context.Background(), dir, after, removed...); err != nil {
			t.Fatal(err)
		}
		wantTree(t, dir, treeOf(t, directoryOf(t, after...)))
	}
}

// TestReplaceWithoutEditsTakesBackAKilledRun: who read the files of a killed run and has nothing to write must read them again.
func TestReplaceWithoutEditsTakesBackAKilledRun(t *testing.T) {
	dir, before := killedAt(t, "remove "+journalName)
	_, after := upgrade()
	if err := Replace(context.Background(), dir, after, after); err == nil || !strings.Contains(err.Error(), "a killed run was reverted") {
		t.Errorf("got %v", err)
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, before...)))
}

// TestRecoverRefusesWhatSomebodyChanged: files that were changed after a run was killed stay, and
// so do all others, until a person decides.
func TestRecoverRefusesWhatSomebodyChanged(t *testing.T) {
	dir, _ := killedAt(t, "rename sub/new.yaml")
	put(t, dir, file("sub/changed.yaml", "mine: 1\n"))
	was := treeOf(t, dir)
	for range 2 {
		_, err := Recover(dir)
		if err == nil || !strings.Contains(err.Error(), "sub/changed.yaml was changed since by somebody else") {
			t.Fatalf("got %v", err)
		}
		wantTree(t, dir, was)
	}
	if err := os.RemoveAll(filepath.Join(dir, Dir)); err != nil {
		t.Fatal(err)
	}
	if taken, err := Recover(dir); taken || err != nil {
		t.Errorf("got %v, %v", taken, err)
	}
}

// TestRecoverKeepsFilesOfOthers: files that others put into a directory of a killed run stay.
func TestRecoverKeepsFilesOfOthers(t *testing.T) {
	dir, before := killedAt(t, "rename sub/new.yaml")
	mine := file("new/deep/mine.yaml", "a: 1\n")
	put(t, dir, mine)
	if taken, err := Recover(dir); !taken || err != nil {
		t.Fatalf("got %v, %v", taken, err)
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, append(before, mine)...)))
}

// TestRecoverRefusesAJournalOfOthers: a journal that came with a package from elsewhere is an
// error.
func TestRecoverRefusesAJournalOfOthers(t *testing.T) {
	for _, c := range []struct{ name, journal, want string }{
		{"no JSON", "{", "unexpected end"},
		{"a newer version", `{"version":2}`, "another release"},
		{"outside", `{"version":1,"steps":[{"name":"\"../a.yaml\""}]}`, "not a file below the directory"},
		{"a directory outside", `{"version":1,"made":["\"../a\""]}`, "not a file below the directory"},
		{"git's own", `{"version":1,"steps":[{"name":"\".git/config\"","before":{"mode":"100644","sha256":""}}]}`, "git's own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := directoryOf(t, file("a.yaml", "a: 1\n"), file(journalName, c.journal))
			_, err := Recover(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestTwoRunsAtOnce: the second of two concurrent runs is refused, and the first is not disturbed.
func TestTwoRunsAtOnce(t *testing.T) {
	before, after := upgrade()
	dir := directoryOf(t, before...)
	tried := 0
	err := replace(context.Background(), dir, before, after, serial(func(op string) error {
		if strings.HasPrefix(op, "mkdir "+Dir) || strings.HasPrefix(op, "lock") || strings.Contains(op, ignoreDraft) || strings.HasPrefix(op, "remove") {
			return nil
		}
		tried++
		if err := Replace(context.Background(), dir, before, after); err == nil || !strings.Contains(err.Error(), "since") && !strings.Contains(err.Error(), "another run") {
			t.Errorf("at %s: the second run got %v", op, err)
		}
		if _, err := Recover(dir); err == nil || !strings.Contains(err.Error(), "another run is writing") {
			t.Errorf("at %s: Recover got %v", op, err)
		}
		return nil
	}))
	if err != nil || tried == 0 {
		t.Errorf("%d tries, %v", tried, err)
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, after...)))
}

// TestManyRunsAtOnce: of many concurrent processes one writes, and no other disturbs it.
func TestManyRunsAtOnce(t *testing.T) {
	before, after := upgrade()
	for range 5 {
		dir := directoryOf(t, before...)
		var children []*child
		for range 5 {
			children = append(children, startChild(t, dir))
		}
		for _, c := range children {
			c.goOn()
		}
		wrote := 0
		for _, c := range children {
			if c.Wait() == nil {
				wrote++
			} else if said := c.said.String(); !strings.Contains(said, "another run") && !strings.Contains(said, "since") && !strings.Contains(said, "because") {
				t.Errorf("it said %s", said)
			}
		}
		if wrote != 1 {
			t.Errorf("%d wrote", wrote)
		}
		wantTree(t, dir, treeOf(t, directoryOf(t, after...)))
	}
}
