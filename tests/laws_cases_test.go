package tests

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/tests/caselist"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// isChecked reports whether a run checks the jth assignment of the ith case: one assignment of every sixth case in a quick
// run, three of each case for each 100 checks of -rapid.checks, and all of them from 500 checks on.
func isChecked(i, j int) bool {
	switch n := seed.Checks(); {
	case n >= wholeCases:
		return true
	case n >= 100:
		return (i+j)%(27/(3*n/100)) == 0
	}
	return i%6 == 0 && (i/6+j)%27 == 0
}

// wholeCases is the number of checks from which on every assignment of a case is checked.
const wholeCases = 500

// assignment is a case with its three versions put on the three sides in some
// way: each version may be on several sides or on none.
type assignment struct {
	name   string
	config string
	docs   [3][]string // of origin, upstream and local
	from   [3]int      // which version of the case each side has
	input  bool        // the case is a whole list instead
}

// TestLawCases checks the laws of docs/testing.md on every case of testdata and every
// assignment of its three versions to the three sides, 27 a case, or in a quick run
// few of them, others from case to case. What the laws do not hold for is listed in
// lawExceptions; every exception must occur.
func TestLawCases(t *testing.T) {
	tally := map[string]int{}
	all := cases(t)
	for i, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			for j, a := range assignments(c) {
				if !isChecked(i, j) {
					continue
				}
				tally["assignments"]++
				if reason := exempt(c.Name, a); reason != "" {
					tally[reason]++
					continue
				}
				checkLaws(t, c.Name, a, tally)
			}
		})
	}
	if tally["assignments"] >= 3*len(all) {
		reportLaws(t, tally)
	}
}

// reportLaws logs how often which law was checked and which exception made. One
// that never occurred is an error.
func reportLaws(t *testing.T, tally map[string]int) {
	t.Helper()
	t.Logf("%d assignments", tally["assignments"])
	names := []string{"fails", "merge(o,o,l)=l", "merge(o,u,o)=u", "merge(o,x,x)=x", "merged again", "shuffled", "conservation", "conservation under local", "conservation under union", "fails under fail"}
	for _, e := range lawExceptions() {
		names = append(names, e.name)
	}
	for _, name := range names {
		t.Logf("%6d %s", tally[name], name)
		if tally[name] == 0 {
			t.Errorf("did not occur: %s", name)
		}
	}
}

// assignments are all the ways to put a case's versions on the sides.
func assignments(c caselist.Case) []assignment {
	var versions [3][]string
	for i, side := range []string{"origin", "upstream", "local"} {
		versions[i] = caselist.Documents(string(c.Files[side+".yaml"]))
	}
	config := string(c.Files["config.yaml"])
	whole := c.Files["input.yaml"] != nil
	var out []assignment
	for i := range 27 {
		from := [3]int{i / 9, i / 3 % 3, i % 3}
		a := assignment{config: config, input: whole, from: from, name: fmt.Sprintf("%c%c%c", "oul"[from[0]], "oul"[from[1]], "oul"[from[2]])}
		for side, version := range from {
			a.docs[side] = versions[version]
		}
		out = append(out, a)
	}
	return out
}

// list is the ResourceList of an assignment.
func (a assignment) list(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if a.config != "" {
		b.WriteString("functionConfig:\n" + caselist.Indent(a.config, "  ", "  "))
	}
	b.WriteString("items:\n")
	for _, side := range []int{2, 0, 1} {
		for _, doc := range a.docs[side] {
			if side < 2 {
				doc = annotate(t, doc, []string{"origin", "upstream"}[side])
			}
			b.WriteString(caselist.Indent(doc, "- ", "  "))
		}
	}
	return b.Bytes()
}

// merge runs the function; ok is false if it fails, as it may for versions that
// were not meant to be on these sides.
func (a assignment) merge(t *testing.T) (items []string, results string, ok bool) {
	t.Helper()
	out, err := command.Function(a.list(t))
	text, results := splitOutput(t, out)
	if failed := strings.Contains(results, "severity: error"); failed != (err != nil) {
		t.Errorf("%s: error %v, but results:\n%s", a.name, err, results)
	}
	return caselist.Documents(text), results, err == nil
}

// with is the assignment with other documents on local's side.
func (a assignment) with(local []string) assignment {
	a.docs[2] = local
	return a
}

