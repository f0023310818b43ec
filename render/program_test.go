//go:build unix

package render

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is the time that a test waits for something that takes no time on an idle machine.
const patience = 30 * time.Second

// TestProgramIsEnded: at the time limit and at the end of the context the program is killed with its children, also if it
// ended before them, and if one that left the group holds its output.
func TestProgramIsEnded(t *testing.T) {
	for name, script := range map[string]string{
		"program":              `echo $$ >pid; exec sleep 60`,
		"deaf program":         `trap "" TERM INT HUP; echo $$ >pid; while :; do sleep 60; done`,
		"child":                `sleep 60 & echo $! >pid; wait`,
		"child that outlives":  `sleep 60 & echo $! >pid`,
		"writer without end":   `echo $$ >pid; while :; do echo "# x"; done`,
		"messages without end": `echo $$ >pid; while :; do echo "# x" >&2; done`,
	} {
		for _, limit := range []time.Duration{300 * time.Millisecond, time.Hour} {
			t.Run(name+" "+limit.String(), func(t *testing.T) {
				dir := t.TempDir()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if limit > time.Minute {
					go func() { defer cancel(); waitFor(func() bool { return pidIn(dir) > 0 }) }()
				}
				start := time.Now()
				_, err := Program{dir, []string{"sh", "-c", script}, limit}.run(ctx)
				if err == nil || strings.Contains(err.Error(), "longer than 300ms") != (limit < time.Minute) {
					t.Errorf("it ended with %v", err)
				}
				if took := time.Since(start); took > patience {
					t.Errorf("it took %s", took)
				}
				if pid := pidIn(dir); !waitFor(func() bool { return isGone(pid) }) {
					t.Errorf("process %d goes on", pid)
				}
			})
		}
	}
}

// waitFor waits until something holds, and reports whether it did in time.
func waitFor(holds func() bool) bool {
	for start := time.Now(); time.Since(start) < patience; time.Sleep(10 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

func pidIn(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "pid"))
	pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return pid
}

// isGone reports whether a process ended, or never began. One that nobody waited for counts.
func isGone(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return pid == 0 || syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(text), ") Z ")
}

// TestProgramRuns: in its directory, with its arguments as they are, and no stdin.
func TestProgramRuns(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "render"), []byte("#!/bin/sh\ncat; pwd; printf '%s|' \"$@\"\necho note >&2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Program{dir, []string{"./render", "a b", "$HOME;*", ""}, time.Minute}.run(t.Context())
	if want := real + "\na b|$HOME;*||"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
	p := Program{Arguments: []string{"sh", "-c", "it's $1", "", "https://ann:secret@example.com/x"}}
	if want := `sh -c 'it'\''s $1' '' https://example.com/x`; p.String() != want {
		t.Errorf("%s, want %s", p, want)
	}
}

// TestProgramFails: the error has the end of the messages.
func TestProgramFails(t *testing.T) {
	for script, want := range map[string]string{
		"echo oh >&2; exit 3":              "it failed: exit status 3: oh",
		"kill -9 $$":                       "it failed: signal: killed",
		"seq 100000 >&2; exit 1":           "99999\n100000",
		"head -c 300000000 /dev/zero":      "it wrote more than 256 MiB",
		"printf '%s' secret; exit 1":       "it failed: exit status 1",
		"exec no-such-program-anywhere":    "it failed: exit status 127: ",
		"echo out; echo err >&2; sleep 60": "it took longer than 300ms and was ended; upstream.timeout sets another limit",
	} {
		limit := 10 * patience
		if strings.Contains(want, "300ms") {
			limit = 300 * time.Millisecond
		}
		out, err := Program{t.TempDir(), []string{"sh", "-c", script}, limit}.run(t.Context())
		if out != nil || err == nil || !strings.Contains(err.Error(), want) || len(err.Error()) > maxStderr+500 || strings.Contains(err.Error(), ": secret") {
			t.Errorf("%s: %.200v; want %s", script, err, want)
		}
	}
}
