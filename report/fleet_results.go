package report

import (
	"fmt"
	"strings"
)

// runResult is a result of a KRM function.
type runResult struct {
	Message     string         `json:"message"`
	Severity    string         `json:"severity"`
	ResourceRef runResourceRef `json:"resourceRef"`
	Field       struct {
		Path          string `json:"path"`
		CurrentValue  any    `json:"currentValue"`
		ProposedValue any    `json:"proposedValue"`
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

func resultValue(value any) string {
	if value == nil {
		return absent
	}
	return fmt.Sprint(value)
}
