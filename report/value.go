package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// shown is a value as results carry it: a scalar decoded, a list or map as a
// line of YAML, at most 256 bytes of either; nil where absent.
func shown(n *yaml.Node) any {
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

// ValuesAsText makes strings of the values of results. Porch, which reads a number or a
// boolean there as a fault, does not take results without (rules/programs: porch).
func ValuesAsText(results framework.Results) {
	for _, r := range results {
		if r.Field == nil {
			continue
		}
		for _, value := range []*any{&r.Field.CurrentValue, &r.Field.ProposedValue} {
			if *value != nil {
				*value = fmt.Sprint(*value)
			}
		}
	}
}

// shownText is shown as a tag carries it, which is a string.
func shownText(n *yaml.Node) string {
	if v := shown(n); v != nil {
		return fmt.Sprint(v)
	}
	return "null"
}

// visible is a text of a package on one line, as every format may write it: each
// character that cannot be seen is written as its number, among them control
// characters, line breaks, and those that turn the direction of writing (rules/reports:
// unseen characters).
func visible(text string) string { return wording.Visible(text, "") }

// visibleLines is visible for a text that may have several lines.
func visibleLines(text string) string {
	return wording.Visible(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// sentenceOf is visible for a message, in which quoted values have some characters as
// Go writes them: \x1b.
func sentenceOf(message string) string {
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

// escapedJSON writes the unseen characters of a JSON text, which are all in its
// strings, as JSON does.
func escapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !wording.IsUnseen(r, "\n"):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// showsValues reports whether the values of a conflict may be shown. Of a resource that may hold
// secrets only its type and the names in its metadata are, and no comment (rules/conflicts:
// secrets).
func showsValues(m *pkgmerge.Change, c merge.Conflict) bool {
	path := c.Path.String()
	switch path {
	case "type", "metadata.name", "metadata.namespace", "metadata.generateName":
		if c.Kind != merge.CommentChanged {
			return true
		}
	}
	return !m.MayHoldSecret(c.Path)
}

// shownPath returns a path without what it may not show. The element of a set is its own
// key: where that may hold a secret, the path ends at the list.
func shownPath(c *pkgmerge.Change, p *merge.Path) *merge.Path {
	if showsValues(c, merge.Conflict{Path: p}) {
		return p
	}
	var out *merge.Path
	for _, step := range p.Steps() {
		switch {
		case step.Keys == nil:
			out = out.Field(step.Field)
		case len(step.Keys) == 1 && step.Keys[0].Name == "":
			return out
		default:
			out = out.Element(step.Keys)
		}
	}
	return out
}
