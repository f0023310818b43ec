package report_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// TestRulesDecideOtherwise gives the rule of each conflict of each case to the merge,
// which then takes the other side's version; and the rule that a conflict without
// one would have, which then changes nothing. The sides of a case take turns.
func TestRulesDecideOtherwise(t *testing.T) {
	t.Parallel()
	decided, idle := 0, 0
	turns := [6][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}
	for i, c := range cases(t) {
		for _, turn := range [2][3]int{turns[i%6], turns[(i+1+i/6%5)%6]} {
			turned := c
			turned.packages = [3]pkgmerge.Package{c.packages[turn[0]], c.packages[turn[1]], c.packages[turn[2]]}
			before := merged(t, turned)
			if before == nil {
				continue
			}
			for _, r := range before.Resources {
				for _, conflict := range r.Conflicts {
					if conflict.Rule == nil {
						idle++
						continue
					}
					decided++
					checkRule(t, turned, r, conflict)
				}
			}
		}
	}
	t.Logf("%d rules decide otherwise, for %d conflicts there is none", decided, idle)
	if decided < 100/caseStep() || idle < 10/caseStep() {
		t.Error("the cases have too few conflicts")
	}
}

// checkRule merges a case with the rule of a conflict in front of its own.
func checkRule(t *testing.T, c testCase, r *report.Resource, conflict *report.Conflict) {
	t.Helper()
	c.config = withRule(t, c.config, conflict.Rule.YAML())
	after := merged(t, c)
	if after == nil {
		t.Errorf("%s: with the rule the merge fails:\n%s", c.Name, conflict.Rule.YAML())
		return
	}
	path := conflict.Path
	again := conflictAt(after, r, conflict.Kind, path)
	if at := strings.LastIndexByte(path, '.'); again == nil && at > 0 { // the fields of an image, which the same rules decide now
		again = conflictAt(after, r, conflict.Kind, path[:at])
	}
	switch {
	case again == nil:
		t.Errorf("%s: the rule leaves no conflict: %s", c.Name, conflict.Message)
	case again.Chosen != conflict.Rule.Prefer && !after.Summary.Failed:
		t.Errorf("%s: %s took %s's still, with\n%s", c.Name, again.Message, again.Chosen, conflict.Rule.YAML())
	}
}

// conflictAt returns the conflict of a kind at a path of a resource, nil if there is none.
func conflictAt(in *report.Report, r *report.Resource, kind, path string) *report.Conflict {
	for _, it := range in.Resources {
		for _, c := range it.Conflicts {
			if it.Subject == r.Subject && it.File == r.File && c.Path == path && c.Kind == kind {
				return c
			}
		}
	}
	return nil
}

// withRule is a config with one rule more, which is asked first.
func withRule(t *testing.T, cfg *yaml.Node, rule string) *yaml.Node {
	t.Helper()
	var list yaml.Node
	if err := yaml.Unmarshal([]byte(rule), &list); err != nil {
		t.Fatalf("%v in\n%s", err, rule)
	}
	conflicts := yamlnode.Field(cfg, "conflicts")
	if conflicts == nil {
		conflicts = yamlnode.EmptyMap()
	}
	rules := list.Content[0]
	rules.Content = append(rules.Content, yamlnode.Elements(yamlnode.Field(conflicts, "rules"))...)
	return yamlnode.Put(cfg, nil, "conflicts", yamlnode.Put(conflicts, nil, "rules", rules))
}

// merged is the report of a case, nil if its versions cannot be merged.
func merged(t *testing.T, c testCase) *report.Report {
	t.Helper()
	settings, err := command.ReadSettings(c.config)
	if err != nil {
		return nil
	}
	o, err := settings.Options(c.packages[identity.Local])
	if err != nil {
		return nil
	}
	result, err := pkgmerge.Merge(context.Background(), c.packages, o)
	if err != nil {
		return nil
	}
	r, err := report.New(result, report.Options{Warnings: settings.Idle(result)})
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
	checkWithoutRules(t, c.Name, result, r)
	return r
}

// checkWithoutRules builds the report without rules, which must be the same but for them, and the
// summary alone.
func checkWithoutRules(t *testing.T, name string, result *pkgmerge.Result, with *report.Report) {
	t.Helper()
	without, err := report.New(result, report.Options{NoRules: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if report.Summarize(result) != with.Summary {
		t.Errorf("%s: the summary alone is another one", name)
	}
	for i, r := range without.Resources {
		for j, conflict := range r.Conflicts {
			want := *with.Resources[i].Conflicts[j]
			if want.Rule = nil; !reflect.DeepEqual(*conflict, want) {
				t.Errorf("%s: without rules the report has %v, with them %v", name, *conflict, want)
			}
		}
	}
}
