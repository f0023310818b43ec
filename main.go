// Command resource-merge is a KRM function that merges a new version of a
// Kubernetes package into a customised copy of it.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/resource-merge/resource-merge/internal/function"
	"github.com/resource-merge/resource-merge/internal/progress"
)

//go:embed README.md
var readme []byte

//go:embed metadata.yaml
var metadata []byte

const usage = "usage: resource-merge [--help | --doc | --version] [FILE]"

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "resource-merge:", strings.ReplaceAll(err.Error(), "\n", " "))
		os.Exit(1)
	}
}

// run does what the arguments ask for: print about itself, or merge the
// ResourceList in FILE, without one that on stdin. stderr sees how far a long
// run is, if it is a terminal.
func run(args []string, stdin io.Reader, stdout io.Writer, stderr *os.File) error {
	switch {
	case slices.Contains(args, "--help"), slices.Contains(args, "-h"), slices.Contains(args, "--doc"):
		return printDocs(args)
	case slices.Contains(args, "--version"):
		_, err := fmt.Fprintln(stdout, version())
		return err
	case len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-"):
		return fmt.Errorf("unknown arguments %q; %s", args, usage)
	case len(args) == 1:
		file, err := os.Open(args[0])
		if err != nil {
			return write(stdout)(function.Unread(fmt.Errorf("read the list: %w", err)))
		}
		defer file.Close()
		stdin = file
	}
	in, err := readAll(stdin)
	if err != nil { // half a list must not pass for a whole one
		return write(stdout)(function.Unread(fmt.Errorf("read the list: %w", err)))
	}
	return write(stdout)(merge(in, progress.On(stderr)))
}

// readAll reads r to its end, into memory of the right size if r is a file.
func readAll(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if file, ok := r.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// merge merges a list and shows on line how far it is.
func merge(in []byte, line *progress.Line) (out []byte, err error) {
	defer line.Clear()
	return function.RunWithProgress(in, line.Show)
}

// write writes a list to stdout and hands on the error that came with it.
func write(stdout io.Writer) func(out []byte, err error) error {
	return func(out []byte, err error) error {
		if _, writeErr := stdout.Write(out); writeErr != nil {
			return fmt.Errorf("write the merged list: %w", writeErr)
		}
		return err
	}
}

// printDocs has the SDK print the documentation that README.md and
// metadata.yaml hold; it reads the arguments itself.
func printDocs(args []string) error {
	if slices.Contains(args, "-h") {
		os.Args = append(os.Args, "--help")
	}
	nothing := fn.ResourceListProcessorFunc(func(*fn.ResourceList) (bool, error) { return true, nil })
	return fn.AsMain(nothing, fn.WithDocs(readme, metadata))
}

// release is the version that a build without version control gives by
// -ldflags "-X main.release=v1.2.3", as that of the image.
var release string

// version is the release, else the module's version as the Go tool recorded it.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
