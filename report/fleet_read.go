package report

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ReadRuns reads a report of a merge, in JSON or YAML: what --report json writes, a
// ResourceList or FunctionResultList with results, or what Porch says of package
// variants or package revisions, of which each is a run of its own. name is the package
// where the text names none.
func ReadRuns(text []byte, name string) ([]Run, error) {
	text, err := asJSON(text)
	if err != nil {
		return nil, fmt.Errorf("no report of a merge: %w", err)
	}
	runs, err := readRuns(text, name)
	if err != nil {
		return nil, fmt.Errorf("no report of a merge: %w", err)
	}
	return runs, nil
}

// readRuns reads a report by its kind.
func readRuns(text []byte, name string) ([]Run, error) {
	var d struct {
		Kind    string            `json:"kind"`
		Items   []json.RawMessage `json:"items"`
		Summary json.RawMessage   `json:"summary"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	switch {
	case d.Kind == "List" || isPorch(d.Kind, "List"):
		return listRuns(d.Items, name)
	case isPorch(d.Kind, ""):
		return listRuns([]json.RawMessage{text}, name)
	case d.Kind == "ResourceList":
		return resultsRun([]json.RawMessage{text}, name)
	case d.Kind == "FunctionResultList":
		return resultsRun(d.Items, name)
	case d.Kind == "" && d.Summary != nil:
		return jsonRun(text, name)
	}
	return nil, errors.New("want what --report json writes, a ResourceList or FunctionResultList, or PackageVariants or PackageRevisionResources of Porch")
}
