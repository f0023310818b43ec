package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestResolveOnATerminal presses keys in a real terminal: one key settles 70 equal conflicts, keys need
// no Enter, colours tell the sides apart, an editor gets the terminal, and Ctrl-C and q leave the terminal
// as it was.
func TestResolveOnATerminal(t *testing.T) {
	dir := t.TempDir()
	for i := range 71 {
		writeMarked(t, dir, fmt.Sprintf("app-%02d.yaml", i), "replicas: 2", "replicas: 3")
	}
	writeMarked(t, dir, "b.yaml", "paused: true", "paused: false")
	writeMarked(t, dir, "c.yaml", "minReadySeconds: 1", "minReadySeconds: 2")
	s := newTerminal(t, dir)
	s.typed("resource-merge resolve", "Enter")
	s.wait("conflict 1 of 73, and 70 more like it")
	coloured := regexp.MustCompile(`(?s)\x1b\[36m(\x1b\[[0-9;]*m)*--- local \(yours\): HEAD.*\x1b\[32m(\x1b\[[0-9;]*m)*--- upstream: theirs`)
	if screen := s.screen("-e"); !coloured.MatchString(screen) {
		t.Errorf("the sides have no colours:\n%q", screen)
	}
	s.typed("u")
	s.wait("conflict 2 of 73, and 69 more like it")
	s.typed("Up") // a key without an answer
	s.typed("a")
	s.wait("70 conflicts like it settled in 70 files", "conflict 72 of 73")
	if text, err := os.ReadFile(filepath.Join(dir, "app-70.yaml")); err != nil || strings.Contains(string(text), "<<<") || !strings.Contains(string(text), "replicas: 3") {
		t.Errorf("%v, app-70.yaml:\n%s", err, text)
	}
	s.typed("-")
	s.wait("decided: u")
	s.typed("s")
	s.wait("b.yaml:7")
	s.typed("e")
	s.wait("the editor asks:")
	s.typed("paused: null", "Enter")
	s.wait("conflict 73 of 73")
	s.typed("C-c")
	s.wait("exit code 130")
	s.typed("clear", "Enter")
	s.typed("resource-merge resolve", "Enter")
	s.wait("conflict 1 of 1")
	s.typed("q")
	s.wait("1 conflict left in 1 file.", "exit code 1")
	s.typed("stty -a | grep -ow -e '-*icanon' -e '-*echo'", "Enter")
	s.wait("\nicanon", "\necho\n")
	text, err := os.ReadFile(filepath.Join(dir, "b.yaml"))
	if err != nil || !strings.Contains(string(text), "  paused: null\n") || strings.Contains(string(text), "<<<") {
		t.Errorf("%v, b.yaml:\n%s", err, text)
	}
}

// writeMarked writes a Deployment with a conflict between two lines of its spec.
func writeMarked(t *testing.T, dir, name, local, upstream string) {
	t.Helper()
	text := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %s\nspec:\n  revisionHistoryLimit: 1\n<<<<<<< HEAD\n  %s\n=======\n  %s\n>>>>>>> theirs\n",
		strings.TrimSuffix(name, ".yaml"), local, upstream)
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// terminal is a shell in a window of tmux.
type terminal struct {
	*testing.T
	socket string
}

func newTerminal(t *testing.T, dir string) terminal {
	t.Helper()
	s := terminal{t, filepath.Join(t.TempDir(), "tmux")}
	editor := filepath.Join(t.TempDir(), "editor")
	script := "#!/bin/sh\nprintf 'the editor asks: '\nread -r line\nprintf '  %s\\n' \"$line\" > \"$1\"\n"
	if err := os.WriteFile(editor, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	s.tmux("-f", os.DevNull, "new-session", "-d", "-x", "120", "-y", "50", "-c", dir,
		"env", "PS1=exit code $? $ ", "PATH="+bin+":"+os.Getenv("PATH"), "EDITOR="+editor, "NO_COLOR=", "sh", "-i")
	t.Cleanup(func() { s.tmux("kill-server") })
	s.wait("exit code 0 $")
	return s
}

func (s terminal) tmux(args ...string) string {
	s.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", s.socket}, args...)...).CombinedOutput()
	if err != nil {
		s.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// typed presses keys.
func (s terminal) typed(keys ...string) {
	s.Helper()
	s.tmux(append([]string{"send-keys"}, keys...)...)
}

// screen returns the text on the screen.
func (s terminal) screen(args ...string) string {
	s.Helper()
	return s.tmux(append([]string{"capture-pane", "-p"}, args...)...)
}

// wait waits until some texts are on the screen.
func (s terminal) wait(texts ...string) {
	s.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		screen, missing := s.screen(), ""
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				missing = text
			}
		}
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			s.Fatalf("%q is not on the screen:\n%s", missing, screen)
		}
	}
}
