package report

import (
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Step is what an apply does to one object (design 13.5).
type Step struct {
	// Number counts from 1.
	Number int `json:"step"`
	// Action is create, update or unchanged, and with an inventory also prune, keep or skip.
	Action string `json:"action"`
	// Wave counts what is applied or pruned before the next is waited for, from 1; 0 without
	// an inventory (design 15.4).
	Wave int `json:"wave,omitempty"`
	// Reason says why an object is kept or skipped.
	Reason string `json:"reason,omitempty"`
	// Group, Kind, Namespace and Name are the object's, as they may be seen.
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Fields is how many fields of the live object change.
	Fields int `json:"fields"`
}

// newSteps are the steps of an apply, nil if there is none.
func newSteps(applied *pkgmerge.Applied) []Step {
	if applied == nil {
		return nil
	}
	steps := []Step{}
	for i, s := range applied.Steps {
		id := s.Object()
		step := Step{
			Number: i + 1, Action: s.Does, Fields: s.Fields, Reason: visible(stepReason(s.Planned)),
			Group: visible(id.Group), Kind: visible(id.Kind), Namespace: visible(id.Namespace), Name: visible(id.Name),
		}
		if s.Planned != nil {
			step.Wave = s.Planned.Wave
		}
		steps = append(steps, step)
	}
	return steps
}

// subject names the object of a step.
func (s Step) subject() string {
	if s.Namespace == "" {
		return strings.TrimSpace(s.Kind + " " + s.Name)
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}
