// Command porch measures resource-merge behind Porch's wrapper server, and prints the
// tables of docs/fleet.md. Run it in e2e/porch: go run . -into ../../docs/fleet.md
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

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
	into := flags.String("into", "", "document that gets the tables, between its marks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "resource-merge-porch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m := measure{dir: dir, requests: *requests}
	if m.programs, err = wrapper.Build(context.Background(), dir); err != nil {
		return err
	}
	tables, err := m.tables()
	if err != nil || *into == "" {
		fmt.Print(tables)
		return err
	}
	return insert(*into, tables)
}

// insert replaces what a document has between its marks.
func insert(file, tables string) error {
	const begin, end = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begun := bytes.Cut(text, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	if !begun || !ended {
		return errors.New(file + " has no marks for the tables")
	}
	return os.WriteFile(file, fmt.Appendf(nil, "%s%s\n%s\n%s%s", before, begin, tables, end, after), 0o644)
}
