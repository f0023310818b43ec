package merge

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestLawPermissions: the rules of a role are a set of whole values (rules/lists: permissions). Unless both sides changed a rule, each to
// others, the result has what both have and what one of them added, and nothing else, under every policy, and a
// second merge changes nothing.
func TestLawPermissions(t *testing.T) {
	rulesOf := func(n *yaml.Node) map[string]bool {
		out := map[string]bool{}
		for _, rule := range yamlnode.Elements(yamlnode.Field(n, "rules")) {
			out[canonical(rule)] = true
		}
		return out
	}
	rapid.Check(t, func(t *rapid.T) {
		var trees [3]*yaml.Node
		for side := range trees {
			names := rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 1, 5, rapid.ID[int]).Draw(t, identity.Side(side).String())
			var rules []string
			for _, name := range names {
				rules = append(rules, fmt.Sprintf("{apiGroups: [apps], resources: [r%d], verbs: [get]}", name))
			}
			trees[side] = roleOf(t, rules)
		}
		o, u, l := rulesOf(trees[origin]), rulesOf(trees[upstream]), rulesOf(trees[local])
		want, bothChanged := map[string]bool{}, false
		for rule := range o {
			bothChanged = bothChanged || !u[rule] && !l[rule]
			want[rule] = u[rule] && l[rule]
		}
		ownU, ownL := false, false
		for _, own := range [2]map[string]bool{u, l} {
			for rule := range own {
				want[rule] = want[rule] || !o[rule]
			}
		}
		for rule := range want {
			ownU, ownL = ownU || !o[rule] && u[rule] && !l[rule], ownL || !o[rule] && l[rule] && !u[rule]
		}
		if bothChanged && ownU && ownL {
			t.Skip("both sides changed a rule")
		}
		for _, prefer := range []Preference{MarkLocal, PreferUpstream, PreferLocal, PreferUnion, PreferFail} {
			merged := trees
			for _, run := range [2]string{"first", "second"} {
				result, conflicts := mergedRole(t, merged, prefer)
				got := rulesOf(result)
				for rule, wanted := range want {
					if got[rule] != wanted || len(conflicts) > 0 {
						t.Fatalf("%s run: %s is in the result: %t, want %t; conflicts %v", run, rule, got[rule], wanted, conflicts)
					}
				}
				merged[local] = result
			}
		}
	})
}

// TestLawPermissionsInPlace: rules that one side changed each, and no rule both, stay in their places.
func TestLawPermissionsInPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rules [3][]string
		var want []string
		for i := range rapid.IntRange(1, 6).Draw(t, "rules") {
			by := rapid.IntRange(0, 2).Draw(t, "changed by")
			for side := range rules {
				verb := "get"
				if by > 0 && side == by {
					verb = "list"
				}
				rules[side] = append(rules[side], fmt.Sprintf("{apiGroups: [apps], resources: [r%d], verbs: [%s]}", i, verb))
			}
			want = append(want, rules[by][i])
		}
		var trees [3]*yaml.Node
		for side, all := range rules {
			trees[side] = roleOf(t, all)
		}
		wanted := yamlnode.Field(roleOf(t, want), "rules")
		for _, prefer := range []Preference{MarkLocal, PreferUpstream, PreferLocal, PreferUnion, PreferFail} {
			result, _ := mergedRole(t, trees, prefer)
			if got := yamlnode.Field(result, "rules"); canonical(got) != canonical(wanted) {
				t.Fatalf("got %s\nwant %s", canonical(got), canonical(wanted))
			}
		}
	})
}

// roleOf returns a ClusterRole with rules.
func roleOf(t *rapid.T, rules []string) *yaml.Node {
	var document yaml.Node
	text := "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules: [" + strings.Join(rules, ", ") + "]\n"
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	return document.Content[0]
}

// mergedRole merges versions of a ClusterRole under a policy.
func mergedRole(t *rapid.T, versions [3]*yaml.Node, prefer Preference) (result *yaml.Node, conflicts []Conflict) {
	kind := schema.New(nil, nil, true).Resource("rbac.authorization.k8s.io", "v1", "ClusterRole")
	out, err := Resource(versions, kind, Prefer(prefer))
	switch {
	case err != nil:
		t.Fatal(err)
	case out.Node != nil:
		result = out.Node
	case out.Verdict == TakeUpstream:
		result = versions[upstream]
	default:
		result = versions[local]
	}
	return result, out.Conflicts
}
