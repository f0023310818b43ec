package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Local moved all resources to another namespace: upstream's additions follow, with their references, and upstream's
// removals stand. Another namespace, or a change beside the move, is found.
func TestFollow(t *testing.T) {
	binding := func(name, namespace, subject string) string {
		return fmt.Sprintf("kind: RoleBinding\nmetadata: {name: %s, namespace: %s}\nsubjects: [{name: s, namespace: %s}]\n", name, namespace, subject)
	}
	added := strings.Replace(binding("more", "up", "up"), ", namespace: up}]", "}]", 1) // its subject has no namespace
	files := func(docs ...string) string { return strings.Join(docs, "---\n") }
	before, after := files(binding("a", "up", "up"), binding("b", "up", "up"), binding("c", "up", "up")), files(binding("a", "up", "up"), binding("b", "up", "up"), binding("new", "up", "up"), added)
	fork := files(binding("a", "own", "own"), binding("b", "own", "own"), binding("c", "own", "own"))
	kept := files(binding("a", "own", "own"), binding("b", "own", "own"), binding("more", "own", "own"))
	for _, test := range []struct {
		name, result string
		want         []kindOf
	}{
		{"all follows", files(kept, binding("new", "own", "own")), nil},
		{"a reference does not", files(kept, binding("new", "own", "up")), nil},
		{"nothing is added", kept, []kindOf{upstreamLost}},
		{"the addition is in a namespace of nobody", files(kept, binding("new", "other", "other")), []kindOf{upstreamLost, madeUp}},
		{"the addition has another subject", files(kept, binding("new", "own", "other")), []kindOf{upstreamLost}},
		{"the removed one stays", files(kept, binding("c", "own", "own"), binding("new", "own", "own")), []kindOf{upstreamLost}},
		{"a reference goes back", files(binding("a", "own", "up"), binding("b", "own", "own"), binding("more", "own", "own"), binding("new", "own", "own")), []kindOf{localLost}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var sides [4][]*resource
			for side, text := range []string{before, after, fork, test.result} {
				found, err := readFile("a.yaml", text)
				if err != nil {
					t.Fatal(err)
				}
				sides[side] = found
			}
			for i, r := range sides[local] {
				r.origin = sides[origin][i]
			}
			quads := match(sides)
			var kinds []kindOf
			for _, q := range quads {
				for _, f := range q.compare(nil, movesOf(quads)).findings {
					kinds = append(kinds, f.kind)
				}
			}
			if !slices.Equal(kinds, test.want) {
				t.Errorf("got %q, want %q", kinds, test.want)
			}
		})
	}
}

// Two of upstream's resources with one identity are two in local's namespace, too, and no third one.
func TestDoubledFollows(t *testing.T) {
	in := func(namespace string) *resource {
		return &resource{id: id{kind: "Role", namespace: namespace, name: "r"}, value: map[string]any{}}
	}
	added := func() *quad { return &quad{versions: [4]*resource{upstream: in("up"), result: in("own")}} }
	m := moves{"up": "own"}
	if found := doubled([]*quad{added(), added()}, m); len(found) > 0 {
		t.Errorf("got %v", found)
	}
	if found := doubled([]*quad{added(), added(), {versions: [4]*resource{result: in("own")}}}, m); len(found) != 3 {
		t.Errorf("got %v, want a finding for each", found)
	}
}
