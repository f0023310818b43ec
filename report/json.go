package report

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/resource-merge/resource-merge/identity"
)

// JSON is the report for programs (design 19); docs/report.schema.json describes
// it.
type JSON struct{}

// Name is json.
func (JSON) Name() string { return "json" }

type jsonReport struct {
	Summary   jsonSummary    `json:"summary"`
	Changes   []jsonChange   `json:"changes"`
	Conflicts []jsonConflict `json:"conflicts"`
	Steps     []Step         `json:"steps,omitempty"`
	Notices   []jsonNotice   `json:"notices"`
}

type jsonSummary struct {
	Message   string `json:"message"`
	Failed    bool   `json:"failed"`
	Resources int    `json:"resources"`
	Files     int    `json:"files"`
	Changed   int    `json:"changed"`
	Added     int    `json:"added"`
	Deleted   int    `json:"deleted"`
	Unchanged int    `json:"unchanged"`
	Conflicts int    `json:"conflicts"`
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
	Managers []string     `json:"managers,omitempty"`
}

type jsonNotice struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Resource string `json:"resource"`
	Path     string `json:"path"`
	File     string `json:"file"`
	Line     int    `json:"line"`
}

// Write writes the report as JSON.
func (JSON) Write(w io.Writer, r *Report) error {
	out := jsonReport{Summary: jsonSummary(r.Summary), Steps: r.Steps, Changes: []jsonChange{}, Conflicts: []jsonConflict{}, Notices: []jsonNotice{}}
	for _, it := range r.Resources {
		if it.Happened() {
			out.Changes = append(out.Changes, jsonChange{it.Kind, it.Namespace, it.Name, it.File, it.Action})
		}
		for _, c := range it.Conflicts {
			out.Conflicts = append(out.Conflicts, jsonOf(it, c))
		}
	}
	for _, n := range r.Notices {
		out.Notices = append(out.Notices, jsonNotice{n.Severity, n.Message, n.Resource, n.Path, n.File, n.Line})
	}
	return writeJSON(w, out)
}

func jsonOf(it *Resource, c *Conflict) jsonConflict {
	out := jsonConflict{
		Kind: c.Kind, Resource: jsonResource{it.Group, it.Kind, it.Namespace, it.Name},
		Path: c.Path, File: c.File, Line: c.Line,
		Origin: c.Values[identity.Origin].Data, Upstream: c.Values[identity.Upstream].Data, Local: c.Values[identity.Local].Data,
		Rule: c.Rule, Managers: c.Managers,
	}
	if c.Chosen != "" {
		out.Chosen = &c.Chosen
	}
	return out
}

// writeJSON writes data, indented. What the names in a rule have of unseen
// characters is written by their numbers too.
func writeJSON(w io.Writer, data any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(data); err != nil {
		return err
	}
	_, err := io.WriteString(w, escapedJSON(b.String()))
	return err
}
