package pkgmerge

import (
	"context"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge"
)

// collision returns packages of one ConfigMap, whose field a both sides changed.
func collision(t *testing.T) (packages [3]Package) {
	t.Helper()
	for side, a := range [3]string{"1", "2", "3"} {
		text := "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: shop}, data: {a: '" + a + "'}}"
		packages[side].Resources = []*Resource{resource(t, "a.yaml", text)}
	}
	return packages
}

func pattern(t *testing.T, text string) merge.Pattern {
	t.Helper()
	p, err := merge.ParsePattern(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The first rule that matches resource and path decides a conflict, else the general preference (rules/conflicts:
// rules).
func TestRules(t *testing.T) {
	core, apps, shop, none := "", "apps", "shop", ""
	path := func(text string) merge.Pattern { return pattern(t, text) }
	tests := []struct {
		name  string
		rules []Rule
		want  string
	}{
		{"no rule", nil, "2"},
		{"no selector", []Rule{{Prefer: merge.PreferLocal}}, "3"},
		{"the kind", []Rule{{Kind: "ConfigMap", Prefer: merge.PreferLocal}}, "3"},
		{"another kind", []Rule{{Kind: "Secret", Prefer: merge.PreferLocal}}, "2"},
		{"the core group", []Rule{{Group: &core, Prefer: merge.PreferLocal}}, "3"},
		{"another group", []Rule{{Group: &apps, Prefer: merge.PreferLocal}}, "2"},
		{"a glob", []Rule{{Name: "set*", Prefer: merge.PreferLocal}}, "3"},
		{"another name", []Rule{{Name: "web", Prefer: merge.PreferLocal}}, "2"},
		{"the namespace", []Rule{{Namespace: &shop, Prefer: merge.PreferLocal}}, "3"},
		{"no namespace", []Rule{{Namespace: &none, Prefer: merge.PreferLocal}}, "2"},
		{"the path", []Rule{{Path: path("data.a"), Prefer: merge.PreferLocal}}, "3"},
		{"a path above", []Rule{{Path: path("data"), Prefer: merge.PreferLocal}}, "3"},
		{"another path", []Rule{{Path: path("data.b"), Prefer: merge.PreferLocal}}, "2"},
		{"the first of two", []Rule{{Path: path("data.a"), Prefer: merge.PreferUpstream}, {Prefer: merge.PreferLocal}}, "2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			result, err := Merge(context.Background(), collision(t), Options{Policy: Rules{Rules: tt.rules, Default: merge.PreferUpstream}})
			if err != nil {
				t.Fatal(err)
			}
			tree, err := result.Changes[0].Result.Tree()
			if err != nil {
				t.Fatal(err)
			}
			data := tree.Content[len(tree.Content)-1]
			if got := data.Content[1].Value; got != tt.want || len(result.Changes[0].Conflicts) != 1 {
				t.Errorf("got %s, want %s; conflicts %v", got, tt.want, result.Changes[0].Conflicts)
			}
		})
	}
}

// TestPreferenceIsAskedInConflicts merges changes of one list. Only the last of them collide: until
// then the preference decides nothing, and markers need no second merge.
func TestPreferenceIsAskedInConflicts(t *testing.T) {
	service := func(ports ...string) Package {
		text := "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - {name: web, port: 80}\n"
		return Package{Resources: []*Resource{resource(t, "a.yaml", text+strings.Join(ports, ""))}}
	}
	deployment := func(image, replicas, args, script string) Package {
		text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: " + replicas +
			"\n  template:\n    spec:\n      containers:\n      - name: web\n        image: " + image + "\n        args: " + args +
			"\n        command:\n        - |\n          set -e\n          " + strings.ReplaceAll(script, " ", "\n          ") + "\n          exit\n"
		return Package{Resources: []*Resource{resource(t, "a.yaml", text)}}
	}
	old := deployment("web:1", "1", "[a, b, c]", "x y z")
	one, two := "  - {name: one, port: 1}\n", "  - {name: two, port: 2}\n"
	other := "  - {name: one, port: 3}\n"
	tests := []struct {
		name                    string
		origin, upstream, local Package
		want                    bool
	}{
		{"one side adds an element", service(), service(two), service(), false},
		{"each side adds an element", service(), service(two), service(one), false},
		{"both add an element otherwise", service(), service(one), service(other), true},
		{"each side changes a field", old, deployment("web:2", "1", "[a, b, c]", "x y z"), deployment("web:1", "2", "[a, b, c]", "x y z"), false},
		{"each side changes a part of an image", old, deployment("web:2", "1", "[a, b, c]", "x y z"), deployment("mirror/web:1", "1", "[a, b, c]", "x y z"), false},
		{"each side changes an element of a list", old, deployment("web:1", "1", "[u, b, c]", "x y z"), deployment("web:1", "1", "[a, b, l]", "x y z"), false},
		{"each side changes a line of a string", old, deployment("web:1", "1", "[a, b, c]", "u y z"), deployment("web:1", "1", "[a, b, c]", "x y l"), false},
		{"both change an image otherwise", old, deployment("web:2", "1", "[a, b, c]", "x y z"), deployment("web:3", "1", "[a, b, c]", "x y z"), true},
	}
	for _, tt := range tests {
		ours, theirs, err := MergeMarked(t.Context(), [3]Package{tt.origin, tt.upstream, tt.local}, Options{}, Rules{})
		if err != nil {
			t.Fatal(err)
		}
		if asked := ours != theirs; asked != tt.want {
			t.Errorf("%s: asked is %v", tt.name, asked)
		}
	}
}
