// Command forks merges the upgrades of public forks again: with git, with kpt pkg update where
// it can read the files, and with resource-merge's driver. It compares each result with the commit
// of the people, and with the changes of both sides, and prints a Markdown table:
//
//	go run ./tests/forks --mirror ~/src [--clone] [--kpt kpt] [--only NAME] [--into docs/benchmark.md]
//	go run ./tests/forks --mirror ~/src --lists DIR
//	go run ./tests/forks --mirror ~/src --rules
//
// The second line merges nothing: it writes the upgrades of each copy as a list for resource-merge
// learn --upgrades, and upstream's versions beside it, into DIR/NAME. The third merges the upgrades
// of copies as resource-merge merge does, and counts by rule how often people decided so.
//
// The list of forks is forks.tsv. The mirror has a bare clone of each repository, as OWNER+NAME/repo
// or OWNER/NAME; --clone clones the missing ones. It writes nothing into the others.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/resource-merge/resource-merge/tests/history"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "forks:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	list, mirror, only, kpt, into, lists string
	clone, verbose, rules                bool
	limit, parallel                      int
}

func readOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("forks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.list, "list", filepath.Join("tests", "forks", "forks.tsv"), "the table of forks")
	flags.StringVar(&o.mirror, "mirror", "", "the directory with bare clones of the repositories, as OWNER+NAME/repo or OWNER/NAME")
	flags.BoolVar(&o.clone, "clone", false, "clone from GitHub what the mirror lacks")
	flags.StringVar(&o.only, "only", "", "the one fork of the table to measure")
	flags.StringVar(&o.kpt, "kpt", "", "the program kpt, to measure kpt pkg update too")
	flags.StringVar(&o.into, "into", "", "a Markdown file to put the table into, instead of printing it")
	flags.StringVar(&o.lists, "lists", "", "a directory for lists of upgrades and their versions, instead of merges")
	flags.BoolVar(&o.rules, "rules", false, "count by rule instead what merge decides in the upgrades of copies")
	flags.IntVar(&o.limit, "limit", 0, "measure the `n` newest upgrades of each fork only")
	flags.IntVar(&o.parallel, "parallel", 2, "measure `n` forks at once")
	flags.BoolVar(&o.verbose, "verbose", false, "print each upgrade, and each loss and invention, to stderr")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.mirror == "" || o.parallel < 1 || flags.NArg() > 0 {
		return o, fmt.Errorf("want --mirror DIR with the clones of the repositories")
	}
	return o, nil
}

// run measures every fork of the list and prints the table.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := readOptions(args, stderr)
	if err != nil {
		return err
	}
	forks, err := readForks(o.list, o.only)
	if err != nil {
		return err
	}
	if err := o.findMirrors(ctx, forks); err != nil {
		return err
	}
	rows, err := o.measureAll(ctx, forks, stderr)
	if err != nil || o.lists != "" {
		return err
	}
	if o.rules {
		total := history.Scores{}
		for _, r := range rows {
			total.Add(r.rules)
		}
		total.Print(stdout, "rule")
		return nil
	}
	return o.show(stdout, rows)
}

// measureAll measures the forks, a few at once, and returns their rows in the order of the list.
func (o options) measureAll(ctx context.Context, forks []fork, stderr io.Writer) ([]row, error) {
	rows, failed := make([]row, len(forks)), make([]error, len(forks))
	places := make(chan struct{}, o.parallel)
	var all sync.WaitGroup
	for i, f := range forks {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if rows[i], failed[i] = o.measure(ctx, f, stderr); failed[i] != nil {
				failed[i] = fmt.Errorf("%s: %w", f.name, failed[i])
			}
		})
	}
	all.Wait()
	return rows, errors.Join(failed...)
}
