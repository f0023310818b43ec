package report

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
			Items []runDocument `json:"items"`
		} `json:"result"`
	} `json:"renderStatus"`
}

// porchRun is the run that a PackageVariant or PackageRevisionResources of Porch tells
// of. One that was not rendered has failed, if a condition says why.
func (d runDocument) porchRun(otherwise string) Run {
	r := Run{Package: visible(d.porchName(otherwise))}
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
			r.failure = visible(porchFailure(condition.Message))
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

// porchName is the package that a variant makes, else the object's own name.
func (d runDocument) porchName(otherwise string) string {
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
