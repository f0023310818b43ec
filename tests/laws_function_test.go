package tests

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

// TestLawFunctionIsMerge checks on drawn files that the function has the result of the merge of directories under each policy, but
// for merge comments and empty lines. Results of a list have the line end "\n" (rules/function).
func TestLawFunctionIsMerge(t *testing.T) {
	compared := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPackage(rt)
		if strings.Contains(p.Origin[lawFile], "\r") || !strings.Contains(p.Origin[lawFile], "kind: ") {
			return
		}
		compared++
		policy := rapid.SampledFrom([]string{"local", "upstream", "union", "newest"}).Draw(rt, "policy")
		list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n" + caselist.Indent(assignment{}.under(policy).config, "  ", "  ") + "items:\n"
		mark := regexp.MustCompile(`(?m)^  name: .*\n`)
		for side, text := range []string{p.Local[lawFile], p.Origin[lawFile], p.Upstream[lawFile]} {
			for _, doc := range caselist.Documents(strings.TrimSuffix(text, "\n") + "\n") {
				if side > 0 {
					doc = mark.ReplaceAllString(doc, "$0  annotations:\n    config.kubernetes.io/merge-source: "+[]string{"", "origin", "upstream"}[side]+"\n")
				}
				list += caselist.Indent(doc, "- ", "  ")
			}
		}
		out, err := command.Function([]byte(list))
		if err != nil {
			rt.Fatal(err, list)
		}
		items, _ := splitOutput(t, out)
		want := mergeOne(rt, policy, p).Result[lawFile]
		if got := strings.Join(caselist.Documents(items), "---\n"); !slices.Equal(contentLines(got), contentLines(want)) {
			rt.Fatalf("under %s the function gives\n%s--- merge gives\n%s%s", policy, got, want, show(p))
		}
	})
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

// contentLines returns the lines of a text without empty ones and without merge comments.
func contentLines(text string) (out []string) {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\n"), " # kpt-merge:")
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}
