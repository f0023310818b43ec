package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// gitCommand is the command resource-merge git (rules/git: the commands).
func gitCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "git",
		Short: "Merge in git field by field: as its merge driver, or after the fact",
		Example: `  resource-merge git install --global      # once; then write *.yaml merge=resource-merge into .gitattributes
  resource-merge git solve                 # merge what git left in conflict`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(gitDriverCommand(s), gitInstallCommand(s), gitUninstallCommand(s), gitSolveCommand(s))
	return c
}

// driverFailed is the exit code of a driver with wrong arguments. A lower code would tell git that
// there is a result.
const driverFailed = exit(129)

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
		Long: `Git calls this command, with the line that resource-merge git install writes into git's
configuration: with files that have the base (%O), ours (%A) and theirs (%B), the length of
markers (%L), the file's path (%P), and the names of the base, ours and theirs (%S, %X, %Y).
The result replaces ours. Exit code 1 says that it has conflict markers, a code above 128
that nothing was merged.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 3 {
				return refuse(fmt.Errorf("%d files, want the base, ours and theirs", len(args)))
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
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return refuse(err) })
	flags := c.Flags()
	flags.IntVarP(&call.Size, "marker-size", "L", 7, "length of a conflict marker")
	flags.StringVarP(&call.Path, "path", "p", "", "path of the file in the repository")
	flags.StringVarP(&call.Labels[marker.Base], "base", "s", "", "what markers call the base")
	flags.StringVarP(&call.Labels[marker.Ours], "ours", "x", "", "what markers call ours")
	flags.StringVarP(&call.Labels[marker.Theirs], "theirs", "y", "", "what markers call theirs")
	return c
}

// gitInstallCommand installs the driver.
func gitInstallCommand(s streams) *cobra.Command {
	global, quiet := false, false
	c := &cobra.Command{
		Use:   "install [--global]",
		Short: "Tell git of the merge driver and the mergetool",
		Long: `Writes the driver and the mergetool into the configuration of the repository, or with
--global of the user, and prints the lines that say in .gitattributes which files the
driver is for.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			program, err := gitrepo.ThisProgram()
			if err != nil {
				return err
			}
			return gitdriver.Git{}.Install(c.Context(), program, global, unless(quiet, s.out))
		},
	}
	c.Flags().BoolVar(&global, "global", false, "for all repositories of the user")
	addQuiet(c, &quiet)
	return c
}

// gitUninstallCommand removes the driver.
func gitUninstallCommand(s streams) *cobra.Command {
	global, quiet := false, false
	c := &cobra.Command{
		Use:   "uninstall [--global]",
		Short: "Remove the merge driver and the mergetool from git's configuration",
		Long: `Removes the settings that resource-merge git install wrote. Lines of .gitattributes stay;
git merges such files by lines then, as files without a driver.`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return gitdriver.Git{}.Uninstall(c.Context(), global, unless(quiet, s.out))
		},
	}
	c.Flags().BoolVar(&global, "global", false, "for all repositories of the user")
	addQuiet(c, &quiet)
	return c
}

// gitSolveCommand merges the files that git left unmerged.
func gitSolveCommand(s streams) *cobra.Command {
	quiet := false
	c := &cobra.Command{
		Use:   "solve [PATH...]",
		Short: "Merge field by field what git left in conflict",
		Long: `Merges the files that the index has as unmerged, from its stages, with or without the
driver having been there: below the paths, else all that are YAML by their names. What
merges is added to the index; of the rest the fields that collide have conflict markers. In a
file that somebody has edited since, only markers that are still git's are solved, and it is
not added. Exit code 1 says that conflicts or edited files are left.`,
		RunE: func(c *cobra.Command, args []string) error {
			writesParts(c.Context())
			if code := (gitdriver.Git{}).Solve(c.Context(), args, unless(quiet, s.out), s.err); code != ok {
				return exit(code)
			}
			return nil
		},
	}
	addQuiet(c, &quiet)
	return c
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
