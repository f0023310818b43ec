package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Fleet is one report over the merges of many packages (rules/reports: reports of a fleet): which
// of them have conflicts, on which fields, and how often the same. Its texts are safe to show.
type Fleet struct {
	// packages counts the packages, clean the ones without a conflict, conflicting the ones with
	// one, and failed the ones that were not merged; a package may be both of the last.
	packages, clean, conflicting, failed int
	// conflicts counts the conflicts of all packages.
	conflicts int
	// groups are the conflicts, equal ones in one group, and failures the reasons why packages were
	// not merged, both sorted by the number of packages, largest first.
	groups   []*conflictGroup
	failures []*failure
}

// conflictGroup is a set of equal conflicts of several packages: of one kind, at one path of
// resources of one kind, with one value of origin and one of upstream.
type conflictGroup struct {
	Kind     string `json:"kind"`
	Resource struct {
		Group string `json:"group"`
		Kind  string `json:"kind"`
		// Names are the names of the resources of all packages, without namespaces.
		Names []string `json:"names"`
	} `json:"resource"`
	Path     string `json:"path"`
	Origin   string `json:"origin"`
	Upstream string `json:"upstream"`
	// Locals are the packages' own values, sorted by the number of packages, largest first.
	Locals []*localValue `json:"local"`
	// Chosen counts the conflicts by the side that was taken; None counts the conflicts of failed
	// runs and the ones between markers.
	Chosen struct {
		Upstream int `json:"upstream"`
		Local    int `json:"local"`
		None     int `json:"none"`
	} `json:"chosen"`
	// Count counts the conflicts; a package may have several.
	Count    int      `json:"count"`
	Packages []string `json:"packages"`
	// Rule decides all of them the other way; nil if no rule is known to.
	Rule *fleetRule `json:"rule"`
}

// localValue is one value that some of the packages have.
type localValue struct {
	Value    string   `json:"value"`
	Packages []string `json:"packages"`
}

// failure is the reason why some packages were not merged.
type failure struct {
	Message  string   `json:"message"`
	Packages []string `json:"packages"`
}

// fleetRule is an entry of conflicts.rules for the resources of all names and namespaces.
type fleetRule struct {
	Kind   string `json:"kind"`
	Group  string `json:"group"`
	Path   string `json:"path,omitempty"`
	Prefer string `json:"prefer"`
}

// yaml returns the rule as an element of the list conflicts.rules.
func (r fleetRule) yaml() string {
	text := fmt.Sprintf("- {kind: %s, group: %s, ", quoteScalar(r.Kind), quoteScalar(r.Group))
	if r.Path != "" {
		text += "path: " + quoteScalar(r.Path) + ", "
	}
	return text + "prefer: " + r.Prefer + "}\n"
}

// Formats returns the formats of the report (rules/reports: reports of a fleet). They write the fleet
// and ignore the report of a merge, which may be nil.
func (f *Fleet) Formats() []Format {
	return []Format{{"text", f.writeText}, {"markdown", f.writeMarkdown}, {"json", f.writeJSON}, {"html", f.writeHTML}}
}

// IsClean reports whether all packages were merged, without a conflict.
func (f *Fleet) IsClean() bool { return f.clean == f.packages }

// summary returns the fleet in one line.
func (f *Fleet) summary() string {
	text := fmt.Sprintf("%s: %d without conflicts, %d with conflicts", wording.Plural(f.packages, "package"), f.clean, f.conflicting)
	if f.failed > 0 {
		text += fmt.Sprintf(", %d failed", f.failed)
		if both := f.clean + f.conflicting + f.failed - f.packages; both > 0 {
			text += fmt.Sprintf(", %d of these with conflicts", both)
		}
	}
	if f.conflicts > 0 {
		text += fmt.Sprintf("; %s, %d different", wording.Plural(f.conflicts, "conflict"), len(f.groups))
	}
	return text
}

