package pkgmerge

import (
	"cmp"
	"context"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
)

// mergeText merges three texts of YAML or JSON, such as a file in a ConfigMap, by their fields, as a package of one file
// (rules/fields: YAML in a string). Lines that no side touched keep their bytes: it is not ok if a field has to be written anew,
// or if a text is neither a map nor a list.
func (s ResourceMerge) mergeText(m *Match, texts [3]string, prefer merge.Preference) (merged string, conflicts []merge.Conflict, ok bool) {
	above := "" // the line above a list, which makes it a map
	var packages [3]Package
	var first *yaml.Node
	for side, text := range texts {
		var document yaml.Node
		if yamlnode.Decode(yaml.NewDecoder(strings.NewReader(text)), &document) != nil {
			return "", nil, false
		}
		root := document.Content[0]
		first = cmp.Or(first, root)
		isFlow := root.Style&yaml.FlowStyle != 0
		isText := root.Kind != yaml.MappingNode && root.Kind != yaml.SequenceNode || !isFlow && !strings.Contains(strings.TrimSuffix(text, "\n"), "\n")
		if isText || root.Kind != first.Kind || root.Kind == yaml.SequenceNode && isFlow {
			return "", nil, false
		}
		if root.Kind == yaml.SequenceNode {
			above = "list:\n"
		}
		var err error
		if packages[side], err = NewPackage([]File{{Name: "text.yaml", Mode: 0o644, Data: []byte(above + text)}}); err != nil || len(packages[side].Resources) != 1 {
			return "", nil, false
		}
	}
	if prefer&^merge.PreferNewest == merge.PreferFail {
		prefer = merge.PreferLocal | prefer&merge.PreferNewest
	}
	profile := Text
	if m.profile == Branch {
		profile = Branch
	}
	result, err := Merge(context.Background(), packages, Options{
		Strategy: ResourceMerge{}, Policy: Prefer(prefer), Profile: profile, IgnoreSetters: m.ignoreSetters,
	})
	if err != nil || len(result.Changes) != 1 {
		return "", nil, false
	}
	files, err := result.Files()
	if err != nil || len(files) != 1 || len(result.Changes[0].Result.item.Encodings()) > 0 {
		return "", nil, false
	}
	merged, ok = strings.CutPrefix(string(files[0].Data), above)
	for _, c := range result.Changes[0].Conflicts {
		steps := c.Path.Steps()
		if above != "" && len(steps) > 0 {
			steps = steps[1:]
		}
		if len(steps) == 0 {
			return "", nil, false // such as a comment above all fields
		}
		c.Path = (*merge.Path)(nil).With(steps...)
		conflicts = append(conflicts, c)
	}
	return merged, conflicts, ok && merged != ""
}
