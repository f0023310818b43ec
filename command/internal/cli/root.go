// Package cli is the command line: it prints documentation, or runs the KRM function
// over stdin or a file (rules/function: the function).
package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-merge/resource-merge/command/internal/krmfunction"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// Program has the files that the build embeds, and the release.
type Program struct {
	// Readme and Metadata are the documentation: README.md and metadata.yaml.
	Readme, Metadata []byte
	// Release is the version of a build without version control; "" means the module's version.
	Release string
}

// Main runs the program with the process's arguments and streams, and returns the exit code. For
// the function it is 0, or after one line on stderr 1 or 2; for commands see the exit codes.
func (p Program) Main() int {
	if isCommand(os.Args[1:]) {
		return runCommand(os.Args[1:], p.version(), streams{os.Stdin, os.Stdout, os.Stderr})
	}
	if err := checkCommand(os.Args[1:]); err != nil {
		printError(os.Stderr, err)
		return misused
	}
	if err := p.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil {
		printError(os.Stderr, err)
		if errors.As(err, new(usageError)) {
			return misused
		}
		return failed
	}
	return ok
}

// printError writes the error of the function on one line.
func printError(stderr io.Writer, err error) {
	wording.Say(stderr, "resource-merge: %s", shownError(err))
}

// shownError returns an error on one line, without the users and passwords of URLs.
func shownError(err error) string {
	return gitrepo.Redact(strings.ReplaceAll(err.Error(), "\n", " "))
}

// Run prints documentation, or merges the ResourceList in a file or on stdin. It shows the progress
// of a long run on stderr if that is a terminal.
func (p Program) Run(args []string, stdin io.Reader, stdout io.Writer, stderr *os.File) error {
	switch {
	case slices.Contains(args, "--help"), slices.Contains(args, "-h"), slices.Contains(args, "--doc"):
		return printDocs(p, args, stdout)
	case slices.Contains(args, "--version"), slices.Contains(args, "-v"):
		_, err := fmt.Fprintln(stdout, p.version())
		return err
	case len(args) > 1 || len(args) == 1 && strings.HasPrefix(args[0], "-"):
		return misuse("unknown arguments %q%s; %s; %s", args, forgotten(args), usage, lists)
	case len(args) == 1:
		file, err := os.Open(args[0])
		if err != nil {
			return explainFile(writeUnread(stdout, err))
		}
		defer file.Close()
		stdin = file
	}
	announce(stdin, stderr)
	in, err := readAll(stdin)
	if err != nil { // half a list must not pass for a whole one
		return explainFile(writeUnread(stdout, err))
	}
	limitGarbage(len(in))
	line := progress.New(stderr)
	out, err := krmfunction.Texts(in, line.Show)
	line.Clear()
	if err = write(stdout, out, err); len(args) == 1 {
		err = explainFile(err)
	}
	return err
}

// explainFile adds a hint to the error for a missing file, whose name may be a mistyped command, for a directory, and for a
// manifest.
func explainFile(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%w; %s", err, lists)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%w; resource-merge merge merges directories", err)
	case errors.Is(err, resourcelist.ErrOtherKind):
		return fmt.Errorf("%w; resource-merge merge merges three versions of a file: merge --origin FILE --upstream FILE --local FILE", err)
	}
	return err
}

// announce tells a user on a terminal that the program waits for stdin.
func announce(stdin io.Reader, stderr io.Writer) {
	if isTerminal(stdin) {
		fmt.Fprintln(stderr, "resource-merge: waiting for a ResourceList on stdin;", lists)
	}
}

// readAll reads r to its end, in parts that are joined; a file has one part. A part is fresh
// memory, which need not be cleared first, unlike a buffer that grows.
func readAll(r io.Reader) ([]byte, error) {
	var parts [][]byte
	for size := firstPart(r); ; size = min(2*size, 1<<23) {
		part := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		n, err := part.ReadFrom(io.LimitReader(r, size))
		parts = append(parts, part.Bytes())
		switch {
		case err != nil:
			return nil, err
		case n < size && len(parts) == 1:
			return parts[0], nil
		case n < size:
			return bytes.Join(parts, nil), nil
		}
	}
}

