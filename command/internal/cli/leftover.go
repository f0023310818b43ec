package cli

import (
	"fmt"
	"path"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// checkMarkers returns an error that names the first file with conflict markers of an earlier merge
// (rules/commands: markers of an earlier merge). A file that is not a manifest may show markers as an
// example, as documentation of git does: there they count if the versions differ in them.
func checkMarkers(packages [3]pkgmerge.Package) error {
	counts := [3]map[string]int{}
	for side, p := range packages {
		counts[side] = map[string]int{}
		for _, f := range p.Files {
			counts[side][f.Name], _ = countMarkers(f.Data)
		}
	}
	for _, side := range [3]identity.Side{identity.Local, identity.Upstream, identity.Origin} {
		for _, f := range packages[side].Files {
			n := counts[side][f.Name]
			differ := counts[identity.Origin][f.Name] != n || counts[identity.Upstream][f.Name] != n || counts[identity.Local][f.Name] != n
			if n > 0 && (differ || isManifest(f.Name)) {
				_, line := countMarkers(f.Data)
				return fmt.Errorf("%s: %s:%d: the file has conflict markers of an earlier merge; settle and commit them first", side, f.Name, line)
			}
		}
	}
	return nil
}

func isManifest(name string) bool {
	switch path.Ext(name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// countMarkers counts the conflicts that git's markers show in a text, and returns the line of the
// first one, from 1.
func countMarkers(text []byte) (n, first int) {
	conflicts, _ := marker.Read(text, 0)
	if len(conflicts) > 0 {
		first = conflicts[0].Line
	}
	return len(conflicts), first
}
