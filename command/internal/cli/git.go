package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/command/internal/resolve"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// gitCommand is the command resource-merge git (rules/git: the commands).
func gitCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "git",
		Short: "Merge YAML files in git field by field",
		Example: `  # Try the merge driver for one merge, without installing it
  resource-merge git merge topic

  # Install the merge driver once, then add "*.yaml merge=resource-merge" to .gitattributes
  resource-merge git install --global

  # Merge the files that git merge or git rebase left in conflict
  resource-merge git solve`,
		Long: `git install makes git call resource-merge as its merge driver: git merge, rebase and
cherry-pick then merge YAML files field by field. git solve does the same for files that git
left in conflict, without the driver.`,
		Args: gitsOwn,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.SetFlagErrorFunc(func(called *cobra.Command, err error) error {
		if called == c && len(c.Flags().Args()) > 0 { // as in resource-merge git pull --rebase
			err = cmp.Or(gitsOwn(c, c.Flags().Args()), err)
		}
		return explainFlag(called, err)
	})
	c.AddCommand(gitDriverCommand(s), gitInstallCommand(s), gitUninstallCommand(s), gitSolveCommand(s),
		gitOnceCommand(s, "merge", "REF", "Merge a branch as git merge does, with the merge driver for this one run"),
		gitOnceCommand(s, "rebase", "REF", "Rebase as git rebase does, with the merge driver for this one run"),
		gitOnceCommand(s, "cherry-pick", "COMMIT...", "Pick commits as git cherry-pick does, with the merge driver for this one run"))
	return c
}

// gitsOwn returns the error for a command of git that is none of resource-merge git.
func gitsOwn(c *cobra.Command, args []string) error {
	merging := []string{"pull", "revert", "stash", "am", "switch", "checkout"}
	others := []string{"add", "rm", "status", "diff", "log", "commit", "mergetool", "reset", "restore", "push", "fetch"}
	if len(args) == 0 || !slices.Contains(merging, args[0]) && !slices.Contains(others, args[0]) {
		return noArguments(c, args)
	}
	meant := "; it is git's own: git " + strings.Join(args, " ")
	if slices.Contains(merging, args[0]) {
		meant += ", which merges by fields after resource-merge git install"
	}
	return misuse("unknown argument %q%s", args[0], meant)
}

// gitOnceCommand is a command of git with the merge driver for one run (rules/git: one run).
func gitOnceCommand(s streams, name, args, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name + " [OPTION]... " + args,
		Short: short,
		Example: fmt.Sprintf(`  # With any option of git %[1]s
  resource-merge git %[1]s topic

  # After conflicts: decide them, and go on
  resource-merge resolve && git add --all && resource-merge git %[1]s --continue`, name),
		Long: fmt.Sprintf(`git %[1]s runs with the merge driver for YAML files. It needs neither an installation
nor .gitattributes; a merge attribute of the repository or of the user wins.
All arguments are git's. If conflicts stay, a list names them by resource and field.

The exit code is git's: 1 if conflicts stay.`, name),
		DisableFlagParsing: true,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && (args[0] == "--help" || args[0] == "-h") {
				return c.Help()
			}
			if len(args) > 0 && args[0] == "--" {
				args = args[1:]
			}
			return gitOnce(c.Context(), append([]string{name}, args...), s)
		},
	}
}

// gitOnce runs git with the driver, and lists the conflicts that stay. An interrupt is left to git, which
// may be in the user's editor.
func gitOnce(ctx context.Context, args []string, s streams) error {
	program, err := gitrepo.ThisProgram()
	if err != nil {
		return err
	}
	code := ok
	err = withoutInterrupts(ctx, func() (err error) {
		code, err = gitdriver.Git{}.Once(context.WithoutCancel(ctx), program, args, gitrepo.Streams{In: s.in, Out: s.out, Err: s.err})
		return err
	})
	writesParts(ctx)
	if err == nil && code == failed {
		err = resolve.List(ctx, s.out, args[0])
	}
	if err != nil {
		return err
	}
	return exitWith(code)
}

// driverFailed is the exit code of a driver with wrong arguments. A lower code would tell git that there is a result.
const driverFailed = exit(129)

// byHand is the call of the driver without git.
const byHand = "by hand it is resource-merge git driver BASE OURS THEIRS -L 7 -p PATH, and OURS gets the result"

