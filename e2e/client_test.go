package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// outcome is the output of a program, and how it ended.
type outcome struct {
	stdout, stderr string
	err            error
}

// run runs a program in dir, and logs the command and the output that the user saw.
// The programs find each other by name.
func run(t *testing.T, dir, stdin, program string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(find(program), args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, strings.NewReader(stdin), &stdout, &stderr
	cmd.Env = environment(t)
	err := cmd.Run()
	t.Logf("%s %s\n%s", program, strings.Join(args, " "), stderr.String())
	return outcome{stdout: stdout.String(), stderr: stderr.String(), err: err}
}

// find is a built program, or else one that the machine has.
func find(program string) string {
	built := filepath.Join(bin, program)
	if _, err := os.Stat(built); err != nil {
		return program
	}
	return built
}

// environment is the tests' own, with the built programs before all others, and
// without what could lead git or kpt to the repositories and the settings of
// who runs the tests.
func environment(t *testing.T) []string {
	t.Helper()
	inherited := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GIT_") || strings.HasPrefix(variable, "KPT_")
	})
	path := bin + string(os.PathListSeparator) + os.Getenv("PATH")
	return append(inherited, "PATH="+path, "HOME="+t.TempDir(), "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z") // documents show commits
}

// succeed is run for a program that must succeed.
func succeed(t *testing.T, dir, stdin, program string, args ...string) outcome {
	t.Helper()
	out := run(t, dir, stdin, program, args...)
	if out.err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), out.err, out.stderr)
	}
	return out
}

// fail is run for a program that must fail and say why.
func fail(t *testing.T, message, dir, program string, args ...string) {
	t.Helper()
	out := run(t, dir, "", program, args...)
	if out.err == nil {
		t.Errorf("%s %s succeeded, want it to fail with %q", program, strings.Join(args, " "), message)
	}
	out.shows(t, message)
}

// shows checks that the user saw a text.
func (o outcome) shows(t *testing.T, text string) {
	t.Helper()
	if !strings.Contains(o.stderr, text) {
		t.Errorf("the client does not show %q:\n%s", text, o.stderr)
	}
}
