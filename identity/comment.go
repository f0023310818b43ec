package identity

import (
	"fmt"
	"strings"
)

const commentPrefix = "kpt-merge:"

// Comment is the merge comment on a metadata key, `# kpt-merge: ns/name`: the
// identity that the resource has in the upstream package, kept when the local
// copy is renamed (design 2).
type Comment struct {
	Namespace, Name string
}

// String writes the comment without its `#`.
func (c Comment) String() string { return commentPrefix + " " + c.Namespace + "/" + c.Name }

// IsComment reports whether text, a YAML comment, is meant as a merge comment,
// well-formed or not.
func IsComment(text string) bool {
	return strings.HasPrefix(trimHash(text), commentPrefix)
}

// ParseComment reads a merge comment: strip `#`, the prefix `kpt-merge:`, split
// at the first `/`, trim. The namespace may be empty (`/name` is not
// `default/name`), the name may not. An error says what is wrong with it.
func ParseComment(text string) (Comment, error) {
	rest, found := strings.CutPrefix(trimHash(text), commentPrefix)
	if !found {
		return Comment{}, fmt.Errorf("no merge comment: %q", text)
	}
	namespace, name, found := strings.Cut(rest, "/")
	c := Comment{Namespace: strings.TrimSpace(namespace), Name: strings.TrimSpace(name)}
	if !found || c.Name == "" || strings.ContainsAny(c.Name+c.Namespace, " \t\n") {
		return Comment{}, fmt.Errorf("malformed merge comment %q, want `# kpt-merge: namespace/name`", text)
	}
	return c, nil
}

func trimHash(text string) string {
	return strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(text), "#"))
}
