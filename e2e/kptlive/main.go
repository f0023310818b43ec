// Command kptlive is kpt as far as it meets a cluster: its own live commands.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/live"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
)

func main() {
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root := live.GetCommand(ctx, "kpt", "")
	root.SilenceUsage, root.SilenceErrors = true, true
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
