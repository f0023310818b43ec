package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"
)

// command is a call of git.
type command struct {
	dir   string   // the working directory, by default the process's
	env   []string // variables besides the process's
	stdin io.Reader
	args  []string // beginning with git's global options
	// remote is the repository with which git communicates. It may never answer, and its URL may have a password.
	remote string
}

// termination is the time in which git has to end after a signal.
const termination = 3 * time.Second

// errSilent ends a call to a remote that is silent for too long.
var errSilent = errors.New("the remote does not answer")

// run runs git and returns its output, also with a *Failure. The end of the context ends git with its
// children, and its cause is the error.
func (g Git) run(ctx context.Context, c command) ([]byte, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd, err := start(ctx, c.args)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, append(environment(), c.env...), c.stdin
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	asked := term.IsTerminal(int(os.Stdin.Fd()))
	if !asked {
		OwnGroup(cmd)
		defer func() {
			if ctx.Err() != nil {
				KillGroup(cmd)
			}
		}()
	}
	if c.remote != "" && !asked {
		watch := watchSilence(&stderr, cmp.Or(g.Patience, 2*time.Minute), func() { stop(errSilent) })
		defer watch.timer.Stop()
		cmd.Stderr = watch
	}
	if err = cmd.Run(); err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return stdout.Bytes(), &Failure{Message: errorLine(withoutUser(stderr.String(), c.remote)), err: err}
}

// Run runs git without the variables that select a repository, which the arguments do. stdin may be nil.
func (g Git) Run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	return g.run(ctx, command{stdin: stdin, args: args})
}

// Alone runs git in a directory whose repository the program made for itself: without the configuration of the
// user and of the system, and without a transport. So no program that they or the files name is started. Without
// a name in the environment or the arguments, the program is the author. It returns git's output and exit code.
func (g Git) Alone(ctx context.Context, dir string, args ...string) (out []byte, code int, err error) {
	c := command{dir: dir, args: append([]string{"-c", "core.attributesFile=",
		"-c", "user.name=resource-merge", "-c", "user.email=resource-merge@localhost"}, args...)}
	c.env = append(local(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_COUNT=0", "GIT_CONFIG_PARAMETERS=", "GIT_ATTR_NOSYSTEM=1")
	out, err = g.run(ctx, c)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	}
	return out, code, err
}

// Inside runs git in dir, "" for the directory of the process, with all of git's variables for the repository
// and the index. It is for processes that git itself started, such as a merge driver, and for repositories
// that the user chooses by the working directory. stdin may be nil. It returns git's output and exit code; an
// error is a *Failure, or git could not be started.
func Inside(ctx context.Context, dir string, stdin io.Reader, args ...string) (out []byte, code int, err error) {
	if err := checkDiscovery(dir); err != nil {
		return nil, 0, err
	}
	cmd, err := start(ctx, args)
	if err != nil {
		return nil, 0, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(os.Environ(), local()...), stdin
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return stdout.Bytes(), exit.ExitCode(), &Failure{Message: errorLine(stderr.String()), err: err}
	}
	if err != nil {
		err = fmt.Errorf("git is needed: %w", err)
	}
	return stdout.Bytes(), 0, err
}

// start prepares a call of git. The arguments begin with global options and follow the arguments of every
// call. It returns an error if git is missing, or if calls.go does not list the subcommand.
func start(ctx context.Context, args []string) (*exec.Cmd, error) {
	return prepare(ctx, append(hardened(), args...))
}

// IsMissing reports whether an error says that the program git was not found.
func IsMissing(err error) bool { return errors.Is(err, exec.ErrNotFound) }

// prepare is start without the arguments of every call.
func prepare(ctx context.Context, args []string) (*exec.Cmd, error) {
	if err := checkListed(args); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("git is needed and was not found: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, args...) // #nosec G204 -- git, with a subcommand that is listed
	cmd.WaitDelay = termination
	return cmd, nil
}

// Streams are the standard streams of a command that the user typed.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Pass runs a command that the user typed in dir, and returns git's exit code. It is the user's git with all
// that belongs to it: hooks, the editor, the terminal.
func Pass(ctx context.Context, dir string, s Streams, args ...string) (code int, err error) {
	if err := checkDiscovery(dir); err != nil {
		return 0, err
	}
	cmd, err := prepare(ctx, append(onlyRealRepositories(), args...))
	if err != nil {
		return 0, err
	}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, s.In, s.Out, s.Err
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	if err != nil {
		err = fmt.Errorf("git has not ended by itself: %w", err)
	}
	return 0, err
}

// environment returns the variables of the process for git: without the ones that select a repository,
// in English, and without prompts unless the user is at a terminal.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(repositoryVariables(), name)
	})
	env = append(env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		env = append(env, "GIT_TERMINAL_PROMPT=0")
	}
	return env
}

