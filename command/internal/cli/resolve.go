package cli

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/resolve"
)

// resolveCommand is the command resource-merge resolve (rules/resolve: the walk).
func resolveCommand(s streams) *cobra.Command {
	var color colorFlag
	c := &cobra.Command{
		Use:   "resolve [DIR]",
		Short: "Decide conflicts one by one, as git add -p does",
		Example: `  # Decide what the last merge left in shop
  resource-merge resolve shop

  # Take your version of all conflicts that are equal to the first one, and quit
  printf '%s\n' a l q | resource-merge resolve shop`,
		Long: `resolve walks over the conflict markers that merge, update, git merge, git rebase or git
cherry-pick left in the files below DIR, the current directory by default. It shows each
conflict with its resource, its path and its versions, and asks what to do:

  u  take upstream's version            a  take the last decision for all equal ones
  l  take your version                  r  write a rule for next time, and take it
  b  take both, where both can stand    s  skip
  e  edit it in $EDITOR                 -  go back to the one before
  q  quit                               ?  explain the keys

Every decision is written at once. Without a terminal, each line of stdin is an answer,
and its end is q. Exit code 1 says that markers are left.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse("want at most one argument, a directory")
			}
			return color.check()
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if err := cmp.Or(isThere(dir), recoverFirst(dir, s.err)); err != nil {
				return err
			}
			writesParts(c.Context())
			left, err := resolve.Run(c.Context(), resolve.Options{Dir: dir, In: s.in, Out: s.out, Color: color.isOn(s.out)})
			switch {
			case errors.Is(err, resolve.ErrInterrupted):
				return exit(interrupted)
			case err == nil && left > 0:
				return exit(failed)
			}
			return err
		},
	}
	color.add(c, "the versions of a conflict")
	return c
}
