package review

import (
	"bytes"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Find returns the bumps between two versions of a repository (rules/review: bumps), and notes about files that cannot be parsed.
func Find(old, now Files) (bumps []*Bump, notes []string, err error) {
	names := changed(old, now)
	return findReleases(old, now, names)
}

// Review judges the lines of the layers over a bump. Where a version cannot be had, the bump has a note, and no lines.
func (b *Bump) Review(charts Charts) {
	if err := b.compare(charts); err != nil {
		b.Notes = append(b.Notes, "not judged: "+strings.TrimPrefix(err.Error(), b.Name+": "))
		b.Lines = nil
	}
}

// documents returns the documents of a text that is YAML, up to the first fault.
func documents(data []byte) (all []*yamlnodes.Node) {
	decoder := yamlnodes.NewDecoder(bytes.NewReader(data))
	for {
		var document yamlnodes.Node
		if yamlnode.Decode(decoder, &document) != nil {
			return all
		}
		if len(document.Content) > 0 {
			all = append(all, document.Content[0])
		}
	}
}

func metaOf(n *yamlnodes.Node) yamlnode.Meta { return yamlnode.MetaOf(n) }
