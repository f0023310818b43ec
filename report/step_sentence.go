package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/apply/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

// stepSentence describes the step for an object, with the reason if nothing is done.
func stepSentence(s *apply.Step) string {
	text := s.Does + " " + liveSubject(s.Object())
	switch reason := stepReason(s.Planned); {
	case reason != "":
		return text + ": " + reason
	case s.Does == apply.Updates && s.Fields == 0:
		return text + ": only the record of what was applied"
	case s.Does == apply.Updates:
		return text + ": " + wording.Plural(s.Fields, "field")
	}
	return text
}

// mutationTexts name the values of an object that only the cluster knows (rules/live: mutations).
func mutationTexts(s *apply.Step) []string {
	if s.Planned == nil || s.Planned.Action != live.Apply {
		return nil
	}
	var out []string
	for _, m := range s.Planned.Mutations {
		out = append(out, wording.Cut(fmt.Sprintf("%s: %s gets the value of %s of %s when it is applied; the plan does not know the value",
			liveSubject(s.Object()), m.TargetPath, m.SourcePath, liveSubject(m.Source)), MaxMessage))
	}
	return out
}

// stepReason returns the reason why an object is kept or skipped, "" for other steps (rules/live:
// the prune set; rules/live: errors).
func stepReason(s *live.Step) string {
	if s == nil {
		return ""
	}
	other := liveSubject(s.Other)
	switch s.Reason {
	case live.Annotated:
		return fmt.Sprintf("its annotation %s: %s has it stay", s.Annotation, s.Value)
	case live.Unowned:
		return "it belongs to no inventory; inventoryPolicy adopt takes it"
	case live.Foreign:
		return fmt.Sprintf("it belongs to another inventory, %s", s.Value)
	case live.Inhabited:
		return fmt.Sprintf("%s is in it", other)
	case live.DependencyPruned:
		return fmt.Sprintf("it depends on %s, which config lacks", other)
	case live.DependencySkipped:
		return fmt.Sprintf("it depends on %s, which is not applied", other)
	case live.DependentApplied:
		return fmt.Sprintf("%s depends on it, and is in config", other)
	case live.DependentStays:
		return fmt.Sprintf("%s depends on it, and stays", other)
	case live.SameObject:
		return fmt.Sprintf("config has the object as %s, in another group", other)
	case live.Refused:
		return "the server would refuse it"
	}
	return ""
}

// liveSubject names an object of a cluster.
func liveSubject(id identity.ID) string {
	name := id.Name
	if id.Namespace != "" {
		name = id.Namespace + "/" + name
	}
	return strings.TrimSpace(id.Kind + " " + name)
}

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

// applyOutcome describes the outcome of an apply's conflict.
func applyOutcome(c merge.Conflict) string {
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
