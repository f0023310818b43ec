package pkgmerge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// copies says in one line which of local's resources were found under other names than
// upstream's, without a merge comment (design 2, step 5), and of each that may be a renamed
// copy, which comment makes it one.
func (m *merger) copies(all []*Change) []Notice {
	var pairs []string
	var maybe []Notice
	for _, c := range all {
		if c.how.OtherName {
			pairs = append(pairs, fmt.Sprintf("%s is %s", c.ID, nameIn(c.Versions[identity.Local].ID(), c.ID)))
		}
		if text := m.candidates(c); text != "" {
			maybe = append(maybe, Notice{Warning: true, Change: c, Text: text})
		}
	}
	if len(pairs) == 0 {
		return maybe
	}
	const most = 20
	count := len(pairs)
	if count > most {
		pairs = append(pairs[:most], fmt.Sprintf("and %d more", count-most))
	}
	text := fmt.Sprintf("local calls %s otherwise, and merge comments make that last: %s", wording.Plural(count, "resource"), strings.Join(pairs, ", "))
	return append([]Notice{{Text: text}}, maybe...)
}

// candidates names the resources of local's that may be a renamed copy of one that
// upstream changed, "" if there is none.
func (m *merger) candidates(c *Change) string {
	if len(c.how.Candidates) == 0 || c.SameText(identity.Origin, identity.Upstream) {
		return ""
	}
	var names []string
	for _, at := range c.how.Candidates {
		r := m.packages[identity.Local].Resources[at]
		name := r.Meta.Name
		if r.label() != "" {
			name += " in " + r.label()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	const most = 3
	if len(names) > most {
		names = append(names[:most], wording.Ellipsis)
	}
	id := c.identityOf(identity.Upstream)
	comment := identity.Comment{Namespace: id.Namespace, Name: id.Name}
	return fmt.Sprintf("%s may be its renamed copy; if so, write `metadata: # %s` there", strings.Join(names, " or "), comment)
}

// nameIn is what local calls a resource, with its namespace where that is another.
func nameIn(own, id identity.ID) string {
	if own.Namespace == id.Namespace || own.Namespace == "" {
		return own.Name
	}
	return own.Namespace + "/" + own.Name
}
