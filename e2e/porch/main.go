// Command porch measures resource-merge behind Porch's wrapper server, and prints the
// tables of docs/fleet.md. Run it in e2e/porch:
//
//	go run . -into ../../docs/fleet.md             # the tables
//	go run . -into ../../docs/fleet.md -fleet 500  # the report over 500 packages
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/resource-merge/resource-merge/e2e/porch/wrapper"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "porch:", err)
		os.Exit(1)
	}
}

// run measures, and prints the tables or writes them into a document.
func run(args []string) (err error) {
	flags := flag.NewFlagSet("porch", flag.ContinueOnError)
	requests := flags.Int("requests", 10000, "how many requests the load has; the other tables take fewer")
	packages := flags.Int("fleet", 0, "measure nothing, but upgrade so many packages and print one report over them")
	only := flags.String("only", "", "make one table: cost, scaling or level")
	into := flags.String("into", "", "document that gets the tables, between its marks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "resource-merge-porch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := measure{dir: dir, requests: *requests, only: *only}
	if m.programs, err = wrapper.Build(context.Background(), dir); err != nil {
		return err
	}
	if *packages > 0 {
		text, err := m.fleetReport(*packages)
		if err != nil || *into == "" {
			fmt.Print(text)
			return err
		}
		return insert(*into, "fleet", "```text\n"+text+"```")
	}
	tables, err := m.tables()
	if err != nil || *into == "" {
		fmt.Print(tables)
		return err
	}
	return insert(*into, "measured", tables)
}

// insert replaces the text between two marks of a document.
func insert(file, mark, with string) error {
	begin, end := "<!-- "+mark+": begin -->\n", "<!-- "+mark+": end -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begun := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !begun || !ended {
		return fmt.Errorf("%s has no marks %q and %q", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+"\n"+strings.TrimSpace(with)+"\n\n"+end+after), 0o644)
}
