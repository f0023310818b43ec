package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// completion gives a shell what may stand in a place.
type completion = cobra.CompletionFunc

// oneOf completes names.
func oneOf(names []string) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// directories completes an argument with directories, where the command has none yet.
func directories(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// onePath completes an argument with files, where the command has none yet.
func onePath(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// directoryOf completes a flag with directories.
func directoryOf(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// manifests completes a flag with files of YAML.
func manifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// reportFlag completes FORMAT[=FILE]: the format, and behind it any file.
func reportFlag(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return formats(), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// formats are the names of the formats of reports.
func formats() (names []string) {
	for _, f := range report.Formats() {
		names = append(names, f.Name())
	}
	return names
}

// strategies are the names of the strategies.
func strategies() (names []string) {
	for _, s := range pkgmerge.Strategies() {
		names = append(names, s.Name())
	}
	return names
}

// completeCommand completes the name of a command.
func completeCommand(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, sub := range c.Root().Commands() {
			names = append(names, sub.Name()+"\t"+sub.Short)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// complete gives a flag its completion. cobra refuses that only for a flag that is not
// there, or has one.
func complete(c *cobra.Command, flag string, with completion) {
	_ = c.RegisterFlagCompletionFunc(flag, with)
}
