package gitrepo

import (
	"bytes"
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
	// dir is the working directory, by default the process's.
	dir string
	// env are variables beside those of the process.
	env []string
	// stdin is what git reads.
	stdin io.Reader
	// args begin with git's global options.
	args []string
	// remote is the repository that git talks to, which may keep silent for ever,
	// and whose URL may have a password.
	remote string
}

// termination is how long git may take to end after it was asked to.
const termination = 3 * time.Second

// errSilent ends a call to a remote that said nothing for too long.
var errSilent = errors.New("the remote does not answer")

// run runs git and returns what it wrote, with a *Failure too. The end of the context
// ends git with its children, and is the error then.
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
		ownGroup(cmd)
		defer endGroup(cmd, ctx)
	}
	if c.remote != "" && !asked {
		watch := watchSilence(&stderr, g.patience(), func() { stop(errSilent) })
		defer watch.end()
		cmd.Stderr = watch
	}
	if err = cmd.Run(); err == nil {
		return stdout.Bytes(), nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return stdout.Bytes(), &Failure{Message: lastWord(withoutUser(stderr.String(), c.remote)), err: err}
}

// Inside runs git where git itself has started the process, as a merge driver or a
// mergetool, or where the user names the repository by the working directory: in dir, or
// for "" in the directory of the process, with all of git's variables, which
// say which repository and index are meant. Git reads stdin, if there is one. It returns what git
// wrote to stdout and its exit code; an error is a *Failure, or says that git could not be started.
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
		return stdout.Bytes(), exit.ExitCode(), &Failure{Message: lastWord(stderr.String()), err: err}
	}
	if err != nil {
		err = fmt.Errorf("git is needed: %w", err)
	}
	return stdout.Bytes(), 0, err
}

// start prepares a call of git with arguments that begin with global options, behind the
// settings of every call. An error says that git is missing, or that calls.go does not list
// the subcommand.
func start(ctx context.Context, args []string) (*exec.Cmd, error) {
	if err := checkListed(args); err != nil {
		return nil, err
	}
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, fmt.Errorf("git is needed, and is not there: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, append(hardened(), args...)...) // #nosec G204 -- git, with a subcommand that is listed
	cmd.WaitDelay = termination
	return cmd, nil
}

// environment is the process's without the variables that lead git to a
// repository, in the language that this package reads, and with no question
// where nobody could answer.
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

// repositoryVariables are those of `git rev-parse --local-env-vars`, but for
// configuration, which is the user's.
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
	// Message is git's own word of what went wrong, in one line.
	Message string
	err     error
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return "git: " + f.err.Error()
	}
	return "git: " + f.Message
}

// Unwrap returns how the program ended.
func (f *Failure) Unwrap() error { return f.err }

// lastWord is the line in which git says what went wrong: its first fatal one,
// before which a server or ssh may have said why. What a server says may be
// anything: control characters go, and so do secrets.
func lastWord(stderr string) string {
	lines := strings.FieldsFunc(stderr, func(r rune) bool { return r == '\n' || r == '\r' })
	word := ""
	for _, line := range lines {
		line = printable(line)
		fatal, found := strings.CutPrefix(line, "fatal: ")
		switch {
		case found && word != "" && strings.HasPrefix(fatal, "Could not read from remote"):
			return Redact(word)
		case found:
			return Redact(fatal)
		case line != "" && !strings.HasSuffix(line, "%") && !strings.HasPrefix(line, "hint: "):
			word = strings.TrimPrefix(strings.TrimPrefix(line, "error: "), "remote: ")
		}
	}
	return Redact(word)
}

// printable is a line without what would not be seen in it.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(line, "")))
}

// withoutUser is text without the user and the password of a URL, which git may
// also name elsewhere.
func withoutUser(text, repository string) string {
	scheme, rest, found := strings.Cut(repository, "://")
	host, _, _ := strings.Cut(rest, "/")
	at := strings.LastIndexByte(host, '@')
	if !found || at <= 0 || strings.HasSuffix(scheme, "ssh") && !strings.Contains(host[:at], ":") {
		return text
	}
	return strings.ReplaceAll(text, host[:at+1], "")
}

// Redact is text without the users and passwords of the URLs in it. The user of
// an ssh URL is no secret.
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

// silence is a writer that notices when nothing was written for some time.
type silence struct {
	to    io.Writer
	limit time.Duration
	timer *time.Timer
}

// watchSilence has tooLong called when nothing was written for the limit.
func watchSilence(to io.Writer, limit time.Duration, tooLong func()) *silence {
	return &silence{to: to, limit: limit, timer: time.AfterFunc(limit, tooLong)}
}

// Write writes, and the time begins anew.
func (s *silence) Write(p []byte) (int, error) {
	s.timer.Reset(s.limit)
	return s.to.Write(p)
}

func (s *silence) end() { s.timer.Stop() }
