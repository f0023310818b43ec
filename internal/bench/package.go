package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Package writes the resources of List as files, a directory a side.
func (l Load) Package(dir string, n int) error {
	for _, side := range sides() {
		if err := l.writeSide(filepath.Join(dir, side), side, n); err != nil {
			return err
		}
	}
	return nil
}

func (l Load) writeSide(dir, side string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		image, replicas := l.version(side, i)
		name := fmt.Sprintf("web-%d", i)
		text := document(deployment(name, "", image, replicas))
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// document is an item as a document: without the dash and its indentation.
func document(item string) string {
	return strings.ReplaceAll(item[len("- "):], "\n  ", "\n")
}
