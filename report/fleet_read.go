package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Run is what a report says of the merge of one package.
type Run struct {
	Package   string
	conflicts []runConflict
	// failure is why nothing was merged, "" if something was.
	failure string
}

// runConflict is a conflict as any report tells of it.
type runConflict struct {
	kind, group, resourceKind, name, path string
	origin, upstream, local, chosen       string
	// prefer is what a rule must prefer to decide it otherwise, "" if none is known to.
	prefer string
}

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

// runDocument is any document that tells of merges.
type runDocument struct {
	// of a report in JSON
	Summary *struct {
		Message string `json:"message"`
		Failed  bool   `json:"failed"`
	} `json:"summary"`
	Conflicts []jsonConflict `json:"conflicts"`
	// of the others
	Kind     string         `json:"kind"`
	Items    []runDocument  `json:"items"`
	Results  []runResult    `json:"results"`
	Metadata runResourceRef `json:"metadata"`
	Spec     struct {
		Downstream struct{ Repo, Package string } `json:"downstream"`
	} `json:"spec"`
	Status porchStatus `json:"status"`
}

// jsonRun is the run that a report in JSON is of.
func (d runDocument) jsonRun(name string) Run {
	r := Run{Package: visible(name)}
	if d.Summary.Failed {
		r.failure = visible(d.Summary.Message)
	}
	for _, c := range d.Conflicts {
		out := runConflict{
			kind: c.Kind, group: c.Resource.Group, resourceKind: cmp.Or(c.Resource.Kind, c.File), name: c.Resource.Name, path: c.Path,
			origin: dataLine(c.Origin), upstream: dataLine(c.Upstream), local: dataLine(c.Local),
		}
		if c.Chosen != nil {
			out.chosen = *c.Chosen
		}
		if c.Rule != nil && c.Resource.Kind != "" && (c.Rule.Prefer == "upstream" || c.Rule.Prefer == "local") {
			out.prefer = c.Rule.Prefer
		}
		r.conflicts = append(r.conflicts, out)
	}
	return r
}

// dataLine is a value of JSON on one line.
func dataLine(value any) string {
	if value == nil {
		return absent
	}
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return lineOf(&n)
}
