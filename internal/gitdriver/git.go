package gitdriver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// Git starts the user's git in a directory, "" for that of the process. A merge
// driver runs inside of git: the variables that lead to git's repository stay.
type Git struct{ Dir string }

// run runs git and returns what it wrote to stdout, and its exit code.
func (g Git) run(ctx context.Context, stdin io.Reader, args ...string) (out []byte, code int, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = g.Dir, stdin, &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		word, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return stdout.Bytes(), exit.ExitCode(), fmt.Errorf("git %s: %s", args[0], strings.TrimPrefix(strings.TrimPrefix(word, "fatal: "), "error: "))
	}
	return stdout.Bytes(), 0, err
}

// output is what git writes, if it does not fail.
func (g Git) output(ctx context.Context, args ...string) ([]byte, error) {
	out, _, err := g.run(ctx, nil, args...)
	return out, err
}

// config is a value of git's configuration, "" if it is not set.
func (g Git) config(ctx context.Context, name string) (string, error) {
	out, code, err := g.run(ctx, nil, "config", "--get", name)
	if code == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}
