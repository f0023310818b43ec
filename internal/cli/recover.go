package cli

import (
	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/sink"
)

// recoverCommand is resource-merge recover (design 17.2).
func recoverCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "recover DIR",
		Short: "Take back what a killed run has left in a package",
		Example: `  # A run that wrote to shop was killed
  resource-merge recover shop`,
		Long: `A run that was killed while it wrote to a package has changed some of its files and
not others. recover puts them all back as they were. The next merge or update of the
package does so too, before it reads it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("want one argument, the directory of a package")
			}
			return nil
		},
		ValidArgsFunction: directories,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := isDirectory(args[0]); err != nil {
				return err
			}
			found, err := sink.Recover(args[0])
			if err != nil {
				return err
			}
			text := "nothing to recover"
			if found {
				text = "recovered: all files are as they were before the run"
			}
			wording.Say(s.err, "%s: %s", args[0], text)
			return nil
		},
	}
}