// firstPart returns the number of bytes to read first: more than r has, if r is a file.
func firstPart(r io.Reader) int64 {
	if file, is := r.(*os.File); is {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			return info.Size() + 1
		}
	}
	return 1 << 16
}

// write writes a list to stdout and returns the error that came with the list.
func write(stdout io.Writer, out [][]byte, err error) error {
	b := bufio.NewWriterSize(dataOn(stdout), 1<<16)
	for _, text := range out {
		_, _ = b.Write(text) // Flush says whether it failed
	}
	if writeErr := b.Flush(); writeErr != nil {
		return fmt.Errorf("write the merged list: %w", writeErr)
	}
	return err
}

// writeUnread writes the list for an input that cannot be read, and returns the error.
func writeUnread(stdout io.Writer, err error) error {
	out, err := krmfunction.Unread(fmt.Errorf("read the list: %w", err))
	return write(stdout, out, err)
}

// version returns the release, else the module's version as the Go tool recorded it.
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

// isCommand reports whether the arguments start with a command. Otherwise the program is the KRM
// function; for it, a file with the name of a command is written as ./merge.
func isCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return slices.Contains(append(commandNames(), planAlias, cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd), args[0])
}

// checkCommand returns an error if the first argument is a mistyped command: it is neither a flag nor
// the function's file, which exists or has the form of a path.
func checkCommand(args []string) error {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil || strings.ContainsAny(args[0], "./\\") {
		return nil
	}
	return unknownCommand(args[0])
}

func unknownCommand(name string) error {
	meant := wording.DidYouMean(name, commandNames())
	if place := commandWith(name); place != "" {
		meant = "; did you mean " + place + "?"
	}
	if meant != "" {
		return fmt.Errorf("unknown command %q%s %s", name, meant, lists)
	}
	return fmt.Errorf("unknown command %q; %s", name, lists)
}

// commandWith returns the command, with a flag or a command below it, for a word that is no command itself; "" for another word.
func commandWith(word string) string {
	switch word {
	case "patch", "patches":
		return "merge --patches"
	case "diff":
		return "merge --diff"
	case "upgrade", "pkg":
		return "update"
	case "install", "uninstall", "solve", "driver", "rebase", "cherry-pick":
		return "git " + word
	}
	return ""
}

func commandNames() []string {
	names := []string{"help", "completion"}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// command is a command that is made if it runs: to make all takes as long as to merge a small file.
type command struct {
	name string
	make func(streams) *cobra.Command
	// group is what users do with the command, in the help; "" hides it there, as scripts call it.
	group string
	// rest is the growth of the heap, in bytes, between two collections, for a command of which most of the heap is garbage
	// soon; 0 is the usual growth.
	rest uint64
}

// commands returns the commands in the order of the help.
func commands() []command {
	const upgrade, conflicts, understand, share = "Upgrade", "Conflicts", "Understand", "Share"
	return []command{
		{"update", updateCommand, upgrade, littleRest},
		{"merge", mergeCommand, upgrade, littleRest},
		{"track", trackCommand, upgrade, 0},
		{"values", valuesCommand, upgrade, 0},
		{"git", gitCommand, conflicts, muchRest},
		{"resolve", resolveCommand, conflicts, 0},
		{"learn", learnCommand, conflicts, 0},
		{"blame", blameCommand, understand, muchRest},
		{"review", reviewCommand, understand, 0},
		{"plan", planCommand, understand, 0},
		{"capture", captureCommand, understand, 0},
		{"overlay", overlayCommand, share, 0},
		{"recover", recoverCommand, "", 0},
		{"fleet", fleetCommand, "", 0},
		{"pr", prCommand, "", 0},
	}
}

// runCommand runs the command in the arguments and returns the exit code. An interrupt ends the
// command within a second, like an error.
func runCommand(args []string, version string, s streams) int {
	ctx, stop := withInterrupts(context.Background(), func(ctx context.Context) {
		wording.Say(s.err, "resource-merge: %s", interruptionOf(ctx).message())
		os.Exit(interrupted)
	})
	defer stop()
	ctx, end := gitrepo.Session(ctx)
	defer end()
	root := newRoot(version, args[0], s)
	if strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		dropBackquotes(root)
	}
	root.SetArgs(args)
	root.SetIn(s.in)
	out := &checkedWriter{to: s.out}
	root.SetOut(out)
	root.SetErr(s.err)
	command := root
	err := parallel.Guard(func() (err error) {
		command, err = root.ExecuteContextC(ctx)
		return cmp.Or(explainDash(command, args, err), out.err)
	})
	if err != nil && ctx.Err() != nil && !errors.As(err, new(exit)) {
		wording.Say(s.err, "%s: %s", command.CommandPath(), interruptionOf(ctx).message())
		return interrupted
	}
	return exitCode(command, err, s.err)
}