// gitDriverCommand is the merge driver.
func gitDriverCommand(s streams) *cobra.Command {
	var call gitdriver.Call
	refuse := func(err error) error {
		wording.Say(s.err, "resource-merge git driver: %v", err)
		return driverFailed
	}
	c := &cobra.Command{
		Use:   "driver %O %A %B -L %L -p %P -s %S -x %X -y %Y",
		Short: "Merge one file, as git's merge driver",
		Long: `git calls this command as resource-merge git install configured it: with files that hold
the base (%O), ours (%A) and theirs (%B), the length of conflict markers (%L), the path of
the file (%P), and labels for the base, ours and theirs (%S, %X, %Y). The result replaces
ours, or the file of -o. The exit code is 0, 1 if the result has conflict markers, or above 128 if nothing was
merged.`,
		Example: `  # Try the driver without git
  resource-merge git driver base.yaml ours.yaml theirs.yaml -L 7 -p ours.yaml

  # Write the result elsewhere, as jj's merge tools do
  resource-merge git driver base.yaml ours.yaml theirs.yaml -o merged.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return refuse(fmt.Errorf("%s, want three: the base, ours and theirs; %s", wording.Plural(len(args), "file"), byHand))
			}
			if call.Size < 1 {
				return refuse(fmt.Errorf("-L: %d is not allowed, allowed is the length of a conflict marker, such as 7", call.Size))
			}
			if call.Favor != "" && call.Favor != "ours" && call.Favor != "theirs" {
				return refuse(fmt.Errorf("--favor: %q is not allowed, allowed are ours, theirs", call.Favor))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			call.Base, call.Ours, call.Theirs = args[0], args[1], args[2]
			if code := (gitdriver.Git{}).Drive(c.Context(), call, s.err); code != ok {
				return exit(code)
			}
			return nil
		},
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		if wrong := (*pflag.InvalidValueError)(nil); errors.As(err, &wrong) {
			err = fmt.Errorf("-%s: %q is no number; %s", wrong.GetFlag().Shorthand, wrong.GetValue(), byHand)
		}
		return refuse(err)
	})
	flags := c.Flags()
	flags.IntVarP(&call.Size, "marker-size", "L", 7, "make conflict markers `N` characters long")
	flags.StringVarP(&call.Path, "path", "p", "", "`PATH` of the file in the repository")
	flags.StringVarP(&call.Labels[marker.Base], "base", "s", "", "label of the base in markers")
	flags.StringVarP(&call.Labels[marker.Ours], "ours", "x", "", "label of ours in markers")
	flags.StringVarP(&call.Labels[marker.Theirs], "theirs", "y", "", "label of theirs in markers")
	flags.StringVarP(&call.Output, "output", "o", "", "write the result to `FILE`, and leave ours")
	flags.StringVar(&call.Favor, "favor", "", "take `SIDE`, ours or theirs, in conflicts (default: mark them)")
	return c
}

// gitInstallCommand installs the driver.
func gitInstallCommand(s streams) *cobra.Command {
	global, quiet := false, false
	c := &cobra.Command{
		Use:   "install [--global]",
		Short: "Configure git to use the merge driver and the mergetool",
		Example: `  # For all your repositories
  resource-merge git install --global`,
		Long: `install adds the merge driver and the mergetool to git's configuration of this repository,
or of the user with --global. It prints the lines for .gitattributes, which select the
files for the driver.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			program, err := gitrepo.ThisProgram()
			if err != nil {
				return err
			}
			return gitdriver.Git{}.Install(c.Context(), program, global, unless(quiet, c.OutOrStdout()))
		},
	}
	c.Flags().BoolVar(&global, "global", false, "configure all repositories of the user")
	addQuiet(c, &quiet)
	return c
}

// gitUninstallCommand removes the driver.
func gitUninstallCommand(s streams) *cobra.Command {
	global, quiet := false, false
	c := &cobra.Command{
		Use:     "uninstall [--global]",
		Short:   "Remove the merge driver and the mergetool from git's configuration",
		Example: `  resource-merge git uninstall --global`,
		Long: `uninstall removes the settings that resource-merge git install wrote. Lines in
.gitattributes stay; git then merges these files line by line.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return gitdriver.Git{}.Uninstall(c.Context(), global, unless(quiet, c.OutOrStdout()))
		},
	}
	c.Flags().BoolVar(&global, "global", false, "configure all repositories of the user")
	addQuiet(c, &quiet)
	return c
}

// gitSolveCommand merges the files that git left unmerged.
func gitSolveCommand(s streams) *cobra.Command {
	quiet := false
	c := &cobra.Command{
		Use:   "solve [PATH...]",
		Short: "Merge field by field the files that git left in conflict",
		Example: `  # After a git merge with conflicts
  resource-merge git solve

  # Only the files of a directory
  resource-merge git solve deploy`,
		Long: `solve merges the unmerged files of the index: those below the paths, or all YAML files. A
file that merges is added to the index. Otherwise conflict markers around the fields that
collide replace those around lines.

In a file that you edited since the merge stopped, solve changes only markers that are
still git's, and does not add the file. It asks whether a marker that you settled is the
answer to equal ones in all files; without a terminal, y or n is a line of stdin.

The exit code is 1 if conflicts or edited files are left.`,
		RunE: func(c *cobra.Command, args []string) error {
			writesParts(c.Context())
			unsolved, err := gitdriver.Git{}.Solve(c.Context(), args, unless(quiet, c.OutOrStdout()))
			if err != nil || unsolved == 0 {
				return err
			}
			if quiet {
				return exit(failed)
			}
			o := resolve.Options{Dir: ".", In: s.in, Out: s.out, Color: colorFlag("auto").isOn(s.out)}
			if err := resolve.Repeat(c.Context(), o, args); err != nil {
				return err
			}
			return exit(failed)
		},
	}
	addQuiet(c, &quiet)
	return c
}

// exitWith returns the error with an exit code, nil for ok.
func exitWith(code int) error {
	if code == ok {
		return nil
	}
	return exit(code)
}

// unless returns the stream of messages, one that drops them if quiet.
func unless(quiet bool, messages io.Writer) io.Writer {
	if quiet {
		return io.Discard
	}
	return messages
}

// noArguments returns an error if there are arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, sub := range c.Commands() {
			names = append(names, sub.Name())
		}
		return misuse("unknown argument %q%s", args[0], wording.DidYouMean(args[0], names))
	}
	return nil
}
