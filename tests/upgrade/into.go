package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// The table in a document stands between these lines.
const (
	beginTable = "<!-- go run ./tests/upgrade: begin -->\n"
	endTable   = "<!-- go run ./tests/upgrade: end -->\n"
)

// show writes the table to stdout, or into a document.
func (o options) show(stdout io.Writer, rows []row) error {
	if o.into == "" {
		return writeTable(stdout, rows)
	}
	var table bytes.Buffer
	if err := writeTable(&table, rows); err != nil {
		return err
	}
	text, err := os.ReadFile(o.into)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(text, []byte(beginTable))
	_, after, foundToo := bytes.Cut(rest, []byte(endTable))
	if !found || !foundToo {
		return fmt.Errorf("%s has no lines %s and %s", o.into, bytes.TrimSpace([]byte(beginTable)), bytes.TrimSpace([]byte(endTable)))
	}
	text = bytes.Join([][]byte{before, []byte(beginTable), []byte("\n"), table.Bytes(), []byte("\n"), []byte(endTable), after}, nil)
	return os.WriteFile(o.into, text, 0o644)
}
