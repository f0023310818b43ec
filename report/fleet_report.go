package report

import (
	"cmp"
	"encoding/json"
)

// runReport is what is read of a report in JSON.
type runReport struct {
	Summary struct {
		Message string `json:"message"`
		Failed  bool   `json:"failed"`
	} `json:"summary"`
	Conflicts []struct {
		Kind     string          `json:"kind"`
		Resource jsonResource    `json:"resource"`
		Path     string          `json:"path"`
		File     string          `json:"file"`
		Origin   json.RawMessage `json:"origin"`
		Upstream json.RawMessage `json:"upstream"`
		Local    json.RawMessage `json:"local"`
		Chosen   string          `json:"chosen"`
		Rule     *Rule           `json:"rule"`
	} `json:"conflicts"`
}

// jsonRun is the run that a report in JSON is of.
func jsonRun(text []byte, name string) ([]Run, error) {
	var report runReport
	if err := json.Unmarshal(text, &report); err != nil {
		return nil, err
	}
	r := Run{Package: visible(name)}
	if report.Summary.Failed {
		r.failure = visible(report.Summary.Message)
	}
	for _, c := range report.Conflicts {
		out := runConflict{
			kind: c.Kind, group: c.Resource.Group, resourceKind: cmp.Or(c.Resource.Kind, c.File), name: c.Resource.Name, path: c.Path,
			origin: valueLine(c.Origin), upstream: valueLine(c.Upstream), local: valueLine(c.Local), chosen: c.Chosen,
		}
		if c.Rule != nil && c.Resource.Kind != "" && (c.Rule.Prefer == "upstream" || c.Rule.Prefer == "local") {
			out.prefer = c.Rule.Prefer
		}
		r.conflicts = append(r.conflicts, out)
	}
	return []Run{r}, nil
}
