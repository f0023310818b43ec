package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/internal/parallel"
)

// isCommand reports whether the arguments name a command. Without one the program
// is the KRM function; a file of a command's name is ./merge there.
func isCommand(args []string) bool {
	if len(args) == 0 {
		return false
	}
	names := []string{"help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	for _, c := range commands(streams{}) {
		names = append(names, c.Name())
	}
	return slices.Contains(names, args[0])
}

// commands lists the commands.
func commands(s streams) []*cobra.Command {
	return []*cobra.Command{mergeCommand(s), updateCommand(s), recoverCommand(s), gitCommand(s)}
}

// runCommand runs the command that the arguments name, and returns the exit code.
// An interrupt stops the command as an error does.
func runCommand(args []string, version string, s streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot(version, s)
	root.SetArgs(args)
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	command := root
	err := parallel.Guard(func() (err error) {
		command, err = root.ExecuteContextC(ctx)
		return err
	})
	return ended(command, err, s.err)
}

// newRoot is the command that has the others.
func newRoot(version string, s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "resource-merge",
		Short: "Merge a new version of a Kubernetes package into a customised copy of it",
		Long: `resource-merge merges a new version of a Kubernetes package (upstream) into somebody's
customised copy of it (local), knowing where both started (origin).

Without a command it is a KRM function: it reads a ResourceList on stdin, or from a
file, and writes the merged one to stdout. resource-merge --help describes that.`,
		Version:           version,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetHelpFunc(help)
	root.AddCommand(commands(s)...)
	return root
}

// help writes what a command is for. The examples come first: they are what a reader
// looks for. (A template, cobra's way, would keep every method of every package in
// the binary.)
func help(c *cobra.Command, _ []string) {
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s.\n\n", c.Short)
	if c.Example != "" {
		fmt.Fprintf(out, "Examples:\n%s\n\n", c.Example)
	}
	if c.Long != "" {
		fmt.Fprintf(out, "%s\n\n", strings.TrimSpace(c.Long))
	}
	use := c.UseLine()
	if !c.Runnable() {
		use = c.CommandPath() + " COMMAND"
	}
	fmt.Fprintf(out, "Usage:\n  %s\n", use)
	for i, sub := range c.Commands() {
		if i == 0 {
			fmt.Fprint(out, "\nCommands:\n")
		}
		if sub.IsAvailableCommand() {
			fmt.Fprintf(out, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
		}
	}
	if flags := c.LocalFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(out, "\nFlags:\n%s", flags)
	}
}
