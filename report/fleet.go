package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Fleet is one report over the merges of many packages (rules/reports: reports of a fleet): which
// of them have conflicts, on which fields, and how often the same. Its texts are safe to show.
type Fleet struct {
	Packages int
	// Conflicts counts the conflicts of all packages.
	Conflicts int
	// Conflicting and Failed count the packages with a conflict, and those that were not merged; a
	// package may be both.
	Conflicting, Failed int
	// Groups are the conflicts, equal ones in one group, sorted by the number of packages, largest
	// first.
	Groups []*ConflictGroup
	// Failures are the reasons why packages were not merged, sorted alike.
	Failures []*Failure
}

// ConflictGroup is a set of equal conflicts of several packages: of one kind, at one path of
// resources of one kind, with one value of origin and one of upstream.
type ConflictGroup struct {
	// Kind is a kind of rules/conflicts: kinds, such as both-changed.
	Kind string
	// Group and ResourceKind are those of the resources; Names are the names of the resources of
	// all packages, without namespaces.
	Group, ResourceKind string
	Names               []string
	// Path is the field's, "" for the resource itself.
	Path             string
	Origin, Upstream string
	// Conflicts counts the conflicts; a package may have several.
	Conflicts int
	Packages  []string
	// Locals are the packages' own values, sorted by the number of packages, largest first.
	Locals []*LocalValue
	// Chosen counts the conflicts by the side that was taken.
	Chosen Chosen
	// Rule decides all of them the other way, in one entry of conflicts.rules; nil if no rule is
	// known to.
	Rule *FleetRule
}

// LocalValue is one value that some of the packages have.
type LocalValue struct {
	Value    string
	Packages []string
}

// Chosen counts conflicts by the side that was taken. None counts those of failed runs and those
// that stand between markers.
type Chosen struct {
	Upstream int `json:"upstream"`
	Local    int `json:"local"`
	None     int `json:"none"`
}

// Failure is the reason why some packages were not merged.
type Failure struct {
	Message  string   `json:"message"`
	Packages []string `json:"packages"`
}

// FleetRule is an entry of conflicts.rules for the resources of all names and namespaces.
type FleetRule struct {
	Kind   string `json:"kind"`
	Group  string `json:"group"`
	Path   string `json:"path,omitempty"`
	Prefer string `json:"prefer"`
}

// YAML returns the rule as an element of the list conflicts.rules.
func (r FleetRule) YAML() string {
	text := fmt.Sprintf("- {kind: %s, group: %s, ", quoteScalar(r.Kind), quoteScalar(r.Group))
	if r.Path != "" {
		text += "path: " + quoteScalar(r.Path) + ", "
	}
	return text + "prefer: " + r.Prefer + "}\n"
}

// Summary returns the fleet in one line.
func (f *Fleet) Summary() string {
	text := wording.Plural(f.Packages, "package") + ": " + fmt.Sprintf("%d without conflicts, %d with conflicts", f.Packages-f.countUnclean(), f.Conflicting)
	if f.Failed > 0 {
		text += fmt.Sprintf(", %d failed", f.Failed)
	}
	if f.Conflicts == 0 {
		return text
	}
	return text + fmt.Sprintf("; %s, %d different", wording.Plural(f.Conflicts, "conflict"), len(f.Groups))
}

