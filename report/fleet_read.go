package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// ReadRuns reads a report of a merge in JSON or YAML: the output of --report json, a ResourceList or FunctionResultList
// with results, or Porch's package variants or package revisions, with a run for each. name is the
// package if the text names none. A text that is none of them is a run that failed.
func ReadRuns(text []byte, name string) []Run {
	data, err := toJSON(text)
	var runs []Run
	if err == nil {
		runs, err = readRuns(data, name)
	}
	if err != nil {
		return []Run{{name: visible(name), failure: visibleMessage("no report of a merge: " + err.Error())}}
	}
	return runs
}

func readRuns(text []byte, name string) ([]Run, error) {
	var d struct {
		Kind    string            `json:"kind"`
		Items   []json.RawMessage `json:"items"`
		Summary json.RawMessage   `json:"summary"`
	}
	if err := decode(text, &d); err != nil {
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
	return nil, errors.New("want a report that --report json wrote, a ResourceList or FunctionResultList, or PackageVariants or PackageRevisionResources of Porch")
}

// decode decodes JSON and keeps its numbers as texts.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

func jsonRun(text []byte, name string) ([]Run, error) {
	var report jsonReport
	if err := decode(text, &report); err != nil {
		return nil, err
	}
	r := Run{name: visible(name)}
	if report.Summary.Failed {
		r.failure = visible(report.Summary.Message)
	}
	for _, c := range report.Conflicts {
		out := runConflict{
			kind: c.Kind, group: c.Resource.Group, resourceKind: cmp.Or(c.Resource.Kind, c.File), name: c.Resource.Name, path: c.Path,
			origin: valueLine(c.Origin), upstream: valueLine(c.Upstream), local: valueLine(c.Local),
		}
		if c.Chosen != nil {
			out.chosen = *c.Chosen
		}
		if c.Rule != nil && c.Resource.Kind != "" && (c.Rule.Prefer == "upstream" || c.Rule.Prefer == "local") {
			out.prefer = c.Rule.Prefer
		}
		r.conflicts = append(r.conflicts, out)
	}
	return []Run{r}, nil
}

// functionResults is a ResourceList, or the results of one function of several.
type functionResults struct {
	Results []Result `json:"results"`
}

// resultsRun reads the results of functions.
func resultsRun(lists []json.RawMessage, name string) ([]Run, error) {
	r := Run{name: visible(name)}
	for _, text := range lists {
		var list functionResults
		if err := decode(text, &list); err != nil {
			return nil, err
		}
		r.addResults(list.Results)
	}
	return []Run{r}, nil
}

// addResults adds the conflicts among the results of a function, and the first error that is not a conflict.
func (r *Run) addResults(results []Result) {
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

func (it Result) conflict(kind string) runConflict {
	resource, field := cmp.Or(it.ResourceRef, &ResultResource{}), cmp.Or(it.Field, &ResultField{})
	out := runConflict{
		kind: kind, group: identity.Group(resource.APIVersion), resourceKind: resource.Kind, name: resource.Name, path: field.Path,
		origin: absent, upstream: resultValue(field.ProposedValue), local: resultValue(field.CurrentValue), chosen: it.Tags["chosen"],
	}
	if origin, found := it.Tags["origin"]; found {
		out.origin = origin
	}
	return out
}

// porchStatus is Porch's status of rendering a package revision; a package variant has one for each of its targets.
type porchStatus struct {
	porchRender       `json:",inline"`
	DownstreamTargets []porchRender `json:"downstreamTargets"`
	Conditions        []struct {
		Type    string `json:"type"`
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"conditions"`
}

type porchRender struct {
	RenderStatus struct {
		Error  string `json:"error"`
		Result struct {
			Items []functionResults `json:"items"`
		} `json:"result"`
	} `json:"renderStatus"`
}

// porchObject is a PackageVariant or PackageRevisionResources of Porch.
type porchObject struct {
	Kind     string         `json:"kind"`
	Metadata ResultResource `json:"metadata"`
	Spec     struct {
		Downstream struct{ Repo, Package string } `json:"downstream"`
	} `json:"spec"`
	Status porchStatus `json:"status"`
}

// isPorch reports whether a kind is one of Porch's with results of merges, followed by suffix.
func isPorch(kind, suffix string) bool {
	return kind == "PackageVariant"+suffix || kind == "PackageRevisionResources"+suffix
}

// listRuns reads the runs of Porch's objects.
func listRuns(objects []json.RawMessage, name string) ([]Run, error) {
	var runs []Run
	for _, text := range objects {
		var object porchObject
		if err := decode(text, &object); err != nil {
			return nil, err
		}
		if !isPorch(object.Kind, "") {
			return nil, fmt.Errorf("the list has a %s", visible(object.Kind))
		}
		runs = append(runs, object.run(name))
	}
	return runs, nil
}

// run returns the merge of an object's package. A package that was not rendered has failed if a condition says so.
func (d porchObject) run(fallback string) Run {
	r := Run{name: visible(d.name(fallback))}
	for _, render := range append(d.Status.DownstreamTargets, d.Status.porchRender) {
		for _, item := range render.RenderStatus.Result.Items {
			r.addResults(item.Results)
		}
		if text := render.RenderStatus.Error; text != "" && r.failure == "" {
			r.failure = visible(porchFailure(text))
		}
	}
	for _, condition := range d.Status.Conditions {
		failed := condition.Type == "Ready" && condition.Status == "False" || condition.Type == "Stalled" && condition.Status == "True"
		if failed && r.failure == "" {
			r.failure = visible(cmp.Or(porchFailure(condition.Message), condition.Type+" is "+condition.Status))
		}
	}
	return r
}

// porchFailure returns the function's message on stderr, which ends Porch's error of a pipeline, without the first
// conflict: that names the package's own resources, so equal failures would differ. Any other error stays as it is.
func porchFailure(text string) string {
	_, message, found := strings.Cut(text, "stderr: resource-merge: ")
	if !found {
		return text
	}
	message, _, _ = strings.Cut(strings.TrimSpace(message), ", first ")
	return message
}

// name returns the package that a variant creates, else the object's own name.
func (d porchObject) name(fallback string) string {
	if target := d.Spec.Downstream; target.Package != "" {
		return strings.Trim(target.Repo+"/"+target.Package, "/")
	}
	return cmp.Or(wording.Object("", d.Metadata.Namespace, d.Metadata.Name), fallback)
}
