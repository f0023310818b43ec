package merge

import (
	"fmt"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// law is a property of every merge of three versions (docs/testing.md). check describes a violation, "" if the law
// holds.
type law struct {
	name  string
	check func(versions [3]*yaml.Node) string
}

// laws are the laws about one merge. The laws that compare merges with each other, or a result with its sides, are in
// conservation_test.go.
func laws() []law {
	of := append([]law{
		{"merge(o,o,l)=l", upstreamUnchanged},
		{"merge(o,u,o)=u", localUnchanged},
		{"merge(o,x,x)=x", sameChange},
		{"merged again", mergedAgain},
		{"inputs untouched", inputsUntouched},
		{"decided again", decidedAgain},
		{"comments at most as often", commentsAtMostAsOften},
	}, conservationLaws()...)
	return append(of, law{"equal values as elements", equalAsElements})
}

// TestLaws checks every law on drawn versions: of the templates, and of the kinds of lawKinds along client-go's
// schema. Each kind must occur. -rapid.checks sets the number of versions for each law.
func TestLaws(t *testing.T) {
	kinds := lawKinds(t)
	drawn, total := map[string]int{}, 0
	for number, law := range laws() {
		t.Run(law.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				versions := drawVersions(t, kinds, number)
				drawn[kindOf(versions[origin])[1]]++
				total++
				if broken := law.check(versions); broken != "" {
					least := shrink(versions, law)
					t.Fatalf("%s%s", law.check(least), show(least))
				}
			})
		})
	}
	for _, k := range kinds {
		if drawn[k.Name] == 0 && total > 20*len(kinds) {
			t.Errorf("no %s was drawn", k.Name)
		}
	}
	t.Logf("%d versions of %d kinds: %v", total, len(drawn), drawn)
}

// show formats versions as the files of a case.
func show(versions [3]*yaml.Node) string {
	out := ""
	for _, side := range identity.Sides() {
		out += fmt.Sprintf("\n--- %s\n%s", side, written(versions[side]))
	}
	return out
}

// merges merges three versions under a policy.
func merges(versions [3]*yaml.Node, prefer Preference) Outcome {
	out, err := Resource(versions, kindOfAll(versions), Prefer(prefer))
	if err != nil {
		panic(err)
	}
	return out
}

func kindOfAll(versions [3]*yaml.Node) schema.Resource {
	apiVersion, kind := ResultKind(versions)
	return schema.New(nil, nil, true).Resource(identity.Group(apiVersion), identity.Version(apiVersion), kind)
}

// comesTo returns the difference of an outcome from a version without conflicts, "" for none.
func comesTo(got Outcome, want *yaml.Node) string {
	if typ := kindOfAll([3]*yaml.Node{got.Node, got.Node, want}).Type; !sameOf(typ, got.Node, want) {
		return fmt.Sprintf("--- got\n%s--- want\n%s", written(got.Node), written(want))
	}
	if len(got.Conflicts) > 0 {
		return fmt.Sprintf("conflict %s at %s", got.Conflicts[0].Kind, got.Conflicts[0].Path)
	}
	return ""
}

// An upstream without changes changes nothing: the result is local's very node.
func upstreamUnchanged(v [3]*yaml.Node) string {
	out := merges([3]*yaml.Node{v[origin], clone(v[origin]), v[local]}, PreferUpstream)
	if out.Node != v[local] {
		return fmt.Sprintf("local was rebuilt:\n%s", written(out.Node))
	}
	return comesTo(out, v[local])
}

// collatingAll is ThreeWay for which the parts of equal values are elements, too.
type collatingAll struct{ ThreeWay }

func (r collatingAll) collator(kind schema.Resource, versions *[3]*yaml.Node) (collator, error) {
	c, err := r.ThreeWay.collator(kind, versions)
	c.unequal = nil
	return c, err
}

// The parts of values that all sides have alike need not be collated: the result, its conflicts and its
// remarks are the same.
func equalAsElements(v [3]*yaml.Node) string {
	for _, prefer := range []Preference{PreferUpstream, PreferLocal, PreferUnion} {
		fast := merges(v, prefer)
		slow, err := ResourceBy(collatingAll{}, v, kindOfAll(v), Prefer(prefer))
		if err != nil {
			panic(err)
		}
		if difference := unlike(fast, slow); difference != "" {
			return "without parts, and with parts: " + difference
		}
	}
	return ""
}

// unlike returns the difference between two outcomes, "" for none.
func unlike(a, b Outcome) string {
	if x, y := written(a.Node), written(b.Node); a.Verdict != b.Verdict || x != y {
		return fmt.Sprintf("verdict %d\n%sverdict %d\n%s", a.Verdict, x, b.Verdict, y)
	}
	messages := func(out Outcome) (lines []string) {
		for _, c := range out.Conflicts {
			lines = append(lines, fmt.Sprint(c.Kind, c.Path, c.Part, c.Chosen))
		}
		for _, r := range out.Remarks {
			lines = append(lines, fmt.Sprint(r.Kind, r.Path, r.Chosen))
		}
		return lines
	}
	if x, y := messages(a), messages(b); !slices.Equal(x, y) {
		return fmt.Sprintf("%q, %q", x, y)
	}
	return ""
}