// checkLaws checks the laws that an assignment is about.
func checkLaws(t *testing.T, name string, a assignment, tally map[string]int) {
	t.Helper()
	items, results, ok := a.merge(t)
	if !ok {
		tally["fails"]++
		if !refused(results) {
			t.Errorf("%s fails:\n%s", a.name, results)
		}
		return
	}
	check := func(law string, applies bool, broken func() string) {
		if !applies {
			return
		}
		tally[law]++
		if text := broken(); text != "" {
			t.Errorf("%s: %s: %s\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s--- results\n%s", a.name, law, text,
				stream(a.docs[0]), stream(a.docs[1]), stream(a.docs[2]), stream(items), results)
		}
	}
	counted := countedOtherwise(name) == "" && unmatched(t, a) == ""
	check("merge(o,o,l)=l", a.from[0] == a.from[1], func() string { return a.unchangedBytes(t, items) })
	check("merge(o,u,o)=u", a.from[0] == a.from[2], func() string { return unequal(t, items, a.docs[1]) })
	check("merge(o,x,x)=x", a.from[1] == a.from[2], func() string { return unequal(t, items, a.docs[1]) })
	check("merged again", true, func() string { return a.mergedAgain(t, items) })
	check("shuffled", true, func() string { return a.shuffled(t, items) })
	check("conservation", counted, func() string { return a.conserved(t, items, results) })
	for _, policy := range []string{"local", "union"} {
		check("conservation under "+policy, a.config == "" && counted, func() string {
			items, results, _ := a.under(policy).merge(t)
			return a.under(policy).conserved(t, items, results)
		})
	}
	check("fails under fail", a.config == "", func() string { return a.failing(t, items, results) })
}

// failing says how the policy fail fails where nothing is in conflict, or does not where
// something is. Without a conflict the result is the same, and else local as it was.
func (a assignment) failing(t *testing.T, items []string, results string) string {
	t.Helper()
	got, said, ok := a.under("fail").merge(t)
	switch told := !strings.Contains(results, "; 0 conflicts"); {
	case ok == told:
		return fmt.Sprintf("with conflicts: %v, it fails: %v\n%s", told, !ok, said)
	case ok && !slices.Equal(got, items):
		return "it is\n" + stream(got)
	case !ok && slices.ContainsFunc(a.docs[2], func(doc string) bool { return !slices.Contains(got, doc) }):
		return "local is not as it was:\n" + stream(got)
	}
	return ""
}

// refused reports whether a merge may fail as it does: the config is wrong, or asks
// to fail on conflicts, or versions that were not meant to be on their sides
// have one identity twice there.
func refused(results string) bool {
	for _, reason := range []string{"functionConfig: ", "nothing merged: ", " occurs twice on the "} {
		if strings.Contains(results, reason) {
			return true
		}
	}
	return false
}

func stream(docs []string) string { return strings.Join(docs, "---\n") }

// unchangedBytes says how the result is not local, byte for byte where no merge
// comment had to be written: where local has another name or namespace than upstream.
func (a assignment) unchangedBytes(t *testing.T, items []string) string {
	t.Helper()
	for i, item := range items {
		if i < len(a.docs[2]) && item == a.docs[2][i] {
			continue
		}
		meta := identity.ReadMeta(content(t, item))
		c, err := identity.ParseComment(meta.Comment)
		if i >= len(a.docs[2]) || commented(content(t, a.docs[2][i])) || err != nil || c.Name == meta.Name && c.Namespace == meta.Namespace {
			return "the bytes are not local's"
		}
	}
	return unequal(t, items, a.docs[2])
}

// mergedAgain merges the result once more with the same origin and upstream.
func (a assignment) mergedAgain(t *testing.T, items []string) string {
	t.Helper()
	again, _, ok := a.with(items).merge(t)
	if !ok || !slices.Equal(again, items) {
		return "merged again it is\n" + stream(again)
	}
	return ""
}

// shuffled merges the items of all sides in reverse order.
func (a assignment) shuffled(t *testing.T, items []string) string {
	t.Helper()
	for side := range a.docs {
		a.docs[side] = slices.Clone(a.docs[side])
		slices.Reverse(a.docs[side])
	}
	reversed, _, ok := a.merge(t)
	if !ok {
		return "reversed, it fails"
	}
	if text := unequal(t, reversed, items); text != "" {
		return "reversed, " + text
	}
	return ""
}
