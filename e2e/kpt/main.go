// Command kpt is kpt as far as a package's user meets the function: its own fn
// and pkg commands.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/commands/pkg"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "enable the truncation for output")
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root.AddCommand(fn.GetCommand(ctx, "kpt"), pkg.GetCommand(ctx, "kpt"))
	if err := root.Execute(); err != nil {
		os.Exit(report(err))
	}
}

// report shows an error as kpt's own main does.
func report(err error) int {
	resolved, ok := resolver.ResolveError(err)
	if !ok {
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	if resolved.Message != "" {
		fmt.Fprintln(os.Stderr, resolved.Message)
	}
	return resolved.ExitCode
}
