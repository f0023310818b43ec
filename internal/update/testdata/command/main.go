// Command update is the update command for the tests beside the real kpt.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/journal"
	"github.com/resource-merge/resource-merge/internal/update"
	"github.com/resource-merge/resource-merge/source"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "resource-merge:", err)
		os.Exit(1)
	}
}

func run() error {
	o := update.Options{}
	var arg string
	for _, a := range os.Args[1:] {
		if s, found := strings.CutPrefix(a, "--strategy="); found {
			o.Strategy = s
		} else {
			arg = a
		}
	}
	dir, version, err := update.ParseArgument(arg)
	if err != nil {
		return err
	}
	o.Version = version
	ctx := context.Background()
	if err := update.CheckClean(ctx, gitrepo.Git{}, dir); err != nil && os.Getenv("FORCE") == "" {
		return err
	}
	local, err := source.Dir(dir).Read(ctx)
	if err != nil {
		return err
	}
	u, err := update.Run(ctx, local.Files, o)
	if err != nil {
		return err
	}
	return journal.Replace(ctx, dir, local.Files, u.Files)
}
