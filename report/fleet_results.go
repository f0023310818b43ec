package report

import (
	"encoding/json"
	"strings"
)

// runResult is a result of a KRM function.
type runResult struct {
	Message     string         `json:"message"`
	Severity    string         `json:"severity"`
	ResourceRef runResourceRef `json:"resourceRef"`
	Field       struct {
		Path          string          `json:"path"`
		CurrentValue  json.RawMessage `json:"currentValue"`
		ProposedValue json.RawMessage `json:"proposedValue"`
	} `json:"field"`
	Tags map[string]string `json:"tags"`
}

// runResourceRef names a resource.
type runResourceRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Namespace  string `json:"namespace"`
}

// functionResults are a ResourceList, or what one function of several gave.
type functionResults struct {
	Results []runResult `json:"results"`
}

// resultsRun is the run that the results of functions are of.
func resultsRun(lists []json.RawMessage, name string) ([]Run, error) {
	r := Run{Package: visible(name)}
	for _, text := range lists {
		var list functionResults
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
		r.addResults(list.Results)
	}
	return []Run{r}, nil
}

// addResults adds what the results of a function tell of a run: its conflicts, and the
// first error that is none.
func (r *Run) addResults(results []runResult) {
	for _, it := range results {
		switch kind := it.Tags["conflict"]; {
		case it.Severity == "info":
		case kind != "":
			r.conflicts = append(r.conflicts, it.conflict(kind))
		case it.Severity == "error" && r.failure == "":
			r.failure = visible(it.Message)
		}
	}
}

// conflict is the conflict that a result tells of.
func (it runResult) conflict(kind string) runConflict {
	group, _, found := strings.Cut(it.ResourceRef.APIVersion, "/")
	if !found {
		group = ""
	}
	out := runConflict{
		kind: kind, group: group, resourceKind: it.ResourceRef.Kind, name: it.ResourceRef.Name, path: it.Field.Path,
		origin: absent, upstream: resultValue(it.Field.ProposedValue), local: resultValue(it.Field.CurrentValue), chosen: it.Tags["chosen"],
	}
	if origin, found := it.Tags["origin"]; found {
		out.origin = origin
	}
	return out
}
