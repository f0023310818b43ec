package cli

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/overlay"
)

// standingLine is the line about one change: the word, the resource, the path, and of one that
// collides the three values, unless they may be secrets.
func standingLine(s overlay.Standing) string {
	name := s.Resource.Name
	if s.Resource.Namespace != "" {
		name = s.Resource.Namespace + "/" + name
	}
	line := fmt.Sprintf("%-9s  %s %s", s.Word, s.Resource.Kind, name)
	if s.Path != "" {
		line += "  " + s.Path
	}
	if s.Word == overlay.Colliding && !s.Secret {
		line += fmt.Sprintf(": origin %s, upstream %s, local %s",
			valueText(s.Values[identity.Origin]), valueText(s.Values[identity.Upstream]), valueText(s.Values[identity.Local]))
	}
	return strings.TrimRight(line, " ")
}

// valueText is a value in a line.
func valueText(n *yaml.Node) string {
	if n == nil {
		return "(absent)"
	}
	return wording.Cut(wording.Flow(n), 60)
}
