package pkgmerge

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// unread is a file of a side that is YAML or JSON by its name and cannot be read as
// resources: a template, or one with a mistake. Its text says which resources it may hold.
type unread struct {
	*content
	reason string
	// kinds are the kinds that the text has, and words what stands between spaces, quotes and
	// brackets in it.
	kinds, words map[string]bool
	// templated says that the text has a name that a template makes.
	templated bool
	// held are the resources that the side lacks, and that the file may hold.
	held []*Match
}

func newUnread(c *content, reason string) *unread {
	u := &unread{content: c, reason: reason, kinds: map[string]bool{}, words: map[string]bool{}}
	u.templated = regexp.MustCompile(`name["']?:.*\{\{`).Match(c.Data)
	for _, found := range regexp.MustCompile(`\bkind["']?:\s*["']?([A-Za-z0-9]+)`).FindAllSubmatch(c.Data, -1) {
		u.kinds[string(found[1])] = true
	}
	if len(u.kinds) > 0 {
		for _, word := range bytes.FieldsFunc(c.Data, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',{}[]", r) }) {
			u.words[string(word)] = true
		}
	}
	return u
}

// mayHold reports whether the file may hold a resource: it has its kind and its name, or a name
// that a template makes.
func (u *unread) mayHold(r *Resource) bool {
	return r.Meta.Naming != identity.ByPath && u.kinds[r.Meta.Kind] && (u.words[r.Meta.Name] || u.templated)
}
