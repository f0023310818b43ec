package tests

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawWays checks on every case of testdata, and assignments of its versions to the sides,
// that whatever the way out, a change that one side made is in the result, lies between
// markers, or is named in a conflict, and that nothing is in the result that no side has.
func TestLawWays(t *testing.T) {
	tally := map[string]int{}
	for i, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			for j, a := range assignments(c) {
				if !isChecked(i, j) {
					continue
				}
				if reason := waysExempt(t, c.Name, a); reason != "" {
					tally[reason]++
					continue
				}
				for _, way := range ways.Names() {
					if reason := driverExempt(c.Name); way == ways.Driver && reason != "" {
						tally[reason]++
						continue
					}
					tally[a.checkWay(t, way)]++
				}
			}
		})
	}
	for _, way := range slices.Sorted(maps.Keys(tally)) {
		t.Logf("%6d %s", tally[way], way)
	}
	for _, way := range append(ways.Names(), "driver by lines") {
		if tally[way] == 0 {
			t.Errorf("did not occur: %s", way)
		}
	}
}

// driverExempt names why the driver's merge of a case is not checked, "" if it is.
func driverExempt(name string) string {
	switch {
	case strings.HasSuffix(name, "without-keys-moved-and-replaced"):
		return "driver: an accepted gap: one side moved an element that the other replaced"
	case name == "keyed-lists/rekeyed-several-alike-are-not" || strings.HasPrefix(name, "laws/map-renamed-"):
		return "driver: git's lines follow an element or entry to its new name, and the checker knows the old one (rules/git: lost changes)"
	}
	return ""
}

// waysExempt names why an assignment is not merged as files; "" if it is.
func waysExempt(t *testing.T, name string, a assignment) string {
	if a.config != "" || a.input {
		return "a config, or a whole list as input"
	}
	if reason := countedOtherwise(name); reason != "" {
		return reason
	}
	if name == "comments/uncommented-below-an-empty-field" && newNull(a) {
		return "a null that deletes a field takes the comments at it along (rules/fields: null)"
	}
	if strings.Contains(name, "bad-input") || strings.Contains(name, "known") {
		return "bad input, and accepted gaps"
	}
	if reason := unmatched(t, a); reason == "a merge comment that is not the only one to tell" || reason == "matched by more than kind and name" {
		return reason
	}
	if reason := exempt(name, a); strings.HasPrefix(reason, "a line comment of upstream's") {
		return reason
	}
	text := stream(slices.Concat(a.docs[:]...))
	for _, word := range []string{"internal.config.kubernetes.io", "config.kubernetes.io/path", "upstream-identifier", "kind: Kptfile", "cli-utils.sigs.k8s.io/inventory-id"} {
		if strings.Contains(text, word) {
			return "has " + word
		}
	}
	return ""
}

// countedOtherwise names why the checker, which counts values at their paths, does not apply to a case; "" if it does.
func countedOtherwise(name string) string {
	switch name {
	case "keyed-lists/rekeyed-container-renamed-by-upstream-deleted-by-local", "laws/own-mount-like-a-deleted-one":
		return "an element with another key alone stays beside its deletion, with an info (rules/laws: merging again)"
	case "keyed-lists/container-like-one-that-upstream-deleted":
		return "an element that is equal but for its key to a deleted one stays (rules/laws: merging again)"
	case "duplicates/port-default-written-makes-it-twice", "duplicates/unkeyed-elements-changed-by-both":
		return "a key that a side has twice, or an element that lacks it (rules/lists: duplicate keys)"
	case "comments/local-ones-in-the-block-of-a-deleted-field":
		return "the block of a field that goes: the checkers' parser gives it to the field below"
	case "adopt/subject-that-upstream-changed":
		return "subjects that follow a resource to another namespace: the checkers know one name (rules/fields: references that follow)"
	case "identity/renamed-copies-renamed-upstream":
		return "copies and resources with other names on all sides: the checkers know one name (rules/identity: renamed copies)"
	case "fields/yaml-list-in-a-string":
		return "the checkers know no keys of a list in a text; TestLawTextIsAFile does (rules/fields: YAML in a string)"
	case "laws/data-renamed-by-both":
		return "a conflict is named under one of two new names (rules/laws: every policy names)"
	}
	return ""
}

func (a assignment) files(side int) map[string]string {
	if len(a.docs[side]) == 0 {
		return nil
	}
	return map[string]string{"a.yaml": stream(a.docs[side])}
}

// pkg is an assignment as a package of files.
func (a assignment) pkg() mergecheck.Package {
	return mergecheck.Package{Origin: a.files(0), Upstream: a.files(1), Local: a.files(2)}
}

// isRenamed reports whether upstream and local each have a resource whose kind, namespace and name the other side lacks.
func (a assignment) isRenamed(t *testing.T) bool {
	t.Helper()
	var names [3]map[string]bool
	for side, docs := range a.docs {
		names[side] = map[string]bool{}
		for _, doc := range docs {
			names[side][whoIs(uncommented(content(t, doc)))] = true
		}
	}
	lacks := func(one, other map[string]bool) bool {
		for who := range one {
			if !other[who] {
				return true
			}
		}
		return false
	}
	return lacks(names[1], names[2]) && lacks(names[2], names[1])
}

// checkWay checks the law on one way out, and returns the outcome.
func (a assignment) checkWay(t *testing.T, way string) string {
	t.Helper()
	all, err := ways.Merge(t.Context(), way, a.pkg())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		return "driver: a side lacks the file"
	}
	for _, m := range all {
		if m.Unchecked != "" {
			return m.Unchecked
		}
		objections := m.Objections()
		if len(objections) > 0 && maps.Equal(m.Result, m.Local) && a.isRenamed(t) {
			return "nothing happened, so that no merge comment records which resource is which"
		}
		if len(objections) > 0 {
			t.Errorf("%s under %s:\n%s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s--- told\n%v", a.name, way, strings.Join(objections, "\n"),
				m.Origin["a.yaml"], m.Upstream["a.yaml"], m.Local["a.yaml"], m.Result["a.yaml"], m.Told)
		}
		if m.ByLines {
			way = "driver by lines"
		}
	}
	return way
}
