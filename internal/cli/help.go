package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// usage and lists are for who asks, and for who mistypes.
const (
	usage = "usage: resource-merge COMMAND, or resource-merge [--help | --doc | --version] [FILE]"
	lists = "resource-merge help lists the commands"
)

// columns is how wide help is.
const columns = 100

// helpCommand is resource-merge help.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "Show what a command is for",
		ValidArgsFunction: completeCommand,
		RunE: func(c *cobra.Command, args []string) error {
			found, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return misuse("unknown command %q; %s", strings.Join(args, " "), lists)
			}
			found.InitDefaultHelpFlag()
			found.InitDefaultVersionFlag()
			return found.Help()
		},
	}
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
	if flags := c.LocalFlags().FlagUsagesWrapped(columns); flags != "" {
		fmt.Fprintf(out, "\nFlags:\n%s", flags)
	}
	if c.HasSubCommands() {
		fmt.Fprintf(out, "\n%s COMMAND --help shows what a command is for.\n", c.CommandPath())
	}
}
