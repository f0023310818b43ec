package report

import (
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// stepSubject names the object of a step.
func stepSubject(s *apply.Step) string { return wording.Object(s.ID.Kind, s.ID.Namespace, s.ID.Name) }

// isOfApply reports whether a conflict can occur only in an apply.
func isOfApply(c merge.Conflict) bool {
	return c.Reason != "" || c.Kind == merge.Drift || c.Kind == merge.Owned || c.Kind == merge.Refused
}

// applyConflictSentence describes a live value that an apply removes, or the reason why it cannot,
// with the values if they may be shown.
func applyConflictSentence(c merge.Conflict, shown bool) string {
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
		return managersText(c.Managers, "another manager") + " owns it and set it" + live + ", " + config
	case u == nil && strings.HasPrefix(c.Path.String(), "spec."):
		config += ", and so the server sets its default, if there is one"
	}
	return managersText(c.Managers, "somebody") + " changed it in the cluster" + live + ", " + config
}

// managersText names managers as the subject of a sentence; fallback stands for unknown ones.
func managersText(managers []string, fallback string) string {
	if len(managers) == 0 {
		return fallback
	}
	return "manager " + strings.Join(managers, " and manager ")
}

// applyOutcome describes the outcome of a conflict of an object in an apply.
func applyOutcome(m *pkgmerge.Change, c merge.Conflict) string {
	switch {
	case apply.Refused(m):
		return notApplied
	case c.Kind == merge.DuplicateKey:
		return "kubectl takes them for one and mixes them up; a server-side apply tells them apart"
	case c.Values[identity.Upstream] == nil:
		return "the live value is lost"
	case c.Kind == merge.Owned:
		return "config takes it by force"
	}
	return "the live value is overwritten"
}
