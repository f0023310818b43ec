package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSourceSink runs the function between kpt's source and sink. These do not
// carry a licence above an empty line at the top of a file.
func TestSourceSink(t *testing.T) {
	dir := packageOf(t, "fork").write(t)
	sunk := filepath.Join(t.TempDir(), "sunk")
	source := succeed(t, dir, "", "kpt", "fn", "source", ".")
	merged := succeed(t, dir, source.stdout, "resource-merge")
	succeed(t, dir, merged.stdout, "kpt", "fn", "sink", sunk)
	withoutLicences(expectedOf(t, "fork")).check(t, sunk)
	packageOf(t, "fork").check(t, dir)
}

// withoutLicences takes the two lines of a licence off the top of files.
func withoutLicences(files tree) tree {
	rest := tree{}
	for path, text := range files {
		if _, after, found := strings.Cut(text, "# SPDX-License-Identifier: Apache-2.0\n"); found {
			text = after
		}
		rest[path] = text
	}
	return rest
}
