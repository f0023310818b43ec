package directory

import (
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// withoutContents is kyaml's error without what the file holds, which may be a
// Secret (design 5), and on one line.
func withoutContents(text string) string {
	text, _, _ = strings.Cut(text, ": node contents:")
	return strings.TrimSpace(resourcelist.WithoutAnchor(text))
}

// relativeTo is kyaml's error with the file below dir: kyaml names it by its
// absolute path, and the same input is to give the same output anywhere.
func relativeTo(dir string, err error) string {
	absolute, absErr := filepath.Abs(dir)
	if absErr != nil {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), filepath.ToSlash(absolute)+"/", "")
}
