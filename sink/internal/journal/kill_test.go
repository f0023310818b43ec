package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// childVariable is the environment variable with the directory to which a child of the test writes.
const childVariable = "RESOURCE_MERGE_JOURNAL_CHILD"

// TestMain is also the child's program, which makes the upgrade of the directory.
func TestMain(m *testing.M) {
	syscall.Umask(0o022)
	dir := os.Getenv(childVariable)
	if dir == "" {
		seed.Main(m)
	}
	limitFiles()
	before, after := upgrade()
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	if err := Replace(context.Background(), dir, before, after); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// child is a process that is about to make the upgrade.
type child struct {
	*exec.Cmd
	stdin io.WriteCloser
	said  strings.Builder
}

// startChild starts a child and waits until it is ready.
func startChild(t *testing.T, dir string, env ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.Command(self)}
	c.Env = append(append(os.Environ(), childVariable+"="+dir), env...)
	c.Stderr = &c.said
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if c.stdin, err = c.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return c
}

// goOn lets the child write.
func (c *child) goOn() { _, _ = io.WriteString(c.stdin, "\n") }

// TestKilledRunIsTakenBack: a process that is killed at any instant leaves a state that is
// reverted, or complete.
func TestKilledRunIsTakenBack(t *testing.T) {
	before, after := upgrade()
	old, new := treeOf(t, directoryOf(t, before...)), treeOf(t, directoryOf(t, after...))
	random := rand.New(rand.NewSource(1))
	longest := runTime(t)
	untouched, taken, finished := 0, 0, 0
	for n := range 200 {
		dir := directoryOf(t, before...)
		c := startChild(t, dir)
		c.goOn()
		time.Sleep(time.Duration(random.Int63n(int64(longest))))
		_ = c.Process.Kill()
		_ = c.Wait()
		back, err := Recover(dir)
		if err != nil {
			t.Fatalf("kill %d: %v", n, err)
		}
		switch got := treeOf(t, dir); {
		case cmp.Equal(got, new):
			finished++
		case cmp.Diff(old, got) != "":
			t.Fatalf("kill %d: neither as before nor as after:\n%s", n, cmp.Diff(old, got))
		case back:
			taken++
		default:
			untouched++
		}
	}
	t.Logf("of 200 that were killed, %d had replaced nothing, %d were taken back, %d had finished", untouched, taken, finished)
}

// runTime estimates how long a child takes to write.
func runTime(t *testing.T) time.Duration {
	t.Helper()
	before, _ := upgrade()
	var longest time.Duration
	for range 5 {
		c := startChild(t, directoryOf(t, before...))
		start := time.Now()
		c.goOn()
		if err := c.Wait(); err != nil {
			t.Fatalf("%v: %s", err, c.said.String())
		}
		longest = max(longest, time.Since(start))
	}
	return longest
}

// TestFullDisk: on a full disk a file of 6,000 bytes is one too many.
func TestFullDisk(t *testing.T) {
	before, _ := upgrade()
	dir := directoryOf(t, before...)
	c := startChild(t, dir, limitVariable+"=4096")
	c.goOn()
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("got %v, want exit 1; %s", err, c.said.String())
	}
	if said := c.said.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "file too large") {
		t.Errorf("it said %q", said)
	}
	wantTree(t, dir, treeOf(t, directoryOf(t, before...)))
}
