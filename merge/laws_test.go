package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// mergeNodes merges three versions under a policy.
func mergeNodes(t *rapid.T, o, u, l *yaml.Node, prefer identity.Side) Outcome {
	kind, group, version := "", "", ""
	for _, n := range []*yaml.Node{u, l, o} {
		if v := fieldOf(n, "apiVersion"); v != nil {
			group, version = identity.Group(v.Value), identity.Version(v.Value)
			kind = fieldOf(n, "kind").Value
			break
		}
	}
	out, err := Resource([3]*yaml.Node{o, u, l}, schema.New(nil, nil, true).Resource(group, version, kind), Prefer(prefer))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func wantSame(t *rapid.T, law string, got Outcome, want *yaml.Node) {
	if !same(got.Node, want) {
		t.Fatalf("%s:\n--- got\n%s--- want\n%s", law, text(t, got.Node), text(t, want))
	}
	if len(got.Conflicts) > 0 {
		t.Fatalf("%s: conflict %s at %s", law, got.Conflicts[0].Kind, got.Conflicts[0].Path)
	}
}

// An upstream that did nothing changes nothing.
func TestLawUpstreamUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrigin(t)
		l := drawEdits(t, o, "local")
		out := mergeNodes(t, o, clone(o), l, upstream)
		wantSame(t, "merge(o,o,l)=l", out, l)
		if out.Node != l {
			t.Fatalf("merge(o,o,l) rebuilt l:\n%s", text(t, l))
		}
	})
}

// A user who changed nothing gets upstream's version.
func TestLawLocalUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrigin(t)
		u := drawEdits(t, o, "upstream")
		wantSame(t, "merge(o,u,o)=u", mergeNodes(t, o, u, clone(o), upstream), u)
	})
}

// Where both made the same change there is nothing to merge.
func TestLawSameChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrigin(t)
		x := drawEdits(t, o, "both")
		wantSame(t, "merge(o,x,x)=x", mergeNodes(t, o, x, clone(x), upstream), x)
	})
}

// Merging the result again changes nothing, under either policy.
func TestLawAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrigin(t)
		u, l := drawEdits(t, o, "upstream"), drawEdits(t, o, "local")
		prefer := rapid.SampledFrom([]identity.Side{upstream, local}).Draw(t, "prefer")
		first := mergeNodes(t, o, u, l, prefer)
		again := mergeNodes(t, o, u, first.Node, prefer)
		if !identical(first.Node, again.Node) {
			t.Fatalf("merged again:\n--- first\n%s--- again\n%s--- upstream\n%s--- local\n%s", text(t, first.Node), text(t, again.Node), text(t, u), text(t, l))
		}
	})
}

// The sides come out of a merge as they went in.
func TestLawInputsUntouched(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrigin(t)
		u, l := drawEdits(t, o, "upstream"), drawEdits(t, o, "local")
		before := text(t, o) + text(t, u) + text(t, l)
		mergeNodes(t, o, u, l, upstream)
		if after := text(t, o) + text(t, u) + text(t, l); after != before {
			t.Fatalf("a side was altered:\n--- before\n%s--- after\n%s", before, after)
		}
	})
}
