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
			r.failure = visible(text)
		}
	}
	for _, condition := range d.Status.Conditions {
		if condition.isBad() && r.failure == "" {
			r.failure = visible(condition.Message)
		}
	}
	return r
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
