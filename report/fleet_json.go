package report

import "io"

// fleetReport is a Fleet as JSON; docs/fleet.schema.json describes it.
type fleetReport struct {
	Summary   fleetSummary    `json:"summary"`
	Conflicts []fleetConflict `json:"conflicts"`
	Failures  []*Failure      `json:"failures"`
}

type fleetSummary struct {
	Message     string `json:"message"`
	Packages    int    `json:"packages"`
	Conflicting int    `json:"conflicting"`
	Failed      int    `json:"failed"`
	Conflicts   int    `json:"conflicts"`
	Different   int    `json:"different"`
}

type fleetConflict struct {
	Kind     string        `json:"kind"`
	Resource fleetResource `json:"resource"`
	Path     string        `json:"path"`
	Origin   string        `json:"origin"`
	Upstream string        `json:"upstream"`
	Local    []fleetLocal  `json:"local"`
	Chosen   Chosen        `json:"chosen"`
	Count    int           `json:"count"`
	Packages []string      `json:"packages"`
	Rule     *FleetRule    `json:"rule"`
}

type fleetResource struct {
	Group string   `json:"group"`
	Kind  string   `json:"kind"`
	Names []string `json:"names"`
}

type fleetLocal struct {
	Value    string   `json:"value"`
	Packages []string `json:"packages"`
}

// fleetJSON writes everything, for programs.
func fleetJSON(w io.Writer, f *Fleet) error {
	out := fleetReport{
		Summary:   fleetSummary{f.Summary(), f.Packages, f.Conflicting, f.Failed, f.Conflicts, len(f.Alike)},
		Conflicts: []fleetConflict{}, Failures: append([]*Failure{}, f.Failures...),
	}
	for _, a := range f.Alike {
		c := fleetConflict{
			Kind: a.Kind, Resource: fleetResource{a.Group, a.ResourceKind, append([]string{}, a.Names...)}, Path: a.Path,
			Origin: a.Origin, Upstream: a.Upstream, Chosen: a.Chosen, Count: a.Conflicts, Packages: a.Packages, Rule: a.Rule,
		}
		for _, l := range a.Locals {
			c.Local = append(c.Local, fleetLocal(*l))
		}
		out.Conflicts = append(out.Conflicts, c)
	}
	return writeJSON(w, out)
}
