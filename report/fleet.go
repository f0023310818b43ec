package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Fleet is one report over the merges of many packages (rules/reports: reports of a
// fleet): which of them have conflicts, on which fields, and how often the same. Its
// texts are as everybody may see them.
type Fleet struct {
	Packages int
	// Conflicts counts those of all packages.
	Conflicts int
	// Conflicting and Failed count the packages with a conflict, and those in which
	// nothing was merged; a package may be both.
	Conflicting, Failed int
	// Alike are the conflicts, those that are the same as one: those of most packages
	// first.
	Alike []*Alike
	// Failures are why nothing was merged, those of most packages first.
	Failures []*Failure
}

// Alike are conflicts that are the same in several packages: of one kind, at one path of
// resources of one kind, with one value of origin and one of upstream.
type Alike struct {
	// Kind is one of rules/conflicts: kinds, such as both-changed.
	Kind string
	// Group and ResourceKind are those of the resources, and Names the resources of all
	// packages, without their namespaces.
	Group, ResourceKind string
	Names               []string
	// Path is the field's, "" for the resource itself.
	Path             string
	Origin, Upstream string
	// Conflicts counts them; a package may have several.
	Conflicts int
	Packages  []string
	// Locals are what the packages have there, that of most packages first.
	Locals []*Local
	// Chosen counts whose version was taken: upstream's, local's, or none yet.
	Chosen Chosen
	// Rule decides all of them otherwise, in one entry of conflicts.rules; nil if none
	// is known that does.
	Rule *FleetRule
}

// Local is one value that packages have where others have another.
type Local struct {
	Value    string
	Packages []string
}

// Chosen counts conflicts by the side whose version was taken. None is where a run
// failed, or the conflict stands in the file, between markers.
type Chosen struct {
	Upstream int `json:"upstream"`
	Local    int `json:"local"`
	None     int `json:"none"`
}

// Failure is why nothing was merged in some packages.
type Failure struct {
	Message  string   `json:"message"`
	Packages []string `json:"packages"`
}

// FleetRule is an entry of conflicts.rules that holds for the resources of all names and
// namespaces.
type FleetRule struct {
	Kind   string `json:"kind"`
	Group  string `json:"group"`
	Path   string `json:"path,omitempty"`
	Prefer string `json:"prefer"`
}

// YAML is the rule as an element of the list conflicts.rules.
func (r FleetRule) YAML() string {
	text := fmt.Sprintf("- {kind: %s, group: %s, ", scalar(r.Kind), scalar(r.Group))
	if r.Path != "" {
		text += "path: " + scalar(r.Path) + ", "
	}
	return text + "prefer: " + r.Prefer + "}\n"
}

// Summary is the fleet in one line.
func (f *Fleet) Summary() string {
	text := wording.Plural(f.Packages, "package") + ": " + fmt.Sprintf("%d without conflicts, %d with conflicts", f.Packages-f.unclean(), f.Conflicting)
	if f.Failed > 0 {
		text += fmt.Sprintf(", %d failed", f.Failed)
	}
	if f.Conflicts == 0 {
		return text
	}
	return text + fmt.Sprintf("; %s, %d different", wording.Plural(f.Conflicts, "conflict"), len(f.Alike))
}

// unclean counts the packages that have a conflict or failed.
func (f *Fleet) unclean() int {
	names := map[string]bool{}
	for _, a := range f.Alike {
		for _, name := range a.Packages {
			names[name] = true
		}
	}
	for _, failure := range f.Failures {
		for _, name := range failure.Packages {
			names[name] = true
		}
	}
	return len(names)
}

// Title says what a group of conflicts is about: the kind of its resources, their name
// if all have one, and the field.
func (a *Alike) Title() string {
	who := a.ResourceKind
	if len(a.Names) == 1 {
		who += " " + a.Names[0]
	}
	return strings.TrimSpace(who + " " + a.Path)
}

// Ended says whose version was taken.
func (a *Alike) Ended() string {
	var parts []string
	for _, side := range [...]struct {
		count int
		said  string
	}{{a.Chosen.Upstream, "upstream's taken"}, {a.Chosen.Local, "local's taken"}, {a.Chosen.None, "not decided"}} {
		switch side.count {
		case 0:
		case a.Conflicts:
			return side.said
		default:
			parts = append(parts, fmt.Sprintf("%s in %d", side.said, side.count))
		}
	}
	return strings.Join(parts, ", ")
}

// byPackages sorts what more packages have before what fewer have, and by a text.
func byPackages[T any](all []T, of func(T) (packages []string, text string)) {
	slices.SortFunc(all, func(a, b T) int {
		packagesA, textA := of(a)
		packagesB, textB := of(b)
		return cmp.Or(len(packagesB)-len(packagesA), cmp.Compare(textA, textB))
	})
}

// FleetFormat writes reports over many packages in one form.
type FleetFormat struct {
	Name  string
	Write func(io.Writer, *Fleet) error
}

// FleetFormats are the formats of reports over many packages (rules/reports: reports of
// a fleet).
func FleetFormats() []FleetFormat {
	return []FleetFormat{{"text", fleetText}, {"markdown", fleetMarkdown}, {"json", fleetJSON}}
}

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
