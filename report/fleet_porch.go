package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// porchStatus is what Porch says of rendering a package revision: of a package variant
// for each of its targets.
type porchStatus struct {
	porchRender       `json:",inline"`
	DownstreamTargets []porchRender    `json:"downstreamTargets"`
	Conditions        []porchCondition `json:"conditions"`
}

// porchCondition is a condition of a package variant.
type porchCondition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// isBad reports whether a package variant could not be made.
func (c porchCondition) isBad() bool {
	return c.Type == "Ready" && c.Status == "False" || c.Type == "Stalled" && c.Status == "True"
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
	Metadata runResourceRef `json:"metadata"`
	Spec     struct {
		Downstream struct{ Repo, Package string } `json:"downstream"`
	} `json:"spec"`
	Status porchStatus `json:"status"`
}

// isPorch reports whether a kind is one that Porch says of merges, with something behind
// it.
func isPorch(kind, suffix string) bool {
	return kind == "PackageVariant"+suffix || kind == "PackageRevisionResources"+suffix
}

// listRuns are the runs that objects of Porch tell of.
func listRuns(objects []json.RawMessage, name string) ([]Run, error) {
	var runs []Run
	for _, text := range objects {
		var object porchObject
		if err := json.Unmarshal(text, &object); err != nil {
			return nil, err
		}
		if !isPorch(object.Kind, "") {
			return nil, fmt.Errorf("the list has a %s", visible(object.Kind))
		}
		runs = append(runs, object.run(name))
	}
	return runs, nil
}

// run is what an object tells of its package's merge. One that was not rendered has
// failed, if a condition says so.
func (d porchObject) run(otherwise string) Run {
	r := Run{Package: visible(d.name(otherwise))}
	for _, render := range append(d.Status.DownstreamTargets, d.Status.porchRender) {
		for _, item := range render.RenderStatus.Result.Items {
			r.addResults(item.Results)
		}
		if text := render.RenderStatus.Error; text != "" && r.failure == "" {
			r.failure = visible(porchFailure(text))
		}
	}
	for _, condition := range d.Status.Conditions {
		if condition.isBad() && r.failure == "" {
			r.failure = visible(cmp.Or(porchFailure(condition.Message), condition.Type+" is "+condition.Status))
		}
	}
	return r
}

// porchFailure is what the function wrote to stderr, which ends Porch's error of a
// pipeline, without the first conflict: that names the package's own resources, and so
// every failure would be another one. Any other error is as it is.
func porchFailure(text string) string {
	_, said, found := strings.Cut(text, "stderr: resource-merge: ")
	if !found {
		return text
	}
	said, _, _ = strings.Cut(strings.TrimSpace(said), ", first ")
	return said
}

// name is the package that a variant makes, else the object's own name.
func (d porchObject) name(otherwise string) string {
	name := d.Metadata.Name
	if target := d.Spec.Downstream; target.Package != "" {
		name = strings.Trim(target.Repo+"/"+target.Package, "/")
	} else if d.Metadata.Namespace != "" {
		name = d.Metadata.Namespace + "/" + name
	}
	if name == "" {
		return otherwise
	}
	return name
}
