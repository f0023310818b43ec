package report

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Rule is an entry of conflicts.rules of the function config (design 1). Its texts
// are exact, and not made to be seen.
type Rule struct {
	Kind      string `json:"kind,omitempty"`
	Group     string `json:"group"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace"`
	Path      string `json:"path,omitempty"`
	Prefer    string `json:"prefer"`
}

// newRule is the rule that has conflicts at a path of a resource prefer a side.
func newRule(c *pkgmerge.Change, at *merge.Path, prefer identity.Side) *Rule {
	id := c.Newest().ID()
	return &Rule{
		Kind: id.Kind, Group: id.Group, Name: literal(id.Name), Namespace: namespaceOf(c),
		Path: shownPath(c, at).String(), Prefer: prefer.String(),
	}
}

// namespaceOf is the namespace by which a rule finds a resource: what the resource
// itself says, also where its kind has none.
func namespaceOf(c *pkgmerge.Change) string {
	meta := c.Newest().Meta
	if meta.Naming == identity.ByPath {
		return ""
	}
	return meta.Namespace
}

// literal is the glob that matches a name and nothing else.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// YAML is the rule as an element of the list conflicts.rules. It is ASCII, and has
// neither markup of HTML nor a backtick.
func (r Rule) YAML() string {
	var b strings.Builder
	for _, field := range [][2]string{
		{"kind", r.Kind}, {"group", r.Group}, {"name", r.Name}, {"namespace", r.Namespace}, {"path", r.Path}, {"prefer", r.Prefer},
	} {
		if field[1] == "" && field[0] != "group" && field[0] != "namespace" {
			continue
		}
		lead := "  "
		if b.Len() == 0 {
			lead = "- "
		}
		b.WriteString(lead + field[0] + ": " + scalar(field[1]) + "\n")
	}
	return b.String()
}

// scalar writes a string as YAML, exactly and in ASCII: plain, in single quotes, or
// in double quotes with the numbers of what is odd.
func scalar(text string) string {
	if isPlainScalar(text) {
		return text
	}
	if strings.IndexFunc(text, isOdd) < 0 {
		return "'" + text + "'"
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		case isOdd(r) || r == '"' || r == '\\':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String() + `"`
}

// isOdd reports whether a character is not written as it is, even in quotes.
func isOdd(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune("'`<>&", r) }

// isPlainScalar reports whether a string needs no quotes in YAML, in any reader's eyes.
func isPlainScalar(text string) bool {
	switch strings.ToLower(text) {
	case "y", "yes", "n", "no", "on", "off", "true", "false", "null":
		return false
	}
	plain, err := regexp.MatchString(`^[A-Za-z][A-Za-z0-9_./-]*$`, text)
	return plain && err == nil
}