// name returns the kind of the resources, and their name if all have the same.
func (g *conflictGroup) name() string {
	if len(g.Resource.Names) == 1 {
		return g.Resource.Kind + " " + g.Resource.Names[0]
	}
	return g.Resource.Kind
}

func (g *conflictGroup) title() string { return strings.TrimSpace(g.name() + " " + g.Path) }

// outcome tells which version was taken.
func (g *conflictGroup) outcome() string {
	var parts []string
	for _, side := range [...]struct {
		count int
		text  string
	}{{g.Chosen.Upstream, "upstream's taken"}, {g.Chosen.Local, "yours taken"}, {g.Chosen.None, "not decided"}} {
		switch side.count {
		case 0:
		case g.Count:
			return side.text
		default:
			parts = append(parts, fmt.Sprintf("%s in %d", side.text, side.count))
		}
	}
	return strings.Join(parts, ", ")
}

// Run is the merge of one package, as its report describes it.
type Run struct {
	name      string // of the package
	conflicts []runConflict
	failure   string // why the package was not merged, "" if it was
}

// runConflict is a conflict in any format of report.
type runConflict struct {
	kind, group, resourceKind, name, path string
	origin, upstream, local, chosen       string
	// prefer is the side that a rule must prefer to decide the conflict the other way, "" if unknown.
	prefer string
}

// NewFleet combines many runs into one report. Several runs of one package all count.
func NewFleet(runs []Run) *Fleet {
	f := &Fleet{groups: []*conflictGroup{}, failures: []*failure{}}
	groups, failures := map[string]*conflictGroup{}, map[string]*failure{}
	packages, conflicting, failed := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, r := range runs {
		packages[r.name] = true
		for _, c := range r.conflicts {
			conflicting[r.name] = true
			f.add(groups, r.name, c.visible())
		}
		if r.failure != "" {
			failed[r.name] = true
			f.addFailure(failures, r.name, r.failure)
		}
	}
	f.packages, f.conflicting, f.failed = len(packages), len(conflicting), len(failed)
	maps.Copy(failed, conflicting)
	f.clean = f.packages - len(failed)
	for _, g := range f.groups {
		g.shorten()
	}
	f.sort()
	return f
}

func (f *Fleet) add(groups map[string]*conflictGroup, name string, c runConflict) {
	key := strings.Join([]string{c.kind, c.group, c.resourceKind, c.path, c.origin, c.upstream}, "\x00")
	g := groups[key]
	if g == nil {
		g = &conflictGroup{Kind: c.kind, Path: c.path, Origin: c.origin, Upstream: c.upstream}
		g.Resource.Group, g.Resource.Kind, g.Resource.Names = c.group, c.resourceKind, []string{}
		if c.prefer != "" {
			g.Rule = &fleetRule{Kind: c.resourceKind, Group: c.group, Path: c.path, Prefer: c.prefer}
		}
		groups[key], f.groups = g, append(f.groups, g)
	}
	f.conflicts++
	g.add(name, c)
}

// visible returns the conflict with invisible characters escaped and values cut.
func (c runConflict) visible() runConflict {
	for _, text := range []*string{&c.kind, &c.group, &c.resourceKind, &c.name, &c.path, &c.chosen} {
		*text = visible(*text)
	}
	for _, value := range []*string{&c.origin, &c.upstream, &c.local} {
		*value = visible(wording.CutMiddle(*value, maxShown))
	}
	return c
}

// add adds a conflict of a package. The rule stays only if it fits all conflicts.
func (g *conflictGroup) add(name string, c runConflict) {
	g.Count++
	g.Packages = insertSorted(g.Packages, name)
	if c.name != "" {
		g.Resource.Names = insertSorted(g.Resource.Names, c.name)
	}
	if g.Rule != nil && g.Rule.Prefer != c.prefer {
		g.Rule = nil
	}
	switch c.chosen {
	case "upstream":
		g.Chosen.Upstream++
	case "local":
		g.Chosen.Local++
	default:
		g.Chosen.None++
	}
	i := slices.IndexFunc(g.Locals, func(l *localValue) bool { return l.Value == c.local })
	if i < 0 {
		i = len(g.Locals)
		g.Locals = append(g.Locals, &localValue{Value: c.local})
	}
	g.Locals[i].Packages = insertSorted(g.Locals[i].Packages, name)
}

