package patch

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// text is a text that is no boolean for those who read YAML 1.1, whatever it says.
func text(value string) *yaml.Node {
	n := yamlnode.String(value)
	if isWord(value) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// isWord reports whether YAML 1.1 has a word for a boolean.
func isWord(text string) bool {
	return slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(text))
}
