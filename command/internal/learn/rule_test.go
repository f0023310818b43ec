package learn

import (
	"fmt"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/report"
)

// decisionsAt returns decisions, one for each letter and upgrade: l and u for a side, - for neither. A path may have one
// element, in brackets.
func decisionsAt(path, sides string) (out []Decision) {
	var steps []step
	before, rest, found := strings.Cut(path, "[")
	if steps = append(steps, step{before, false}); found {
		element, after, _ := strings.Cut(rest, "]")
		steps = append(steps, step{"[" + element + "]", true}, step{after, false})
	}
	for i, side := range sides {
		name := map[rune]string{'l': "local", 'u': "upstream"}[side]
		out = append(out, Decision{commit: fmt.Sprintf("%07d", i), rule: report.Rule{Kind: "Deployment", Name: "web"}, path: steps, side: name})
	}
	return out
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		about     string
		decisions [][]Decision
		want      []string
	}{
		{"once is not enough", [][]Decision{decisionsAt("a", "l")}, nil},
		{"twice alike", [][]Decision{decisionsAt("a", "ll"), decisionsAt("b", "uuu")},
			[]string{"a local: kept ours 2 of 2 times, last in 0000001", "b upstream: took upstream's 3 of 3 times, last in 0000002"}},
		{"both sides", [][]Decision{decisionsAt("a", "lul"), decisionsAt("b", "ull")}, nil},
		{"neither side", [][]Decision{decisionsAt("a", "ll-"), decisionsAt("b", "-ll")}, nil},
		{"a change of mind", [][]Decision{decisionsAt("a", "ulllll"), decisionsAt("b", "ullll"), decisionsAt("c", "lllllu")},
			[]string{"a local: kept ours 5 of 6 times, last in 0000005"}},
		{"elements that agree", [][]Decision{decisionsAt("a[x].b", "ll"), decisionsAt("a[y].b", "ll")},
			[]string{"a[*].b local: kept ours 4 of 4 times, last in 0000001"}},
		{"elements of one upgrade", [][]Decision{decisionsAt("a[x].b", "l"), decisionsAt("a[y].b", "l")}, nil},
		{"elements that disagree", [][]Decision{decisionsAt("a[x].b", "ll"), decisionsAt("a[y].b", "uu"), decisionsAt("a[z].b", "l")},
			[]string{"a[x].b local: kept ours 2 of 2 times, last in 0000001", "a[y].b upstream: took upstream's 2 of 2 times, last in 0000001"}},
		{"one element", [][]Decision{decisionsAt("a[x].b", "ll")}, []string{"a[x].b local: kept ours 2 of 2 times, last in 0000001"}},
	} {
		var all []Decision
		for _, d := range c.decisions {
			all = append(all, d...)
		}
		var got []string
		for _, r := range rulesOf(all) {
			got = append(got, fmt.Sprintf("%s %s: %s", r.Path, r.Prefer, r.How()))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", c.about, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// lessonOf returns a lesson whose n-th upgrade has the n-th decision at each path; a blank is none.
func lessonOf(paths map[string]string) *Lesson {
	l := &Lesson{}
	for path, sides := range paths {
		for i, d := range decisionsAt(path, sides) {
			for len(l.Upgrades) <= i {
				l.Upgrades = append(l.Upgrades, nil)
			}
			if sides[i] != ' ' {
				l.Upgrades[i] = append(l.Upgrades[i], d)
			}
		}
	}
	return l
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		about string
		paths map[string]string
		want  Score
	}{
		{"always alike", map[string]string{"a": "lllll"}, Score{5, 5, 4, 3, 3}},
		{"the other side at last", map[string]string{"a": "lllu"}, Score{4, 4, 3, 2, 1}},
		{"the other side first", map[string]string{"a": "ulll"}, Score{4, 4, 3, 0, 0}},
		{"neither side counts where a rule decides", map[string]string{"a": "ll-", "b": "-l-"}, Score{3, 4, 3, 1, 0}},
		{"a new element", map[string]string{"a[x].b": "ll ", "a[y].b": "ll ", "a[z].b": "  l"}, Score{3, 5, 3, 1, 1}},
	} {
		if got := lessonOf(c.paths).Check(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.about, got, c.want)
		}
	}
}
