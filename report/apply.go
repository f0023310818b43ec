package report

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
)

// isOfApply reports whether a conflict is one that only an apply has.
func isOfApply(c merge.Conflict) bool {
	return c.Kind == merge.Drift || c.Kind == merge.Owned || c.Kind == merge.Refused
}

// clusterSentence says what an apply takes away, or why it cannot be, with the values if
// they may be shown.
func clusterSentence(c merge.Conflict, shown bool) string {
	u, l := c.Values[identity.Upstream], c.Values[identity.Local]
	config, live := "config removes it", "the live object has another value"
	if u != nil {
		config = "config has another"
	}
	if shown {
		if u != nil {
			config = "config has " + excerpt(u, l)
		}
		if live = "the live object lacks it"; l != nil {
			live = "the live object has " + excerpt(l, u)
		}
	}
	switch c.Kind {
	case merge.Refused:
		return "the server would refuse it: " + c.Reason
	case merge.Owned:
		return by(c.Managers) + " owns it, " + live + ", " + config
	}
	if u == nil && strings.HasPrefix(c.Path.String(), "spec.") {
		config += ", so that the server sets its default, if it has one"
	}
	if len(c.Managers) > 0 {
		live = by(c.Managers) + " changed it, " + live
	}
	return live + ", " + config
}

// by names managers as the subject of a sentence.
func by(managers []string) string {
	if len(managers) == 0 {
		return "another manager"
	}
	return "manager " + strings.Join(managers, " and manager ")
}

// applyEnd says what comes of it.
func applyEnd(c merge.Conflict) string {
	switch {
	case c.Kind == merge.Refused, c.Kind == merge.Owned && c.Chosen == identity.Local:
		return nothingApplied
	case c.Values[identity.Upstream] == nil:
		return "what is live is lost"
	case c.Kind == merge.Owned:
		return "config takes it by force"
	}
	return "what is live is overwritten"
}
