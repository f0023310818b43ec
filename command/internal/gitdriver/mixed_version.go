package gitdriver

import (
	"bytes"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// mixedVersion returns the document in which a merge of lines has parts of one value from both sides, such as the tag of
// ours beside the digest of theirs (rules/laws: one version is one value). It parses the versions only if a side added or
// removed a key, or if they have a digest.
func (v Versions) mixedVersion(merged []byte) (document string, found bool) {
	if !v.mayMixVersions() {
		return "", false
	}
	sides, err := v.packages()
	if err != nil {
		return "", false
	}
	result, err := v.packageOf(merged)
	if err != nil {
		return "", false
	}
	known := schema.New(nil, nil, true)
	var documents [3]map[identity.ID]*pkgmerge.Resource
	for side, p := range sides {
		documents[side] = map[identity.ID]*pkgmerge.Resource{}
		for _, r := range p.Resources {
			documents[side][r.ID()] = r
		}
	}
	for _, r := range result.Resources {
		var versions [3]*yaml.Node
		for side := range versions {
			if version := documents[side][r.ID()]; version != nil {
				versions[side], _ = version.Tree()
			}
		}
		tree, err := r.Tree()
		if err != nil || versions[identity.Local] == nil || versions[identity.Upstream] == nil {
			continue
		}
		if at, mixed := merge.Mixed(versions, tree, schemaOf(r, known)); mixed {
			if r.Meta.Naming == identity.ByPath {
				return at.String(), true
			}
			return strings.TrimSpace(r.Meta.Kind + " " + r.Meta.Name + " " + at.String()), true
		}
	}
	return "", false
}

// mixesSides reports whether one side of all markers has parts of one value from both sides.
func (v Versions) mixesSides(pieces marker.Pieces) bool {
	for _, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		if _, found := v.mixedVersion(pieces.Resolve(func(int) marker.Side { return side })); found {
			return true
		}
	}
	return false
}

// mayMixVersions reports whether the versions have a digest, or a side has another number of some key than the base.
func (v Versions) mayMixVersions() bool {
	base := countKeys(v.Texts[marker.Base])
	for key := range base {
		switch key {
		case "digest", "sha", "sha256", "commit":
			return true
		}
	}
	return !maps.Equal(base, countKeys(v.Texts[marker.Ours])) || !maps.Equal(base, countKeys(v.Texts[marker.Theirs]))
}

// countKeys counts the keys of a text's lines.
func countKeys(text []byte) map[string]int {
	counts := map[string]int{}
	for line := range bytes.Lines(text) {
		if key, _, found := bytes.Cut(bytes.TrimLeft(line, " -"), []byte(":")); found && len(key) < 64 {
			counts[string(key)]++
		}
	}
	return counts
}
