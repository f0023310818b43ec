package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/wording"
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
	return []*cobra.Command{mergeCommand(s), updateCommand(s), applyCommand(s), recoverCommand(s), gitCommand(s), overlayCommand(s), fleetCommand(s)}
}

// runCommand runs the command that the arguments name, and returns the exit code.
// An interrupt stops the command as an error does, within a second.
func runCommand(args []string, version string, s streams) int {
	ctx, stop := interruptible(context.Background(), func() {
		wording.Say(s.err, "resource-merge: %v", errInterrupted)
		os.Exit(failed)
	})
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
		Example: `  # Show what a new version of upstream changes in your copy, shop
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
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.SetHelpFunc(help)
	root.SetHelpCommand(helpCommand())
	root.AddCommand(commands(s)...)
	return root
}
