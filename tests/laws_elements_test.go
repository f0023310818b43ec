package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/mergecheck"
	"github.com/resource-merge/resource-merge/tests/mergecheck/ways"
)

// TestLawEveryPolicyNames checks on drawn lists and maps, whose elements the sides remove, rename, change, copy and add,
// that each collision that is marked is named under every policy, too (rules/laws: every policy names), and that one side
// of all markers never loses an element that all versions have alike.
func TestLawEveryPolicyNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, kept := drawElements(t, allOperations())
		marked := mergeOne(t, ways.Mark, p)
		for _, way := range ways.All() {
			m := mergeOne(t, way, p)
			for _, told := range marked.Told {
				if way == ways.Driver || told.Conflict == "" {
					continue
				}
				isNamed := slices.ContainsFunc(m.Told, func(named mergecheck.Told) bool {
					return (named.Conflict != "" || way == "union") && // united lists are told in an info
						(strings.HasPrefix(named.Path, told.Path) || strings.HasPrefix(told.Path, named.Path))
				})
				if !isNamed {
					t.Fatalf("%s is in conflict, and under %s it is not named: %+v\n%s", told.Path, way, m.Told, show(m.Package))
				}
			}
			for _, key := range kept {
				for _, side := range []string{oneSide(m.Result[lawFile], false), oneSide(m.Result[lawFile], true)} {
					if !strings.Contains(side, key+"-kept") {
						t.Fatalf("%s: a side of the markers lacks %s, which all have\n%s", way, key, show(m.Package))
					}
				}
			}
		}
	})
}

// TestLawMergedAgain checks on the same that merging a result again changes nothing, and asks nothing that the first merge
// did not ask (rules/laws: merging again).
func TestLawMergedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawElements(t, allOperations())
		for _, way := range []string{"upstream", "local", "union", ways.Mark, ways.Newest} {
			first := mergeOne(t, way, p)
			if first.Marks && first.Conflicts > 0 {
				continue
			}
			again := p
			again.Local = first.Result
			second := mergeOne(t, way, again)
			if second.Result[lawFile] != first.Result[lawFile] || conflicts(first) == 0 && conflicts(second) > 0 {
				t.Fatalf("under %s the second merge has %d conflicts, %+v\n--- first\n%s--- second\n%s%s",
					way, conflicts(second), second.Told, first.Result[lawFile], second.Result[lawFile], show(p))
			}
		}
	})
}

// TestLawSidesAlike checks on the same that git's driver has the same places in conflict with ours and theirs swapped, and
// so has merge (rules/laws: sides are alike), but for an element of local's that may be a copy of one that upstream deleted.
func TestLawSidesAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		way := rapid.SampledFrom([]string{ways.Driver, ways.Mark}).Draw(t, "way")
		operations := allOperations()
		if way == ways.Mark {
			operations = slices.DeleteFunc(operations, func(op string) bool { return op == "rename" || op == "copy" })
		}
		p, _ := drawElements(t, operations)
		swapped := p
		swapped.Upstream, swapped.Local = p.Local, p.Upstream
		one, other := mergeOne(t, way, p), mergeOne(t, way, swapped)
		if (one.Unchecked == ways.LeftToGit || other.Unchecked == ways.LeftToGit) && one.Conflicts > 0 && other.Conflicts > 0 {
			return // the places are those of git's lines
		}
		if a, b := collisions(one, false), collisions(other, true); !slices.Equal(a, b) {
			t.Fatalf("the conflicts are\n%q, and with the sides swapped\n%q\n--- result\n%s--- swapped\n%s%s", a, b, one.Result[lawFile], other.Result[lawFile], show(p))
		}
	})
}

const lawFile = "a.yaml"

// mergeOne merges the file of a package.
func mergeOne(t *rapid.T, way string, p mergecheck.Package) ways.Merged {
	all, err := ways.Merge(t.Context(), way, p)
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %v, %d files\n%s", way, err, len(all), show(p))
	}
	return all[0]
}

func conflicts(m ways.Merged) (n int) {
	for _, told := range m.Told {
		if told.Conflict != "" {
			n++
		}
	}
	return n
}

func show(p mergecheck.Package) string {
	return fmt.Sprintf("--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", p.Origin[lawFile], p.Upstream[lawFile], p.Local[lawFile], p.Result[lawFile])
}

// oneSide is a text with ours of each marker, or theirs.
func oneSide(text string, theirs bool) string {
	var b strings.Builder
	eachRegion(text, func(region int, line string) {
		if region == 0 || region < 3 && (region == 2) == theirs {
			b.WriteString(line)
		}
	})
	return b.String()
}

// eachRegion calls a function with each line of a text, and the region: 0 outside of markers, 1 in ours, 2 in theirs, 3 in the base.
func eachRegion(text string, f func(region int, line string)) {
	region := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<<"):
			region = 1
		case strings.HasPrefix(line, "|||||||") && region == 1:
			region = 3
		case strings.HasPrefix(line, "=======") && region%2 == 1:
			region = 2
		case strings.HasPrefix(line, ">>>>>>>"):
			region = 0
		default:
			f(region, line)
		}
	}
}

