package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// Inside runs git where git itself has started the process, as a merge driver or a
// mergetool: in a directory, "" for that of the process, with all of git's variables, which
// say which repository and index are meant. It returns what git wrote to stdout and its exit code; an
// error is a *Failure, or says that git could not be started.
func Inside(ctx context.Context, dir string, args ...string) (out []byte, code int, err error) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &stdout, &stderr, termination
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return stdout.Bytes(), exit.ExitCode(), &Failure{Message: lastWord(stderr.String()), err: err}
	}
	if err != nil {
		err = fmt.Errorf("git is needed: %w", err)
	}
	return stdout.Bytes(), 0, err
}
