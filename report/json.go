package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

type jsonReport struct {
	Summary   Summary        `json:"summary"`
	Changes   []jsonChange   `json:"changes"`
	Conflicts []jsonConflict `json:"conflicts"`
	Steps     []step         `json:"steps,omitempty"`
	Notices   []Notice       `json:"notices"`
	Findings  []finding      `json:"findings,omitzero"`
}

type jsonChange struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	File      string `json:"file"`
	Action    string `json:"action"`
}

type jsonResource struct {
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

type jsonConflict struct {
	Kind     string       `json:"kind"`
	Resource jsonResource `json:"resource"`
	Path     string       `json:"path"`
	File     string       `json:"file"`
	Line     int          `json:"line"`
	Origin   any          `json:"origin"`
	Upstream any          `json:"upstream"`
	Local    any          `json:"local"`
	Chosen   *string      `json:"chosen"`
	Rule     *Rule        `json:"rule"`
	Decision string       `json:"decision,omitempty"`
	Equal    int          `json:"equal,omitempty"`
	Managers []string     `json:"managers,omitempty"`
	Result   any          `json:"result,omitempty"`
}

// writeJSON writes the report for programs (rules/reports: formats); docs/report.schema.json describes it.
func writeJSON(w io.Writer, r *Report) error {
	steps, err := r.stepsWithChanges()
	if err != nil {
		return err
	}
	out := jsonReport{Summary: r.Summary, Steps: steps, Changes: []jsonChange{}, Conflicts: []jsonConflict{}, Notices: append([]Notice{}, r.Notices...), Findings: r.findings}
	equal := r.numberEqual()
	for _, it := range r.Resources {
		if it.isChanged() {
			out.Changes = append(out.Changes, jsonChange{it.Kind, it.Namespace, it.Name, it.File, it.Action})
		}
		for _, c := range it.Conflicts {
			one := jsonOf(it, c)
			one.Equal = equal[c]
			out.Conflicts = append(out.Conflicts, one)
		}
	}
	for _, s := range steps { // of objects that only the recording has
		if s.Action == apply.Prune {
			out.Changes = append(out.Changes, jsonChange{s.Kind, s.Namespace, s.Name, "", "deleted"})
		}
	}
	return encodeJSON(w, out)
}

func jsonOf(it *Resource, c *Conflict) jsonConflict {
	out := jsonConflict{
		Kind: c.Kind, Resource: jsonResource{it.Group, it.Kind, it.Namespace, it.Name},
		Path: c.Path, File: c.File, Line: c.Line,
		Origin: c.Values[identity.Origin].Data, Upstream: c.Values[identity.Upstream].Data, Local: c.Values[identity.Local].Data,
		Rule: c.Rule, Decision: c.Decision, Managers: c.Managers,
	}
	if c.Result != nil {
		out.Result = c.Result.Data
	}
	if c.Chosen != "" {
		out.Chosen = &c.Chosen
	}
	return out
}

// encodeJSON writes data, indented, with invisible characters escaped, also in the names of a rule.
func encodeJSON(w io.Writer, data any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(data); err != nil {
		return err
	}
	_, err := io.WriteString(w, wording.EscapeJSON(b.String()))
	return err
}
