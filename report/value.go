package report

import (
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// displayValue returns a value for a result: a scalar decoded, a list or map as a line of YAML, at
// most 256 bytes of either; nil if absent.
func displayValue(n *yaml.Node) any {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		return wording.Cut(wording.Flow(n), maxValue)
	}
	var v any
	if err := n.Decode(&v); err != nil || len(n.Value) > maxValue {
		return wording.Cut(n.Value, maxValue)
	}
	switch v.(type) {
	case string, time.Time: // a timestamp is a string
		return wording.Cut(n.Value, maxValue)
	case float64:
		if strings.Trim(n.Value, "+-_0123456789") == "" { // an integer of more than 64 bits
			return n.Value
		}
	}
	return v
}

// displayText is displayValue for a tag, which is a string.
func displayText(n *yaml.Node) string {
	if v := displayValue(n); v != nil {
		return fmt.Sprint(v)
	}
	return "null"
}

// visible returns a text of a package on one line that is safe in every format: control characters, line breaks, and
// other characters that cannot be seen are escaped as numbers (rules/reports: unseen characters).
func visible(text string) string { return wording.Visible(text, "") }

// visibleLines is visible for a text that may have several lines.
func visibleLines(text string) string {
	return wording.Visible(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// visibleMessage is visible for a message, whose quoted values have Go's escapes such as \x1b.
func visibleMessage(message string) string {
	var b strings.Builder
	for text := visible(message); ; {
		before, after, found := strings.Cut(text, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte('\\')
		switch {
		case strings.HasPrefix(after, "x"):
			b.WriteString("u00")
			after = after[1:]
		case after != "":
			b.WriteByte(after[0])
			after = after[1:]
		}
		text = after
	}
}

// showsValues reports whether the values of a conflict may be shown. A resource that may hold secrets shows only its
// kind, its type and the names in its metadata, and no comment (rules/conflicts: secrets).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	if c.Kind != merge.CommentChanged && secrecy.IsPublic(c.Path.String()) {
		return true
	}
	return !m.MayHoldSecret(c.Path)
}

// visiblePath returns a path without secret parts. The element of a set is its own key: if it may
// be secret, the path ends at the list.
func visiblePath(c *pkgmerge.Change, p *merge.Path) *merge.Path {
	if showsValues(c, merge.Conflict{Path: p}) {
		return p
	}
	steps := p.Steps()
	for i, step := range steps {
		if len(step.Keys) == 1 && step.Keys[0].Name == "" {
			return (*merge.Path)(nil).With(steps[:i]...)
		}
	}
	return p
}
