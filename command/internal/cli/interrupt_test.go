//go:build unix

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/sink"
)

// patience is the time that a test waits for a process that was interrupted, which takes a second at
// most on an idle machine.
const patience = 20 * time.Second

// SIGINT and SIGTERM end a command wherever it is: where it waits for a pipe, and in the midst
// of a merge. Nothing is written then.
func TestInterrupts(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for side, n := range map[string]int{"o": 1, "u": 2, "l": 3} {
		var b strings.Builder
		for i := range 4000 {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a%d\ndata:\n  a: \"%d\"\n", i, n)
		}
		if err := os.MkdirAll(filepath.Join(dir, side), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, side, "a.yaml"), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct {
		args []string
		// waits means that the command waits for stdin, which never ends.
		waits bool
	}{
		"waiting for stdin": {[]string{"merge", "--origin", "o", "--upstream", "-", "--local", "l"}, true},
		"applying stdin":    {[]string{"apply", "--live", "-", "l"}, true},
		"merging":           {[]string{"merge", "--origin", "o", "--upstream", "u", "--local", "l", "-o", "new"}, false},
		"to a pipe":         {[]string{"merge", "--origin", "o", "--upstream", "u", "--local", "l", "--diff"}, false},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			t.Run(fmt.Sprint(name, " ", signal), func(t *testing.T) {
				said, err := interruptedRun(t, self, dir, test.args, signal)
				var ended *exec.ExitError
				if test.waits && (!errors.As(err, &ended) || ended.ExitCode() != interrupted) {
					t.Errorf("it ended with %v", err)
				}
				if test.waits && !strings.HasSuffix(said, ": interrupted; nothing was written\n") {
					t.Errorf("it said %q", said)
				}
				if left, _ := filepath.Glob(filepath.Join(dir, "new", "*")); len(left) > 1 {
					t.Errorf("it left %v", left)
				}
				_ = os.RemoveAll(filepath.Join(dir, "new"))
			})
		}
	}
}

// interruptedRun starts a command, sends it a signal, and returns how it ended. On a busy machine the
// signal may come before the program asks for signals, which ends it: then it waits longer.
func interruptedRun(t *testing.T, self, dir string, args []string, signal syscall.Signal) (said string, err error) {
	t.Helper()
	for wait := 150 * time.Millisecond; ; wait *= 2 {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Dir, cmd.Args[0] = dir, "resource-merge" // by its name TestMain knows that it is to be the program
		if _, err := cmd.StdinPipe(); err != nil {   // it is never written to
			t.Fatal(err)
		}
		if _, err := cmd.StdoutPipe(); err != nil { // it is never read
			t.Fatal(err)
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(wait)
		if err := cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		err := cmd.Wait()
		if ctx.Err() != nil {
			t.Fatal("it did not end")
		}
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || wait > patience/4 {
			return stderr.String(), err
		}
	}
}

// A second interrupt ends the process, even while files are written.
func TestASecondInterruptEnds(t *testing.T) {
	gaveUp := make(chan string)
	ctx, stop := withInterrupts(t.Context(), func(ctx context.Context) { gaveUp <- interruptionOf(ctx).message() })
	defer stop()
	_ = withoutInterrupts(ctx, func() error {
		for range 2 {
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			<-ctx.Done()
		}
		select {
		case said := <-gaveUp:
			if !strings.Contains(said, "resource-merge recover DIR") {
				t.Errorf("it says %q", said)
			}
		case <-time.After(patience):
			t.Error("the process would not have ended")
		}
		return nil
	})
}

// An interrupt does not end the process while files are written, and writing stops between two
// files.
func TestAnInterruptWaitsForFiles(t *testing.T) {
	gaveUp := make(chan struct{})
	ctx, stop := withInterrupts(t.Context(), func(context.Context) { close(gaveUp) })
	defer stop()
	err := withoutInterrupts(ctx, func() error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		<-ctx.Done()
		select {
		case <-gaveUp:
			t.Error("the process would have ended while it wrote files")
		case <-time.After(2 * grace):
		}
		return sink.Dir(filepath.Join(t.TempDir(), "new")).WriteFiles(ctx, nil)
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("writing went on: %v", err)
	}
	select {
	case <-gaveUp:
	case <-time.After(patience):
		t.Error("the process would not have ended after it wrote files")
	}
}
