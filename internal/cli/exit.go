package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Exit codes of the commands (design 17).
const (
	// ok: merged.
	ok = 0
	// failed: an error, or conflicts are left; with --exit-code also that something
	// would change.
	failed = 1
	// misused: a flag, an argument or a value of one that is not allowed.
	misused = 2
)

// streams are what a command reads and writes beside files.
type streams struct {
	in       io.Reader
	out, err *os.File
}

// exit is how a command ends that did what it could: with a code and nothing more
// to say.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is the error of a flag or argument that is not allowed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misuse is an error of usage.
func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// ended says on stderr how a command went wrong, and returns its exit code.
func ended(command *cobra.Command, err error, stderr io.Writer) int {
	var code exit
	switch {
	case err == nil:
		return ok
	case errors.As(err, &code):
		return int(code)
	}
	name := command.CommandPath()
	wording.Say(stderr, "%s: %s", name, strings.ReplaceAll(err.Error(), "\n", " "))
	if errors.As(err, new(usageError)) {
		wording.Say(stderr, "%s --help shows what is allowed.", name)
		return misused
	}
	return failed
}
