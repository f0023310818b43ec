package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/tests/mergecheck"
)

// TestLawNeverWorseThanGit: where git has a conflict and the driver none, each change of either side is in the result, and where the
// driver leaves conflicts, each is in it or between the markers. Where git merges without a conflict and rightly, the driver has
// git's result (rules/laws: never worse than git's merge). The files have several documents, which the sides rename, move, change
// and delete; each is merged with the sides swapped, too.
func TestLawNeverWorseThanGit(t *testing.T) {
	tally := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := drawMerge(t)
		if same, known := m.numbers(); known && len(m.ours.documents) > 0 && len(m.theirs.documents) > 0 {
			m.check(t, same, tally)
			m.ours, m.theirs = m.theirs, m.ours
			m.check(t, same, tally)
		}
	})
	for _, outcome := range []string{"git true, driver true", "git true, driver false", "git false, driver false"} {
		if tally[outcome] == 0 {
			t.Errorf("no merge with conflicts %s: the law says nothing", outcome)
		}
	}
}

// check merges the versions by git and by the driver.
func (m drawnMerge) check(t *rapid.T, same map[string]string, tally map[string]int) {
	v := command.FileVersions{Path: "a.yaml"}
	v.Texts = [3][]byte{command.Ours: []byte(m.ours.String()), command.Base: []byte(m.base.String()), command.Theirs: []byte(m.theirs.String())}
	f := command.MarkerFormat{Style: command.MergeStyle, Labels: [3]string{"ours", "base", "theirs"}}
	lines, conflicts, err := command.MergeLines(t.Context(), v, f)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := command.MergeFile(t.Context(), v, f)
	if err != nil {
		t.Fatal(err)
	}
	file := func(text []byte) map[string]string { return map[string]string{"a.yaml": string(text)} }
	objections := func(result []byte) []string {
		return mergecheck.CheckPackage(mergecheck.Package{
			Origin: file(v.Texts[command.Base]), Upstream: file(v.Texts[command.Theirs]), Local: file(v.Texts[command.Ours]), Result: file(result),
			Marks: true, Git: true, Ordered: true, Same: same, Schema: schema.New(nil, nil, true),
		})
	}
	fail := func(text string) {
		t.Fatalf("%s\n--- base\n%s--- ours\n%s--- theirs\n%s--- git\n%s--- driver\n%s", text, v.Texts[command.Base], v.Texts[command.Ours], v.Texts[command.Theirs], lines, merged.Text)
	}
	tally[fmt.Sprintf("git %t, driver %t", conflicts > 0, merged.Conflicts > 0)]++
	switch {
	case conflicts == 0 && !bytes.Equal(merged.Text, lines) && len(objections(lines)) == 0:
		fail("git is right, and the driver has another result")
	case conflicts > 0 && merged.Method != command.ByLines:
		if lost := objections(merged.Text); len(lost) > 0 {
			fail(strings.Join(lost, "\n"))
		}
	}
}
