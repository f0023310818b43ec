package live_test

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
)

// groups are the events of kpt's output that apply and prune, in the groups that kpt
// waits for.
func groups(out string) (groups [][]string) {
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(line)
		switch {
		case line == "apply phase started", line == "prune phase started":
			groups = append(groups, nil)
		case strings.Contains(line, "/") && (strings.Contains(line, " apply ") || strings.Contains(line, " prune ")):
			line, _, _ = strings.Cut(line, " failed: ")
			groups[len(groups)-1] = append(groups[len(groups)-1], line)
		}
	}
	return groups
}

// events are the steps of a plan as kpt writes its events.
func events(plan *live.Plan) (groups [][]string) {
	for _, s := range plan.Steps {
		if s.Wave > len(groups) {
			groups = append(groups, nil)
		}
		groups[s.Wave-1] = append(groups[s.Wave-1], event(s))
	}
	return groups
}

func event(s live.Step) string {
	verb := "apply"
	if s.Pruning || s.Action == live.Prune {
		verb = "prune"
	}
	switch {
	case s.Reason == live.None:
		return eventName(s.ID) + " " + verb + " successful"
	case s.Reason == live.Refused:
		return eventName(s.ID) + " " + verb
	}
	return fmt.Sprintf("%s %s skipped: %s", eventName(s.ID), verb, why(s))
}

// eventName is the name of a resource in kpt's events.
func eventName(id identity.ID) string {
	kind := strings.ToLower(id.Kind)
	if id.Group != "" {
		kind += "." + id.Group
	}
	return kind + "/" + id.Name
}

// why is a reason in kpt's words.
func why(s live.Step) string {
	switch s.Reason {
	case live.Annotated:
		return fmt.Sprintf("annotation prevents deletion (%q: %q)", s.Annotation, s.Value)
	case live.Foreign:
		return policyPrevented(s, "NoMatch")
	case live.Unowned:
		return policyPrevented(s, "Empty")
	}
	return fmt.Sprint(s.Reason, s.Other)
}

func policyPrevented(s live.Step, status string) string {
	strategy, policy := "Apply", "AdoptIfNoInventory"
	if s.Pruning {
		strategy, policy = "Delete", "MustMatch"
	}
	return fmt.Sprintf("inventory policy prevented actuation (strategy: %s, status: %s, policy: %s)", strategy, status, policy)
}
