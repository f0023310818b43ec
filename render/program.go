// Package render renders versions of a package with a program that writes resources, such as helm template,
// as rules/update: renders has it.
package render

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// maxOutput is the size of a render in bytes above which it is an error, as of other streams.
	maxOutput = 256 << 20
	// maxStderr is the size of the end of a program's messages that an error shows.
	maxStderr = 4 << 10
)

// Program is a program that writes a stream of resources to stdout.
type Program struct {
	// Dir is the directory in which it runs.
	Dir string
	// Arguments are the program and its arguments. No shell reads them.
	Arguments []string
	// Limit is the time after which it is ended.
	Limit time.Duration
}

// String returns the command as one would type it, without passwords of URLs.
func (p Program) String() string {
	var words []string
	for _, word := range p.Arguments {
		if word = gitrepo.Redact(word); word == "" || strings.ContainsAny(word, " \t\r\n'\"\\$&|;<>()*?[]{}#~`!") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// run runs the program and returns its output. At the time limit, and when ctx ends, its process group
// is killed. It is an error if the program fails, or writes more than a limit.
func (p Program) run(parent context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(parent, p.Limit, errLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.Arguments[0], p.Arguments[1:]...) // #nosec G204 -- the user allowed it by --allow-exec
	cmd.Dir = p.Dir
	out, messages, err := p.output(ctx, cmd)
	cause := context.Cause(ctx)
	switch {
	case parent.Err() != nil:
		return nil, context.Cause(parent)
	case cause == errLimit:
		err = fmt.Errorf("it took longer than %s and was ended; upstream.timeout sets another limit", p.Limit)
	case errors.As(err, new(*exec.ExitError)):
		err = fmt.Errorf("it failed: %w", err)
	case err == nil:
		return out, nil
	}
	return nil, p.fault(err, messages)
}

// errLimit is the cause of the end of a program that reached its time limit.
var errLimit = errors.New("time limit")

// output starts the program and reads its output to the end: a child that holds stdout open counts.
func (p Program) output(ctx context.Context, cmd *exec.Cmd) (out, messages []byte, err error) {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, nil, err
	}
	gitrepo.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	end := func() {
		gitrepo.KillGroup(cmd)
		_, _ = stdout.Close(), stderr.Close() // a process outside of the group may hold the other ends
	}
	defer context.AfterFunc(ctx, end)()
	said := make(chan []byte, 1)
	go func() { said <- lastBytes(stderr, maxStderr) }()
	out, err = io.ReadAll(io.LimitReader(stdout, maxOutput+1))
	if len(out) > maxOutput {
		err = fmt.Errorf("it wrote more than %d MiB", maxOutput>>20)
		end()
	}
	messages = <-said
	if ended := cmd.Wait(); err == nil {
		err = ended
	}
	return out, messages, err
}

// lastBytes reads to the end, and returns the last bytes.
func lastBytes(from io.Reader, most int) (last []byte) {
	buffer := make([]byte, most)
	for {
		n, err := from.Read(buffer)
		last = append(last, buffer[:n]...)
		last = last[max(0, len(last)-most):]
		if err != nil {
			return last
		}
	}
}

// fault returns an error about the program, with its messages.
func (p Program) fault(err error, messages []byte) error {
	if text := strings.TrimSpace(gitrepo.Redact(string(messages))); text != "" {
		return fmt.Errorf("%s: %w: %s", p, err, wording.CutFront(text, maxStderr))
	}
	return fmt.Errorf("%s: %w", p, err)
}