// shorten leaves out the start and the end that all values of a group have in common if two different ones, cut in
// their middle, would look alike.
func (g *conflictGroup) shorten() {
	values := []*string{&g.Origin, &g.Upstream}
	for _, l := range g.Locals {
		values = append(values, &l.Value)
	}
	values = slices.DeleteFunc(values, func(value *string) bool { return *value == absent || *value == hidden })
	start, end := 0, 0
	if lookAlike(values) {
		start, end = commonEnds(values)
	}
	for _, value := range values {
		text := (*value)[start : len(*value)-end]
		if start > 0 {
			text = wording.Ellipsis + text
		}
		if end > 0 {
			text += wording.Ellipsis
		}
		*value = wording.CutMiddle(text, maxValue)
	}
}

// lookAlike reports whether two different values are the same once they are cut.
func lookAlike(values []*string) bool {
	whole := map[string]string{}
	for _, value := range values {
		cut := wording.CutMiddle(*value, maxFleetValue)
		if other, found := whole[cut]; found && other != *value {
			return true
		}
		whole[cut] = *value
	}
	return false
}

// maxCommon is the longest text, in bytes, that stays before and after the part in which values differ.
const maxCommon = 24

// commonEnds returns how much texts have in common at their start and at their end, but for the words beside the
// rest.
func commonEnds(texts []*string) (start, end int) {
	if len(texts) == 0 {
		return 0, 0
	}
	first, shortest := *texts[0], len(*texts[0])
	start, end = shortest, shortest
	for _, text := range texts {
		shortest = min(shortest, len(*text))
		start, end = commonHead(first[:start], *text), commonTail(first[len(first)-end:], *text)
	}
	start, end = max(0, start-maxCommon), max(0, end-maxCommon)
	if blank := strings.IndexByte(first[start:min(len(first), start+maxCommon)], ' '); start > 0 && blank >= 0 {
		start += blank + 1
	}
	start = wording.RuneStart(first, start)
	at := wording.RuneAfter(first, len(first)-min(end, shortest-start))
	return start, len(first) - at
}

func commonHead(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonTail(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// addFailure adds a package that failed.
func (f *Fleet) addFailure(failures map[string]*failure, name, reason string) {
	if failures[reason] == nil {
		failures[reason] = &failure{Message: reason}
		f.failures = append(f.failures, failures[reason])
	}
	failures[reason].Packages = insertSorted(failures[reason].Packages, name)
}

// sort sorts groups, values and failures.
func (f *Fleet) sort() {
	sortByPackages(f.groups, func(g *conflictGroup) ([]string, string) {
		return g.Packages, strings.Join([]string{g.Resource.Kind, g.Path, g.Kind, g.Resource.Group, g.Origin, g.Upstream}, "\x00")
	})
	for _, g := range f.groups {
		sortByPackages(g.Locals, func(l *localValue) ([]string, string) { return l.Packages, l.Value })
	}
	sortByPackages(f.failures, func(f *failure) ([]string, string) { return f.Packages, f.Message })
}

// sortByPackages sorts by the number of packages, largest first, then by text.
func sortByPackages[T any](all []T, of func(T) (packages []string, text string)) {
	slices.SortFunc(all, func(a, b T) int {
		packagesA, textA := of(a)
		packagesB, textB := of(b)
		return cmp.Or(len(packagesB)-len(packagesA), cmp.Compare(textA, textB))
	})
}

// insertSorted inserts a text into a sorted list, unless the list has it.
func insertSorted(all []string, text string) []string {
	i, found := slices.BinarySearch(all, text)
	if found {
		return all
	}
	return slices.Insert(all, i, text)
}
