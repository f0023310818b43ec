// Command replay repeats the merges in the history of a repository with the merge
// driver, and compares the results with git's own merge and with the people's commit:
//
//	go run ./tests/replay [-limit N] [-newest] [-dump DIR] [-each FILE] REPO...
//
// It reads the repository, and writes nothing into it. For every merge commit it takes the
// YAML files that both sides changed since their merge base. It lists the files that the
// driver merged without a conflict to another result than git's and the people's: somebody
// has to look at them. Exit code 1 says that there is a conflict where git had none and was
// not wrong, or that something was lost or invented without a conflict.
//
// Two tables say by rule how many values the driver decided, and how many git conflicts are gone,
// and how often the people's commit has the same.
//
// The lines of -each, one for each merged file and one for each decision, tell two versions of
// the driver apart over a whole corpus: compare them with diff.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settingsFor are the settings of the driver.
func settingsFor(newest bool) (command.Settings, error) {
	if !newest {
		return command.Settings{}, nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte("{apiVersion: fn.kpt.dev/v1alpha1, kind: ResourceMerge, conflicts: {prefer: newest}}"), &document); err != nil {
		return command.Settings{}, err
	}
	return command.ReadSettings(document.Content[0])
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("replay", flag.ContinueOnError)
	limit := flags.Int("limit", 0, "look at the `n` newest merges only")
	all := flags.Bool("all", false, "list what both leave in conflict too")
	newest := flags.Bool("newest", false, "take the newest of two versions")
	dump := flags.String("dump", "", "write the versions of what is listed below a `directory`")
	each := flags.String("each", "", "write a line for each merged file to a `file`: repository, merge, path, conflicts, hash of the result, and whether people had it so; and a line for each decision")
	if err := flags.Parse(args); err != nil {
		return err
	}
	settings, err := settingsFor(*newest)
	if err != nil {
		return err
	}
	lines := io.Discard
	if *each != "" {
		file, err := os.Create(*each)
		if err != nil {
			return err
		}
		defer file.Close()
		lines = file
	}
	total := newTally("all")
	printHead(stdout)
	for _, repository := range flags.Args() {
		t, err := replay(ctx, repository, *limit, settings, lines)
		if err != nil {
			return fmt.Errorf("%s: %w", repository, err)
		}
		if !*all {
			t.findings = slices.DeleteFunc(t.findings, func(f finding) bool { return f.what == stillInConflict || strings.HasPrefix(f.what, leftToGit) })
		}
		t.print(stdout)
		total.add(t)
		if *dump != "" {
			if err := t.dump(*dump); err != nil {
				return err
			}
		}
	}
	if flags.NArg() > 1 {
		total.print(stdout)
	}
	total.printScores(stdout)
	total.list(stdout)
	if total.worse > 0 {
		return fmt.Errorf("%d files have a conflict where git has none", total.worse)
	}
	if total.broken > 0 {
		return fmt.Errorf("in %d files something is lost or invented without a conflict", total.broken)
	}
	return nil
}