// countUnclean counts the packages that have a conflict or failed.
func (f *Fleet) countUnclean() int {
	names := map[string]bool{}
	for _, a := range f.Groups {
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

// Title returns the kind of the resources, their name if all have the same, and the field.
func (a *ConflictGroup) Title() string {
	name := a.ResourceKind
	if len(a.Names) == 1 {
		name += " " + a.Names[0]
	}
	return strings.TrimSpace(name + " " + a.Path)
}

// Outcome tells which version was taken.
func (a *ConflictGroup) Outcome() string {
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

// sortByPackages sorts by the number of packages, largest first, then by text.
func sortByPackages[T any](all []T, of func(T) (packages []string, text string)) {
	slices.SortFunc(all, func(a, b T) int {
		packagesA, textA := of(a)
		packagesB, textB := of(b)
		return cmp.Or(len(packagesB)-len(packagesA), cmp.Compare(textA, textB))
	})
}

// FleetFormat writes fleet reports in one format.
type FleetFormat struct {
	Name  string
	Write func(io.Writer, *Fleet) error
}

// FleetFormats returns the formats of fleet reports (rules/reports: reports of a fleet).
func FleetFormats() []FleetFormat {
	return []FleetFormat{{"text", fleetText}, {"markdown", fleetMarkdown}, {"json", fleetJSON}}
}

// Run is the merge of one package, as its report describes it.
type Run struct {
	Package   string
	conflicts []runConflict
	// failure is the reason why the package was not merged, "" if it was.
	failure string
}

// runConflict is a conflict in any format of report.
type runConflict struct {
	kind, group, resourceKind, name, path string
	origin, upstream, local, chosen       string
	// prefer is the side that a rule must prefer to decide the conflict the other way, "" if
	// unknown.
	prefer string
}

// FailedRun returns the run of a package without a readable report.
func FailedRun(name, reason string) Run {
	return Run{Package: visible(name), failure: visibleMessage(reason)}
}

// NewFleet combines many runs into one report. Several runs of one package all count.
func NewFleet(runs []Run) *Fleet {
	g := grouping{groups: map[string]*ConflictGroup{}, failures: map[string]*Failure{}}
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
			g.addFailure(r.Package, r.failure)
		}
	}
	g.sort()
	g.fleet.Packages, g.fleet.Conflicting, g.fleet.Failed = len(packages), len(conflicting), len(failed)
	return &g.fleet
}

// grouping groups equal conflicts and failures.
type grouping struct {
	fleet    Fleet
	groups   map[string]*ConflictGroup
	failures map[string]*Failure
}

// add adds a conflict of a package to its group.
func (g *grouping) add(name string, c runConflict) {
	c = c.visible()
	key := strings.Join([]string{c.kind, c.group, c.resourceKind, c.path, c.origin, c.upstream}, "\x00")
	a := g.groups[key]
	if a == nil {
		a = &ConflictGroup{Kind: c.kind, Group: c.group, ResourceKind: c.resourceKind, Path: c.path, Origin: c.origin, Upstream: c.upstream}
		if c.prefer != "" {
			a.Rule = &FleetRule{Kind: c.resourceKind, Group: c.group, Path: c.path, Prefer: c.prefer}
		}
		g.groups[key] = a
		g.fleet.Groups = append(g.fleet.Groups, a)
	}
	g.fleet.Conflicts++
	a.add(name, c)
}

// visible returns the conflict with invisible characters escaped and values cut.
func (c runConflict) visible() runConflict {
	for _, text := range []*string{&c.kind, &c.group, &c.resourceKind, &c.name, &c.path, &c.chosen} {
		*text = visible(*text)
	}
	for _, value := range []*string{&c.origin, &c.upstream, &c.local} {
		*value = visible(wording.CutMiddle(*value, maxValue))
	}
	return c
}

// add adds a conflict of a package. The rule stays only if it fits all conflicts.
func (a *ConflictGroup) add(name string, c runConflict) {
	a.Conflicts++
	a.Packages = insertSorted(a.Packages, name)
	if c.name != "" {
		a.Names = insertSorted(a.Names, c.name)
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
	i := slices.IndexFunc(a.Locals, func(l *LocalValue) bool { return l.Value == c.local })
	if i < 0 {
		i = len(a.Locals)
		a.Locals = append(a.Locals, &LocalValue{Value: c.local})
	}
	a.Locals[i].Packages = insertSorted(a.Locals[i].Packages, name)
}

// addFailure adds a package that failed.
func (g *grouping) addFailure(name, reason string) {
	f := g.failures[reason]
	if f == nil {
		f = &Failure{Message: reason}
		g.failures[reason] = f
		g.fleet.Failures = append(g.fleet.Failures, f)
	}
	f.Packages = insertSorted(f.Packages, name)
}

// sort sorts groups, values and failures by the number of packages, largest first.
func (g *grouping) sort() {
	sortByPackages(g.fleet.Groups, func(a *ConflictGroup) ([]string, string) {
		return a.Packages, strings.Join([]string{a.ResourceKind, a.Path, a.Kind, a.Group, a.Origin, a.Upstream}, "\x00")
	})
	for _, a := range g.fleet.Groups {
		sortByPackages(a.Locals, func(l *LocalValue) ([]string, string) { return l.Packages, l.Value })
	}
	sortByPackages(g.fleet.Failures, func(f *Failure) ([]string, string) { return f.Packages, f.Message })
}

// insertSorted inserts a text into a sorted list, unless the list has it.
func insertSorted(all []string, text string) []string {
	i, found := slices.BinarySearch(all, text)
	if found {
		return all
	}
	return slices.Insert(all, i, text)
}
