package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// ReadRuns reads a report of a merge, in JSON or YAML: what --report json writes, a
// ResourceList or FunctionResultList with results, or what Porch says of package
// variants or package revisions, of which each is a run of its own. name is the package
// where the text names none.
func ReadRuns(text []byte, name string) ([]Run, error) {
	text, err := asJSON(text)
	if err != nil {
		return nil, err
	}
	var d runDocument
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("no report of a merge: %w", err)
	}
	switch {
	case d.Kind == "List" || d.Kind == "PackageVariantList" || d.Kind == "PackageRevisionResourcesList":
		var runs []Run
		for _, item := range d.Items {
			runs = append(runs, item.porchRun(name))
		}
		return runs, nil
	case d.Kind == "PackageVariant" || d.Kind == "PackageRevisionResources":
		return []Run{d.porchRun(name)}, nil
	case d.Kind == "ResourceList" || d.Kind == "FunctionResultList":
		r := Run{Package: visible(name)}
		r.addResults(d.Results)
		for _, item := range d.Items {
			r.addResults(item.Results)
		}
		return []Run{r}, nil
	case d.Summary != nil:
		return []Run{d.jsonRun(name)}, nil
	}
	return nil, errors.New("no report of a merge: want what --report json writes, a ResourceList or FunctionResultList, or PackageVariants or PackageRevisionResources of Porch")
}

// asJSON is a text of JSON or YAML as JSON.
func asJSON(text []byte) ([]byte, error) {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text, nil
	}
	var data map[string]any
	if err := yaml.Unmarshal(text, &data); err != nil {
		return nil, fmt.Errorf("no report of a merge: %w", err)
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, fmt.Errorf("no report of a merge: %w", err)
	}
	return text, nil
}
