package identity

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entries reads "name", "name@path" and "name#comment@path", all of one kind; a name * stands for generateName.
func entries(specs ...string) []Entry {
	var out []Entry
	for _, spec := range specs {
		rest, path, _ := strings.Cut(spec, "@")
		name, comment, _ := strings.Cut(rest, "#")
		e := Entry{Meta: Meta{APIVersion: "v1", Kind: "ConfigMap", Name: name}, Path: path, Package: "."}
		if dir, _, found := strings.Cut(path, "/"); found {
			e.Package = dir
		}
		if comment != "" {
			e.Comment = "# kpt-merge: /" + comment
		}
		if name == "*" {
			e.Naming = ByGenerateName
		}
		out = append(out, e)
	}
	return out
}

func TestMatch(t *testing.T) {
	tests := []struct {
		name                    string
		origin, upstream, local []Entry
		want                    string // indices of origin/upstream/local, in order
	}{
		{"by name", entries("a", "b"), entries("b", "a"), entries("a", "b"), "0/1/0 1/0/1"},
		{"renamed locally", entries("a"), entries("a"), entries("x#a"), "0/0/0"},
		{"only on one side each", entries("a"), entries("b"), entries("c"), "-/-/0 -/0/- 0/-/-"},
		{
			"a copied file brings the comment along",
			entries("a@a.yaml"), entries("a@a.yaml"), entries("b#a@b.yaml", "a#a@a.yaml"), "-/-/0 0/0/1",
		}, {
			"several renamed: the one at the same path",
			entries("a@a.yaml"), entries("a@a.yaml"), entries("x#a@b.yaml", "y#a@a.yaml"), "-/-/0 0/0/1",
		}, {
			"one ID in two packages",
			entries("a@p/a.yaml", "a@q/a.yaml"), entries("a@q/a.yaml", "a@p/a.yaml"), entries("a@p/a.yaml", "a@q/a.yaml"),
			"0/1/0 1/0/1",
		}, {
			"moved within its package",
			entries("a@p/a.yaml", "a@q/a.yaml"), entries("a@p/b.yaml", "a@q/a.yaml"), entries("a@p/a.yaml", "a@q/c.yaml"),
			"0/0/0 1/1/1",
		}, {
			"exactly one left on each side",
			entries("a@p/a.yaml", "a@q/a.yaml"), entries("a@p/a.yaml", "a@q/a.yaml"), entries("a@p/a.yaml", "a@r/a.yaml"),
			"0/0/0 1/1/1",
		}, {
			"two that are only local are just local",
			nil, entries("b"), entries("a@a.yaml", "a@b.yaml"), "-/-/0 -/-/1 -/0/-",
		}, {
			"without a name by their order",
			entries("*@j.yaml", "*@j.yaml"), entries("*@j.yaml", "*@j.yaml"), entries("*@j.yaml", "*@j.yaml"),
			"0/0/0 1/1/1",
		}, {
			"a subpackage added upstream has its own",
			entries("a@p/a.yaml"), entries("a@p/a.yaml", "a@q/a.yaml"), entries("a@p/a.yaml"), "0/0/0 -/1/-",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := Match([3][]Entry{tt.origin, tt.upstream, tt.local}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			triples := matches.Triples
			var got []string
			for _, triple := range triples {
				got = append(got, strings.ReplaceAll(fmt.Sprintf("%d/%d/%d", triple.At[0], triple.At[1], triple.At[2]), "-1", "-"))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// One ID twice in one file of upstream's or origin's cannot be merged.
func TestMatchTwice(t *testing.T) {
	twice := entries("b@a.yaml", "a@a.yaml", "c@a.yaml", "a@a.yaml")
	const want = "ConfigMap a occurs twice on the %s side, as item 2 and item 4 of a.yaml, and they cannot be told apart: "
	tests := []struct {
		name                    string
		origin, upstream, local []Entry
		want                    string
	}{
		{"upstream", entries("a@a.yaml"), twice, entries("a@a.yaml"), "upstream"},
		{"origin", twice, entries("a@a.yaml"), entries("a@a.yaml"), "origin"},
		{"added upstream", nil, twice, nil, "upstream"},
		{"all", twice, twice, twice, "upstream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Match([3][]Entry{tt.origin, tt.upstream, tt.local}, Options{})
			if want := fmt.Sprintf(want, tt.want); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

// Entries that nothing distinguishes on local's side stay apart.
func TestMatchAmbiguous(t *testing.T) {
	one, two := entries("a@a.yaml"), entries("a@a.yaml", "a@a.yaml")
	tests := []struct {
		name                    string
		origin, upstream, local []Entry
		want                    int // of the triples
	}{
		{"two in one file, one upstream", one, one, two, 3},
		{"two in one file, new upstream", nil, one, two, 3},
		{"neither copy at upstream's path", one, one, entries("x#a@b.yaml", "y#a@c.yaml"), 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := Match([3][]Entry{tt.origin, tt.upstream, tt.local}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			last := matches.Triples[len(matches.Triples)-1]
			if len(matches.Triples) != tt.want || !last.Ambiguous || last.Has(Local) {
				t.Errorf("got %+v", matches.Triples)
			}
		})
	}
}

// Matching takes one pass, however many entries share an ID.
func TestMatchManyOfOneID(t *testing.T) {
	var side []Entry
	for i := range 20_000 {
		side = append(side, entries(fmt.Sprintf("a@p%d/a.yaml", i))...)
	}
	done := make(chan int)
	go func() {
		matches, err := Match([3][]Entry{side, side, side}, Options{})
		if err != nil {
			t.Error(err)
		}
		done <- len(matches.Triples)
	}()
	select {
	case n := <-done:
		if n != len(side) {
			t.Errorf("%d triples, want %d", n, len(side))
		}
	case <-time.After(time.Minute):
		t.Fatal("still matching after a minute")
	}
}

// A triple without local finds it by the identifier that kpt wrote; one without another side finds that in the group
// to which the kind moved.
func TestMatchLater(t *testing.T) {
	item := func(apiVersion, kind, namespace, name, identifier string) Entry {
		return Entry{Meta: Meta{APIVersion: apiVersion, Kind: kind, Namespace: namespace, Name: name}, Identifier: identifier}
	}
	upstream := []Entry{item("apps/v1", "Deployment", "", "web", "")}
	tests := []struct {
		name  string
		local Entry
		want  [3]int
	}{
		{"default stands for any namespace", item("apps/v1", "Deployment", "shop", "shop-web", "apps|Deployment|default|web"), [3]int{-1, 0, 0}},
		{"so does ~C", item("apps/v1", "Deployment", "shop", "shop-web", "apps|Deployment|~C|web"), [3]int{-1, 0, 0}},
		{"another namespace does not", item("apps/v1", "Deployment", "shop", "shop-web", "apps|Deployment|prod|web"), [3]int{-1, -1, 0}},
		{"another kind does not", item("apps/v1", "Deployment", "shop", "shop-web", "apps|DaemonSet|default|web"), [3]int{-1, -1, 0}},
		{"nor what is no identifier", item("apps/v1", "Deployment", "shop", "shop-web", "web"), [3]int{-1, -1, 0}},
		{"a migrated group", item("extensions/v1beta1", "Deployment", "", "web", ""), [3]int{-1, 0, 0}},
		{"a group that is no migration", item("example.com/v1", "Deployment", "", "web", ""), [3]int{-1, -1, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := Match([3][]Entry{Upstream: upstream, Local: {tt.local}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if triples := matches.Triples; triples[0].At != tt.want {
				t.Errorf("got %v, want %v", triples[0].At, tt.want)
			}
		})
	}
}

// TestMatchRegrouped: two resources of one kind, name and file in two groups are one if they are alike.
func TestMatchRegrouped(t *testing.T) {
	item := func(group, kind, path string) Entry {
		return Entry{Meta: Meta{APIVersion: group + "/v1", Kind: kind, Name: "shop"}, Path: path}
	}
	origin, upstream, local := item("old.example.com", "Route", "a.yaml"), item("new.example.com", "Route", "a.yaml"), item("old.example.com", "Route", "a.yaml")
	for _, tt := range []struct {
		name     string
		sides    [3][]Entry
		likeness float64
		want     int // triples
	}{
		{"alike", [3][]Entry{{origin}, {upstream}, {local}}, 0.5, 1},
		{"not alike", [3][]Entry{{origin}, {upstream}, {local}}, 0.4, 2},
		{"regrouped by local", [3][]Entry{{origin}, {local}, {upstream}}, 0.5, 1},
		{"regrouped by both", [3][]Entry{{origin}, {upstream}, {upstream}}, 0.5, 1},
		{"in another file", [3][]Entry{{origin}, {item("new.example.com", "Route", "b.yaml")}, {local}}, 1, 2},
		{"of another kind", [3][]Entry{{origin}, {item("new.example.com", "Gateway", "a.yaml")}, {local}}, 1, 2},
		{"both groups upstream", [3][]Entry{{origin}, {origin, upstream}, {local}}, 1, 2},
		{"in no known file", [3][]Entry{{item("old.example.com", "Route", "")}, {item("new.example.com", "Route", "")}, {item("old.example.com", "Route", "")}}, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := Match(tt.sides, Options{Likeness: func(EntryIndex, EntryIndex) float64 { return tt.likeness }})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(matches.Triples); got != tt.want {
				t.Errorf("%d resources, want %d: %v", got, tt.want, matches.Triples)
			}
		})
	}
}

// TestMigratedGroup is the table of rules/identity: by migrated group.
func TestMigratedGroup(t *testing.T) {
	for _, tt := range []struct{ group, kind, want string }{
		{"extensions", "Deployment", "apps"},
		{"extensions", "DaemonSet", "apps"},
		{"extensions", "ReplicaSet", "apps"},
		{"extensions", "Ingress", "networking.k8s.io"},
		{"extensions", "NetworkPolicy", "networking.k8s.io"},
		{"extensions", "PodSecurityPolicy", "policy"},
		{"extensions", "Scale", "extensions"},
		{"apps", "Deployment", "apps"},
		{"example.com", "Ingress", "example.com"},
	} {
		if got := migratedGroup(tt.group, tt.kind); got != tt.want {
			t.Errorf("%s %s is in %s, want %s", tt.group, tt.kind, got, tt.want)
		}
	}
}

// Resources of origin's that local has in another namespace, by name or by a merge comment, are evidence of the
// replaced namespace.
func TestMoves(t *testing.T) {
	in := func(namespace string, all []Entry) []Entry {
		for i := range all {
			all[i].Namespace = namespace
		}
		return all
	}
	namespace := func(name, comment string) Entry {
		e := Entry{Meta: Meta{APIVersion: "v1", Kind: "Namespace", Name: name}, Path: "n.yaml", ClusterScoped: true}
		if comment != "" {
			e.Comment = "# kpt-merge: /" + comment
		}
		return e
	}
	role := entries("role@r.yaml")
	role[0].ClusterScoped = true
	origin := slices.Concat(in("shop", entries("a@a.yaml", "b@b.yaml", "c@c.yaml")), in("shop", role))
	tests := []struct {
		name          string
		origin, local []Entry
		want          []Move
		whole         bool
	}{
		{"nothing moved", origin, origin, nil, false},
		{"all", origin, in("edge", entries("a@a.yaml", "b@b.yaml", "c@c.yaml")), []Move{{From: "shop", To: "edge", Moved: 3}}, true},
		{
			"but for one", origin, slices.Concat(in("edge", entries("a@x.yaml", "b@x.yaml")), in("shop", entries("c@c.yaml"))),
			[]Move{{From: "shop", To: "edge", Moved: 2, Others: 1, inhabited: true}}, false,
		}, {
			"but for one of local's own", origin, slices.Concat(in("edge", entries("a@x.yaml", "b@x.yaml", "c@x.yaml")), in("shop", entries("d@d.yaml"))),
			[]Move{{From: "shop", To: "edge", Moved: 3, inhabited: true}}, false,
		}, {
			"to two", origin, slices.Concat(in("edge", entries("a@a.yaml")), in("west", entries("b@b.yaml"))),
			[]Move{{From: "shop", To: "edge", Moved: 1, Others: 1}, {From: "shop", To: "west", Moved: 1, Others: 1}}, false,
		}, {
			"with its Namespace", append(slices.Clone(origin), namespace("shop", "")),
			append(in("edge", entries("a@a.yaml")), namespace("edge", "")),
			[]Move{{From: "shop", To: "edge", Moved: 1, object: true}}, true,
		}, {
			"the Namespace alone, by its comment", []Entry{namespace("shop", "")}, []Entry{namespace("edge", "shop")},
			[]Move{{From: "shop", To: "edge", object: true}}, true,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			same := func(_, _ EntryIndex) float64 { return 1 }
			matches, err := Match([3][]Entry{tt.origin, tt.origin, tt.local}, Options{Likeness: same, Content: func(Side, int) int { return 9 }})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, matches.Moves, cmp.AllowUnexported(Move{})); diff != "" {
				t.Errorf("moves (-want +got):\n%s", diff)
			}
			if len(matches.Moves) > 0 && matches.Moves[0].isWhole() != tt.whole {
				t.Errorf("wholly replaced: %v", !tt.whole)
			}
		})
	}
}