// collisions are the lines that one side of the markers of a file has more often than the other one, with that side, sorted:
// the lines that both have belong to no collision.
func collisions(m ways.Merged, swapped bool) (out []string) {
	counts := map[string]int{}
	eachRegion(m.Result[lawFile], func(region int, line string) {
		switch {
		case region == 0:
		case (region == 1) != swapped:
			counts[line]++
		default:
			counts[line]--
		}
	})
	for line, n := range counts {
		if n != 0 {
			out = append(out, fmt.Sprint(n, " ", line))
		}
	}
	slices.Sort(out)
	return out
}

// lawElement is an entry of a list or map: its key, and the words of its content.
type lawElement struct {
	key   string
	words []string
}

// allOperations are the ways in which a side treats an element.
func allOperations() []string {
	return []string{"keep", "keep", "keep", "remove", "change", "rename", "rename and change", "copy", "add"}
}

// drawElements draws three versions of a list or map. kept are the keys of the elements that all versions have alike.
func drawElements(t *rapid.T, operations []string) (p mergecheck.Package, kept []string) {
	const count = 4
	var origin []lawElement
	for i := range count {
		words := [count][]string{{"oak", "beech", "willow"}, {"tin", "copper", "silver"}, {"adagio", "vivace", "presto"}, {"noun", "verb", "clause"}}[i]
		key := []string{"tree", "metal", "tempo", "grammar"}[i]
		origin = append(origin, lawElement{key, append(words, key+"-kept")})
	}
	upstream, changedByUpstream := drawEdits(t, origin, "u", operations)
	local, changedByLocal := drawEdits(t, origin, "l", operations)
	for _, e := range origin {
		if !changedByUpstream[e.key] && !changedByLocal[e.key] {
			kept = append(kept, e.key)
		}
	}
	form := rapid.SampledFrom([]func([]lawElement) any{asContainers, asVolumes, asEnv, asData, asSteps}).Draw(t, "form")
	file := func(elements []lawElement) map[string]string {
		text, err := yaml.Marshal(form(elements))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{lawFile: string(text)}
	}
	p.Origin, p.Upstream, p.Local = file(origin), file(upstream), file(local)
	return p, kept
}

// drawEdits draws the elements of a side. changed has the keys of the ones that it removed or changed.
func drawEdits(t *rapid.T, origin []lawElement, side string, operations []string) (out []lawElement, changed map[string]bool) {
	changed = map[string]bool{}
	edited := func(words []string) []string {
		words = slices.Clone(words)
		words[rapid.IntRange(0, 2).Draw(t, "word")] = "edited-by-" + side
		return words
	}
	for _, e := range origin {
		op := rapid.SampledFrom(operations).Draw(t, "op")
		changed[e.key] = op != "keep" && op != "copy" && op != "add"
		switch op {
		case "remove":
			continue
		case "change":
			e.words = edited(e.words)
		case "rename":
			e.key += "x" + side
		case "rename and change":
			e = lawElement{e.key + "x" + side, edited(e.words)}
		}
		out = append(out, e)
		switch op {
		case "copy":
			out = append(out, lawElement{"copy-" + side + "-" + e.key, e.words})
		case "add":
			key := fmt.Sprint(side, "-own-", len(out))
			out = append(out, lawElement{key, []string{side + key + "1", side + key + "2", side + key + "3", side + key + "4"}})
		}
	}
	return out, changed
}

func asPod(field string, value any) any {
	spec := map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main:1"}}, field: value}
	return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": "x"}, "spec": spec}
}

func asContainers(elements []lawElement) any {
	var list []any
	for _, e := range elements {
		list = append(list, map[string]any{"name": e.key, "image": e.words[0], "workingDir": e.words[1], "args": []any{e.words[2], e.words[3]}})
	}
	return asPod("containers", list)
}

func asVolumes(elements []lawElement) any {
	var list []any
	for _, e := range elements {
		list = append(list, map[string]any{"name": e.key, "nfs": map[string]any{"server": e.words[0], "path": e.words[1], "x": e.words[2], "y": e.words[3]}})
	}
	return asPod("volumes", list)
}

func asEnv(elements []lawElement) any {
	var list []any
	for _, e := range elements {
		list = append(list, map[string]any{"name": e.key, "value": strings.Join(e.words, " ")})
	}
	return asPod("containers", []any{map[string]any{"name": "main", "image": "main:1", "env": list}})
}

func asData(elements []lawElement) any {
	data := map[string]any{}
	for _, e := range elements {
		data[e.key] = strings.Join(e.words, "\n") + "\n"
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "x"}, "data": data}
}

// asSteps makes a list of a kind that no schema knows.
func asSteps(elements []lawElement) any {
	var list []any
	for _, e := range elements {
		list = append(list, map[string]any{"name": e.key, "run": e.words[0], "with": map[string]any{"one": e.words[1], "two": e.words[2], "three": e.words[3]}})
	}
	return map[string]any{"apiVersion": "example.com/v1", "kind": "Pipeline", "metadata": map[string]any{"name": "x"}, "spec": map[string]any{"steps": list}}
}
