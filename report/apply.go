package report

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// isOfApply reports whether a conflict is one that only an apply has.
func isOfApply(c merge.Conflict) bool {
	return c.Reason != "" || c.Kind == merge.Drift || c.Kind == merge.Owned || c.Kind == merge.Refused
}

// clusterSentence says what an apply takes away, or why it cannot be, with the values if
// they may be shown.
func clusterSentence(c merge.Conflict, shown bool) string {
	u, l := c.Values[identity.Upstream], c.Values[identity.Local]
	config, live := "config has another value", ""
	switch {
	case u == nil:
		config = "config lacks it"
	case shown:
		config = "config has " + excerpt(u, l)
	}
	if shown && l != nil {
		live = " to " + excerpt(l, u)
	}
	switch {
	case c.Kind == merge.Refused:
		return "the server would refuse it: " + c.Reason
	case c.Kind == merge.DuplicateKey:
		return c.Reason + ", live has" + strings.TrimPrefix(live, " to") + ", " + config
	case c.Kind == merge.Owned:
		return by(c.Managers, "another manager") + " owns it and set it" + live + ", " + config
	case u == nil && strings.HasPrefix(c.Path.String(), "spec."):
		config += ", and so the server sets its default, if there is one"
	}
	return by(c.Managers, "somebody") + " changed it in the cluster" + live + ", " + config
}

// by names managers as the subject of a sentence; unknown is who they are where nobody
// knows.
func by(managers []string, unknown string) string {
	if len(managers) == 0 {
		return unknown
	}
	return "manager " + strings.Join(managers, " and manager ")
}

// applyEnd says what comes of it.
func applyEnd(c merge.Conflict) string {
	switch {
	case c.Kind == merge.DuplicateKey:
		return "what is live stays"
	case c.Kind == merge.Refused, c.Kind == merge.Owned && c.Chosen == identity.Local:
		return nothingApplied
	case c.Values[identity.Upstream] == nil:
		return "what is live is lost"
	case c.Kind == merge.Owned:
		return "config takes it by force"
	}
	return "what is live is overwritten"
}