// newRoot returns the root command with the command called name below it, or with all of them if none is called so, as
// for help and completion.
func newRoot(version, name string, s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "resource-merge",
		Short: "Merge a new version of a Kubernetes package into a customised copy of it",
		Example: `  # Show the changes that a new version of upstream makes in your copy, shop
  resource-merge merge --origin up/v1 --upstream up/v2 --local shop --diff

  # Update the package shop, which kpt pkg get fetched
  resource-merge update shop@v1.2`,
		Long: `resource-merge merges a new version of a Kubernetes package (upstream) into somebody's
customised copy of it (local), knowing where both started (origin).

Without a command it is a KRM function: it reads a ResourceList on stdin, or from a
file, and writes the merged one to stdout. resource-merge --help describes that.`,
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpFunc(help)
	root.SetHelpCommand(helpCommand())
	all := commands()
	if name == planAlias {
		name = "plan"
	}
	if called := slices.IndexFunc(all, func(c command) bool { return c.name == name }); called >= 0 {
		all = all[called : called+1]
		if all[0].rest > 0 {
			collectLess(all[0].rest)
		}
	}
	for _, c := range all {
		sub := c.make(s)
		if sub.Hidden = c.group == ""; !sub.Hidden {
			sub.GroupID = c.group
			if !root.ContainsGroup(c.group) {
				root.AddGroup(&cobra.Group{ID: c.group, Title: c.group})
			}
		}
		root.AddCommand(sub)
	}
	if name == "completion" {
		root.InitDefaultCompletionCmd()
		explainShells(root)
	}
	setVersion(root, version)
	return root
}

// dropBackquotes removes the marks around metavariables, which help needs, from the usage of all flags:
// completion would show them.
func dropBackquotes(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, sub := range c.Commands() {
		dropBackquotes(sub)
	}
}

// setVersion gives a command and those below it the flags -v and --version.
func setVersion(c *cobra.Command, version string) {
	if c.Flags().Lookup("version") == nil {
		c.Version = version
	}
	for _, sub := range c.Commands() {
		setVersion(sub, version)
	}
}

// streams are the standard streams of a command.
type streams struct {
	in       io.Reader
	out, err *os.File
}

// exit is the exit code of a command that has already reported its failure.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is an error in a flag or argument.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// misuse returns a usageError.
func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitCode reports a command's error on stderr, and returns the exit code.
func exitCode(command *cobra.Command, err error, stderr io.Writer) int {
	var code exit
	switch {
	case err == nil:
		return ok
	case errors.As(err, &code):
		return int(code)
	}
	name := command.CommandPath()
	wording.Say(stderr, "%s: %s", name, shownError(err))
	if errors.As(err, new(usageError)) {
		wording.Say(stderr, "%s --help lists the arguments and flags.", name)
		return misused
	}
	return failed
}