// A policy decides versions that another one has decided before as if they were new, and the first outcome stays as it is.
func decidedAgain(v [3]*yaml.Node) string {
	for _, rules := range []ThreeWay{{}, {RemovalsCollide: true, LocalFirst: true, WholeImages: true}} {
		policies := []Preference{MarkLocal, MarkUpstream, PreferUnion, PreferLocal, PreferUpstream}
		decide := func(c *Collation, prefer Preference) Outcome {
			out, err := c.Decide(Prefer(prefer))
			if err != nil {
				panic(err)
			}
			return out
		}
		collate := func() *Collation {
			c, err := Collate(rules, v, kindOfAll(v))
			if err != nil {
				panic(err)
			}
			return c
		}
		shared := collate()
		outs := make([]Outcome, len(policies))
		for i, prefer := range policies {
			outs[i] = decide(shared, prefer)
		}
		for i, prefer := range policies {
			if difference := unlike(outs[i], decide(collate(), prefer)); difference != "" {
				return fmt.Sprintf("prefer %d, decided after others and alone: %s", prefer, difference)
			}
		}
	}
	return ""
}

// A local without changes gets upstream's version.
func localUnchanged(v [3]*yaml.Node) string {
	return comesTo(merges([3]*yaml.Node{v[origin], v[upstream], clone(v[origin])}, PreferUpstream), v[upstream])
}

// If both sides made the same change, there is nothing to merge.
func sameChange(v [3]*yaml.Node) string {
	return comesTo(merges([3]*yaml.Node{v[origin], v[upstream], clone(v[upstream])}, PreferUpstream), v[upstream])
}

// Merging the result again changes nothing, under any policy: the result is the same node.
func mergedAgain(v [3]*yaml.Node) string {
	for _, prefer := range []Preference{PreferUpstream, PreferLocal, PreferUnion} {
		first := merges(v, prefer).Node
		again := merges([3]*yaml.Node{v[origin], v[upstream], first}, prefer)
		if !identical(first, again.Node) {
			return fmt.Sprintf("prefer %d:\n--- first\n%s--- again\n%s", prefer, written(first), written(again.Node))
		}
	}
	return ""
}

// A merge does not alter the sides.
func inputsUntouched(v [3]*yaml.Node) string {
	before := show(v)
	merges(v, PreferUpstream)
	if after := show(v); after != before {
		return "a side was altered:" + after
	}
	return ""
}

// Without a conflict, a comment in lines of its own occurs no more often than on a side, or than both sides kept and
// added it; a comment that a side removed with its field may stay with the other side's (rules/comments-and-text:
// added text).
func commentsAtMostAsOften(v [3]*yaml.Node) string {
	out := merges(v, PreferUpstream)
	if len(out.Conflicts) > 0 {
		return ""
	}
	o, u, l := commentLines(v[origin]), commentLines(v[upstream]), commentLines(v[local])
	gone := map[string]int{}
	goneWithFields(v[origin], v[upstream], v[local], gone)
	for line, n := range commentLines(out.Node) {
		if most := max(u[line], l[line], u[line]+l[line]-o[line]) + gone[line]; n > most {
			return fmt.Sprintf("%q comes out %d times, want %d at most:\n%s", line, n, most, written(out.Node))
		}
	}
	return ""
}

// goneWithFields counts the lines of origin's comments at fields that a side lacks, and in lists with fewer elements
// on a side.
func goneWithFields(o, u, l *yaml.Node, count map[string]int) {
	if o == nil || u == nil || l == nil || o.Kind != u.Kind || o.Kind != l.Kind {
		return
	}
	if o.Kind == yaml.SequenceNode && len(o.Content) > min(len(u.Content), len(l.Content)) {
		for line, n := range commentLines(o) {
			count[line] += n
		}
		return
	}
	for i := 0; o.Kind == yaml.SequenceNode && i < len(o.Content); i++ {
		goneWithFields(o.Content[i], u.Content[i], l.Content[i], count)
	}
	for i := 0; o.Kind == yaml.MappingNode && i+1 < len(o.Content); i += 2 {
		key, value := o.Content[i], o.Content[i+1]
		inUpstream, inLocal := yamlnode.Field(u, key.Value), yamlnode.Field(l, key.Value)
		if inUpstream != nil && inLocal != nil {
			goneWithFields(value, inUpstream, inLocal, count)
			continue
		}
		for _, n := range [2]*yaml.Node{key, value} {
			for line, n := range commentLines(n) {
				count[line] += n
			}
		}
	}
}
