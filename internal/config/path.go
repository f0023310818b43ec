package config

import (
	"fmt"
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/report"
)

// maxPath is the longest path that Linux can open.
const maxPath = 4096

// checkRelative finds a path that is absolute or leads out of the package, or

// that is longer than a path can be.
func CheckPath(p string) error {
	if len(p) > maxPath {
		return fmt.Errorf("path %q has %d bytes, more than %d", wording.Cut(p, report.ShortValue), len(p), maxPath)
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return fmt.Errorf("path %q leads out of the package, want one relative to it", p)
	}
	return nil
}

// CleanPath writes a directory as "" for the package itself, else without
// leading "./" and trailing "/".
func CleanPath(p string) string {
	clean := path.Clean(p)
	if clean == "." {
		return ""
	}
	return clean
}
