package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Fleet is one report over the merges of many packages (design 20): which of them have
// conflicts, on which fields, and how often the same. Its texts are as everybody may see
// them.
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
	// Kind is that of design 5, such as both-changed.
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