// repositoryVariables returns the variables of `git rev-parse --local-env-vars` except for configuration,
// which belongs to the user.
func repositoryVariables() []string {
	return []string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
		"GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
		"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE",
		"GIT_CONFIG", "GIT_ATTR_SOURCE",
	}
}

// Failure is an error of git.
type Failure struct {
	// Message is git's own message, in one line.
	Message string
	err     error
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return "git: " + f.err.Error()
	}
	return "git: " + f.Message
}

// Unwrap returns the error of the process.
func (f *Failure) Unwrap() error { return f.err }

// errorLine returns the line of git's output with the reason of a failure: the first fatal one, or the line
// of the server or of ssh before it. It has no control characters and no secrets, which a server might write.
func errorLine(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' })
	reason := ""
	if at := strings.Index(stderr, "git config --global --add safe.directory"); at >= 0 {
		remedy, _, _ := strings.Cut(stderr[at:], "\n")
		before, _, _ := strings.Cut(strings.TrimPrefix(stderr, "fatal: "), "\n")
		return Redact(printable(before) + "; if you trust it, run " + printable(remedy))
	}
	for _, line := range lines {
		line = printable(line)
		fatal, found := strings.CutPrefix(line, "fatal: ")
		switch {
		case found && reason != "" && strings.HasPrefix(fatal, "Could not read from remote"):
			return Redact(reason)
		case found:
			return Redact(fatal)
		case line != "" && !strings.HasSuffix(line, "%") && !strings.HasPrefix(line, "hint: "):
			reason = strings.TrimPrefix(strings.TrimPrefix(line, "error: "), "remote: ")
		}
	}
	return Redact(reason)
}

// printable returns a line without invisible characters.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "")))
}

// withoutUser removes the user and the password of a URL from text, where git may repeat them.
func withoutUser(text, repository string) string {
	scheme, rest, found := strings.Cut(repository, "://")
	host, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if !found || at <= 0 || strings.HasSuffix(scheme, "ssh") && !strings.Contains(host[:at], ":") {
		return text
	}
	return strings.ReplaceAll(text, host[:at+1], "")
}

// Redact removes the users and passwords of URLs from text. The user of an ssh URL is no secret.
func Redact(text string) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "://")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		out.WriteString("://")
		end := strings.IndexAny(after, "/?#'\" \t\n")
		if end < 0 {
			end = len(after)
		}
		at := strings.LastIndexByte(after[:end], '@')
		if user, _, _ := strings.Cut(after[:max(at, 0)], ":"); user != "" && strings.HasSuffix(before, "ssh") {
			out.WriteString(user + "@")
		}
		text = after[at+1:]
	}
}

// silence is a writer that detects when nothing was written for some time.
type silence struct {
	to    io.Writer
	limit time.Duration
	timer *time.Timer
}

// watchSilence returns a writer that calls tooLong if nothing was written for the limit.
func watchSilence(to io.Writer, limit time.Duration, tooLong func()) *silence {
	return &silence{to: to, limit: limit, timer: time.AfterFunc(limit, tooLong)}
}

// Write writes and restarts the timer.
func (s *silence) Write(p []byte) (int, error) {
	s.timer.Reset(s.limit)
	return s.to.Write(p)
}
