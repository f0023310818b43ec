package pkgmerge

import (
	"fmt"

	"github.com/resource-merge/resource-merge/identity"
)

// malformedComments warns of merge comments that cannot be read.
func (m *merger) malformedComments() []Notice {
	var out []Notice
	for _, r := range m.resources() {
		if !identity.IsComment(r.Meta.Comment) {
			continue
		}
		if _, err := identity.ParseComment(r.Meta.Comment); err != nil {
			out = append(out, Notice{Warning: true, Resource: r, Text: fmt.Sprintf("%s: %v; it is ignored", r, err)})
		}
	}
	return out
}
