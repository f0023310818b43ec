package report

import (
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// FailedRun is the run of a package whose report cannot be read, or that has none.
func FailedRun(name, why string) Run {
	return Run{Package: visible(name), failure: sentenceOf(why)}
}

// NewFleet makes one report of many runs. Of a package that has several, all count.
func NewFleet(runs []Run) *Fleet {
	g := grouping{alike: map[string]*Alike{}, failures: map[string]*Failure{}}
	packages := map[string]bool{}
	conflicting, failed := map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		packages[r.Package] = true
		for _, c := range r.conflicts {
			conflicting[r.Package] = true
			g.add(r.Package, c)
		}
		if r.failure != "" {
			failed[r.Package] = true
			g.fail(r.Package, r.failure)
		}
	}
	g.sort()
	g.fleet.Packages, g.fleet.Conflicting, g.fleet.Failed = len(packages), len(conflicting), len(failed)
	return &g.fleet
}

// grouping finds the conflicts and failures that are the same.
type grouping struct {
	fleet    Fleet
	alike    map[string]*Alike
	failures map[string]*Failure
}

// add adds a conflict of a package to those that are the same.
func (g *grouping) add(name string, c runConflict) {
	c = c.seen()
	key := strings.Join([]string{c.kind, c.group, c.resourceKind, c.path, c.origin, c.upstream}, "\x00")
	a := g.alike[key]
	if a == nil {
		a = &Alike{Kind: c.kind, Group: c.group, ResourceKind: c.resourceKind, Path: c.path, Origin: c.origin, Upstream: c.upstream}
		if c.prefer != "" {
			a.Rule = &FleetRule{Kind: c.resourceKind, Group: c.group, Path: c.path, Prefer: c.prefer}
		}
		g.alike[key] = a
		g.fleet.Alike = append(g.fleet.Alike, a)
	}
	g.fleet.Conflicts++
	a.add(name, c)
}

// seen is a conflict with texts as everybody may see them.
func (c runConflict) seen() runConflict {
	for _, text := range []*string{&c.kind, &c.group, &c.resourceKind, &c.name, &c.path, &c.chosen} {
		*text = visible(*text)
	}
	for _, value := range []*string{&c.origin, &c.upstream, &c.local} {
		*value = visible(wording.CutMiddle(*value, maxValue))
	}
	return c
}

// add adds a conflict of a package. A rule stays only if it is that of all.
func (a *Alike) add(name string, c runConflict) {
	a.Conflicts++
	a.Packages = inserted(a.Packages, name)
	if c.name != "" {
		a.Names = inserted(a.Names, c.name)
	}
	if a.Rule != nil && a.Rule.Prefer != c.prefer {
		a.Rule = nil
	}
	switch c.chosen {
	case "upstream":
		a.Chosen.Upstream++
	case "local":
		a.Chosen.Local++
	default:
		a.Chosen.None++
	}
	i := slices.IndexFunc(a.Locals, func(l *Local) bool { return l.Value == c.local })
	if i < 0 {
		i = len(a.Locals)
		a.Locals = append(a.Locals, &Local{Value: c.local})
	}
	a.Locals[i].Packages = inserted(a.Locals[i].Packages, name)
}

// fail adds a package that failed.
func (g *grouping) fail(name, why string) {
	f := g.failures[why]
	if f == nil {
		f = &Failure{Message: why}
		g.failures[why] = f
		g.fleet.Failures = append(g.fleet.Failures, f)
	}
	f.Packages = inserted(f.Packages, name)
}

// sort puts what most packages have first.
func (g *grouping) sort() {
	byPackages(g.fleet.Alike, func(a *Alike) ([]string, string) {
		return a.Packages, strings.Join([]string{a.ResourceKind, a.Path, a.Kind, a.Group, a.Origin, a.Upstream}, "\x00")
	})
	for _, a := range g.fleet.Alike {
		byPackages(a.Locals, func(l *Local) ([]string, string) { return l.Packages, l.Value })
	}
	byPackages(g.fleet.Failures, func(f *Failure) ([]string, string) { return f.Packages, f.Message })
}

// inserted is a sorted list with a text, which it has once.
func inserted(all []string, text string) []string {
	i, found := slices.BinarySearch(all, text)
	if found {
		return all
	}
	return slices.Insert(all, i, text)
}
