package report

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// step is a step of an apply for one object (rules/apply: results of an apply).
type step struct {
	// Number counts from 1.
	Number int `json:"step"`
	// Action is create, update, unchanged or refuse, and with an inventory also prune, keep or skip.
	Action string `json:"action"`
	// Wave is the number of the wave, from 1; 0 without an inventory (rules/live: order).
	Wave int `json:"wave,omitempty"`
	// Reason explains why an object is refused, kept or skipped, or what is lost with a pruned one.
	Reason string `json:"reason,omitempty"`
	// Group, Kind, Namespace and Name are the object's, with invisible characters escaped.
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Fields counts the fields of the live object that change.
	Fields int `json:"fields"`
	// Changes are the fields of the live object that change. Only some formats have them: see withChanges.
	Changes []stepChange `json:"changes,omitempty"`
	// Extra are the fields that the object has and config does not ask for, if the options show them.
	Extra []stepChange `json:"extra,omitempty"`
	// Notes describe fields that keep their values and get other managers, and fields with the server's defaults.
	Notes []string `json:"notes,omitempty"`

	// sentence describes the step with its object, and heading has its number and the number of all steps.
	sentence, heading string
	// file and line are the location of the object in the config; "" and 0 if config lacks it.
	file string
	line int
	of   *apply.Step
	// showsExtra says that the options show the extra fields.
	showsExtra bool
}

// stepChange is a field that an apply changes, with the values before and after, each on one line. A value is "" if it is
// absent.
type stepChange struct {
	Path string `json:"path"`
	From string `json:"from"`
	To   string `json:"to"`
	// Managers own the live value, if that is known.
	Managers []string `json:"managers,omitempty"`
	// Within are the differences within a long list or map that changes as a whole.
	Within []stepChange `json:"within,omitempty"`
}

// steps returns the steps of an apply, nil if there is none.
func (b builder) steps(applied *apply.Applied) []step {
	if applied == nil {
		return nil
	}
	steps := []step{}
	for i, s := range applied.Steps {
		one := step{
			Number: i + 1, Action: s.Action, Wave: s.Wave, Fields: s.Fields, Reason: visible(s.Reason),
			Group: visible(s.ID.Group), Kind: visible(s.ID.Kind), Namespace: visible(s.ID.Namespace), Name: visible(s.ID.Name),
			of: s, showsExtra: b.options.Extra, sentence: visible(s.String()), heading: fmt.Sprintf("step %d of %d", i+1, len(applied.Steps)),
		}
		if s.Change != nil && s.Change.Has(identity.Upstream) {
			one.file, one.line = b.location(s.Change, nil)
		}
		steps = append(steps, one)
	}
	return steps
}

// severity returns the severity of a finding about the step.
func (s step) severity() string {
	if s.Reason != "" {
		return "warning"
	}
	return "info"
}

func (s step) subject() string { return wording.Object(s.Kind, s.Namespace, s.Name) }

// withChanges returns the step with its changes: they are found only if somebody reads them.
func (s step) withChanges() (step, error) {
	fields, notes, err := s.of.Effect()
	if err != nil {
		return s, err
	}
	for _, f := range fields {
		change := stepChange{}
		change.Path, change.From, change.To = showDifference(s.of.Change, merge.Comparison{Path: f.Path, From: f.From, To: f.To})
		for _, manager := range f.Managers {
			change.Managers = append(change.Managers, visible(manager))
		}
		if showsValues(s.of.Change, merge.Conflict{Path: f.Path}) {
			for _, d := range within(f.From, f.To) {
				change.Within = append(change.Within, stepChange{Path: change.Path + visible(d.path), From: driftValue(d.from, d.to, true), To: driftValue(d.to, d.from, true), Managers: change.Managers})
			}
		}
		s.Changes = append(s.Changes, change)
	}
	if s.showsExtra {
		extra, err := s.of.Extra()
		if err != nil {
			return s, err
		}
		for _, f := range extra {
			one := stepChange{}
			one.Path, one.From, one.To = showDifference(s.of.Change, merge.Comparison{Path: f.Path, To: f.To})
			for _, manager := range f.Managers {
				one.Managers = append(one.Managers, visible(manager))
			}
			s.Extra = append(s.Extra, one)
		}
	}
	for _, note := range notes {
		s.Notes = append(s.Notes, visible(note))
	}
	if s.Action == apply.Update && len(s.Changes)+len(s.Notes) == 0 {
		s.Notes = []string{"only the records of the apply"}
	}
	return s, nil
}

// lines describes the changes of the step, a line each.
func (s step) lines() (out []string) {
	for _, c := range s.shownChanges() {
		out = append(out, c.text(func(value string) string { return value }))
	}
	out = append(out, s.Notes...)
	for _, c := range s.Extra {
		out = append(out, "not in config: "+c.Path+": "+c.To+c.setBy())
	}
	return out
}

// setBy names the managers of the live value at the end of a line.
func (c stepChange) setBy() string {
	if len(c.Managers) == 0 {
		return ""
	}
	return ", set by " + strings.Join(c.Managers, " and ")
}

// shownChanges returns the changes as people read them: of a long value the differences within it.
func (s step) shownChanges() (out []stepChange) {
	for _, c := range s.Changes {
		if c.Within != nil {
			out = append(out, c.Within...)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// text describes the change; format formats its path and values.
func (c stepChange) text(format func(string) string) string {
	value := func(text string) string {
		if text == "" {
			return "(absent)"
		}
		return format(text)
	}
	return format(c.Path) + ": " + value(c.From) + " -> " + value(c.To) + c.setBy()
}

// stepsWithChanges returns the steps with their changes.
func (r *Report) stepsWithChanges() ([]step, error) {
	var out []step
	for _, s := range r.steps {
		s, err := s.withChanges()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

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
	case c.Kind == merge.DuplicateKey && (live == "" || u == nil):
		return c.Reason
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
