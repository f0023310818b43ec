package merge

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// drawMerge draws three versions and merges them.
func drawMerge(t *rapid.T, prefer identity.Side) (versions [3]*yaml.Node, kind schema.Resource, out Outcome) {
	o := drawOrigin(t)
	versions = [3]*yaml.Node{o, drawEdits(t, o, "upstream"), drawEdits(t, o, "local")}
	apiVersion, name := ResultKind(versions)
	kind = schema.New(nil, nil, true).Resource(identity.Group(apiVersion), identity.Version(apiVersion), name)
	out, err := Resource(versions, kind, Prefer(prefer))
	if err != nil {
		t.Fatal(err)
	}
	return versions, kind, out
}

// covered says whether a conflict is at, above or below a path.
func covered(path string, conflicts []Conflict) bool {
	for _, c := range conflicts {
		at := c.Path.String()
		if strings.HasPrefix(path, at) || strings.HasPrefix(at, path) {
			return true
		}
	}
	return false
}

// tree lays versions side by side as the merge does.
func tree(kind schema.Resource, versions [3]*yaml.Node) *element {
	return collator{kind: kind}.collate(nil, kind.Type, [3]*yaml.Node{}, versions)
}

// The results of the two policies differ only at reported paths.
func TestLawPoliciesDifferWhereReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions, kind, up := drawMerge(t, upstream)
		lo, err := Resource(versions, kind, Prefer(local))
		if err != nil {
			t.Fatal(err)
		}
		conflicts := append(up.Conflicts, lo.Conflicts...)
		for _, path := range differences(tree(kind, [3]*yaml.Node{upstream: up.Node, local: lo.Node})) {
			if !covered(path, conflicts) {
				t.Fatalf("the policies differ at %s, which no conflict reports:\n--- upstream\n%s--- local\n%s", path, text(t, up.Node), text(t, lo.Node))
			}
		}
	})
}

// differences lists the paths where upstream's and local's versions differ.
func differences(e *element) []string {
	if e.form == whole || hasLoose(e) {
		if same(e.value[upstream], e.value[local]) {
			return nil
		}
		return []string{e.path.String()}
	}
	var out []string
	for _, c := range e.children {
		out = append(out, differences(c)...)
	}
	return out
}

// A field that local has, and that upstream did not remove, is in the result or
// under a reported conflict; so is one that upstream added.
func TestLawNothingLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions, kind, out := drawMerge(t, upstream)
		there := map[string]bool{}
		paths(tree(kind, [3]*yaml.Node{upstream: out.Node, local: out.Node}), func(e *element) { there[e.path.String()] = true })
		paths(tree(kind, versions), func(e *element) {
			removed := e.has(origin) && (!e.has(upstream) || !e.has(local))
			if path := e.path.String(); !removed && !there[path] && !covered(path, out.Conflicts) {
				t.Fatalf("%s is lost without a word:\n--- result\n%s--- local\n%s--- upstream\n%s", path, text(t, out.Node), text(t, versions[local]), text(t, versions[upstream]))
			}
		})
	})
}

// paths visits the elements that upstream or local has, where keys tell them
// apart, and what is below them.
func paths(e *element, visit func(*element)) {
	visit(e)
	for _, c := range e.children {
		if !c.loose && (c.has(upstream) || c.has(local)) {
			paths(c, visit)
		}
	}
}

// Keys of a list that were unique on every side are unique in the result.
func TestLawKeysStayUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		versions, kind, out := drawMerge(t, upstream)
		unique := map[string]bool{}
		lists(tree(kind, versions), func(e *element) { unique[e.path.String()] = !hasLoose(e) })
		lists(tree(kind, [3]*yaml.Node{upstream: out.Node, local: out.Node}), func(e *element) {
			if path := e.path.String(); unique[path] && hasLoose(e) {
				t.Fatalf("the keys of %s were unique:\n%s", path, text(t, out.Node))
			}
		})
	})
}

// lists visits the keyed lists.
func lists(e *element, visit func(*element)) {
	if e.form == keyed {
		visit(e)
	}
	for _, c := range e.children {
		lists(c, visit)
	}
}

func hasLoose(e *element) bool {
	for _, c := range e.children {
		if c.loose {
			return true
		}
	}
	return false
}
