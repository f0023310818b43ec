// Package cli is the command line: it prints documentation, or runs the KRM
// function over stdin or a file (design 1).
package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/internal/krmfunction"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Program is what the build puts into the binary.
type Program struct {
	// Readme and Metadata are the documentation: README.md and metadata.yaml.
	Readme, Metadata []byte
	// Release is the version that a build without version control gives, "" where
	// the module's own version holds.
	Release string
}

// Main runs the program on the process's arguments and streams, and returns the
// exit code. Of the function that is 0, or 1 after one line on stderr; of commands see
// the exit codes.
func (p Program) Main() int {
	if isCommand(os.Args[1:]) {
		return runCommand(os.Args[1:], p.version(), streams{os.Stdin, os.Stdout, os.Stderr})
	}
	if err := p.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		printError(os.Stderr, err)
		return 1
	}
	return 0
}

// printError writes the error of the function, on one line.
func printError(stderr io.Writer, err error) {
	wording.Say(stderr, "resource-merge: %s", strings.ReplaceAll(err.Error(), "\n", " "))
}

// Run does what the arguments ask for: it prints documentation, or merges the
// ResourceList in FILE, without a FILE that on stdin. stderr shows how far a
// long run is, if stderr is a terminal.
func (p Program) Run(args []string, stdin io.Reader, stdout io.Writer, stderr *os.File) error {
	switch {
	case slices.Contains(args, "--help"), slices.Contains(args, "--doc"):
		return printDocs(p.Readme, p.Metadata, args, stdout)
	case slices.Contains(args, "-h"):
		_, err := fmt.Fprintln(stdout, usage+"\n"+lists)
		return err
	case slices.Contains(args, "--version"):
		_, err := fmt.Fprintln(stdout, p.version())
		return err
	case len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-"):
		return fmt.Errorf("unknown arguments %q; %s; %s", args, usage, lists)
	case len(args) == 1:
		file, err := os.Open(args[0])
		if err != nil {
			return mistyped(write(stdout)(krmfunction.Unread(fmt.Errorf("read the list: %w", err))))
		}
		defer file.Close()
		stdin = file
	}
	greet(stdin, stderr)
	in, err := readAll(stdin)
	if err != nil { // half a list must not pass for a whole one
		return write(stdout)(krmfunction.Unread(fmt.Errorf("read the list: %w", err)))
	}
	collectOften(len(in))
	return write(stdout)(mergeList(in, progress.On(stderr)))
}

// mistyped adds to the error of a file that is not there that it may have been meant
// for a command.
func mistyped(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; %s", err, lists)
	}
	return err
}

// greet tells somebody who started the program without arguments what it waits for.
func greet(stdin io.Reader, stderr io.Writer) {
	if file, ok := stdin.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		fmt.Fprintln(stderr, "resource-merge: waiting for a ResourceList on stdin;", lists)
	}
}

// collectOften halves by how much the heap grows before garbage is collected, if the
// environment does not say and there is much input: most of the heap is that then, and
// has no pointers. A merge takes no longer so, and a fifth less memory.
func collectOften(input int) {
	if os.Getenv("GOGC") == "" && input > 1<<22 {
		debug.SetGCPercent(50)
	}
}

// mergeList merges a list and shows on line how far the merge is.
func mergeList(in []byte, line *progress.Line) (out [][]byte, err error) {
	defer line.Clear()
	return krmfunction.Texts(in, line.Show)
}

// write writes a list to stdout and hands on the error that came with the list.
func write(stdout io.Writer) func(out [][]byte, err error) error {
	return func(out [][]byte, err error) error {
		b := bufio.NewWriterSize(stdout, 1<<16)
		for _, text := range out {
			_, _ = b.Write(text) // Flush says whether it failed
		}
		if writeErr := b.Flush(); writeErr != nil {
			return fmt.Errorf("write the merged list: %w", writeErr)
		}
		return err
	}
}

// version is the release, else the module's version as the Go tool recorded it.
func (p Program) version() string {
	if p.Release != "" {
		return p.Release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
