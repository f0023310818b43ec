// Command overlay checks the laws of overlays (rules/overlay: overlays) with the real kustomize
// on a package and a copy that somebody changed, and on a new version of it, if one is given:
//
//	go run . --origin ~/src/shop@v1 --local ~/src/fork/shop [--upstream ~/src/shop@v2] [--print]
//
// It prints what each law came to, and with --print the overlays. Exit code 1 says that one
// does not hold.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/source"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("overlay", flag.ContinueOnError)
	origin := flags.String("origin", "", "where the copy started")
	upstream := flags.String("upstream", "", "a new version, if there is one")
	local := flags.String("local", "", "the copy")
	show := flags.Bool("print", false, "print the overlays")
	tried := flags.Int("tried", 1000, "leave out `n` patches of an overlay, one after the other")
	if err := flags.Parse(args); err != nil {
		return err
	}
	sources, err := source.ParseThree(*origin, cmp.Or(*upstream, *origin), *local, os.Stdin)
	if err != nil {
		return err
	}
	l := laws{tried: *tried}
	if l.packages, err = source.Three(ctx, sources[0], sources[1], sources[2]); err != nil {
		return err
	}
	m, err := l.overOrigin()
	err = report(stdout, "over origin", m, err, *show)
	if *upstream != "" {
		m, law := l.overUpstream()
		err = errors.Join(err, report(stdout, "over upstream", m, law, *show))
	}
	return err
}

// report prints the outcome of a law. An idle law is no error.
func report(stdout io.Writer, name string, m made, err error, show bool) error {
	if m.Overlay == nil {
		fmt.Fprintf(stdout, "%s: %v\n", name, err)
		return err
	}
	if show {
		fmt.Fprint(stdout, m.tree.text("overlay"))
	}
	counts := map[overlay.Status]int{}
	for _, s := range m.Changes {
		counts[s.Status]++
	}
	patches := m.tree.patches()
	fmt.Fprintf(stdout, "%s: %s; %d files, %d patches, %v, %d not expressed\n", name, outcome(err), len(m.Files), len(patches), counts, len(m.Unexpressed))
	for _, u := range m.Unexpressed {
		fmt.Fprintln(stdout, "not expressed in the overlay:", u)
	}
	if errors.Is(err, errIdle) {
		return nil
	}
	return err
}

func outcome(err error) string {
	if err == nil {
		return "it holds"
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
