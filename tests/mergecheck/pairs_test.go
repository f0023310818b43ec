package mergecheck

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// Elements without a key that both sides changed are compared with the one of origin that is
// most alike, also where other elements come first, a side removed one, or an alias brings a change.
// A flag that repeats may have come from both sides.
func TestElementsWithoutKeyPair(t *testing.T) {
	const o = "l: [{t: [a], v: 1, w: 1}, {t: [b], v: 5, w: 1}, {t: [c], v: 9, w: 1}]"
	const u = "l: [{t: [a], v: 2, w: 1}, {t: [b], v: 6, w: 1}, {t: [c], v: 9, w: 1}]"
	const l = "l: [{t: [a], v: 1, w: 2}, {t: [b], v: 5, w: 2}]"
	const want = "l: [{t: [a], v: 2, w: 2}, {t: [b], v: 6, w: 2}]"
	for _, tt := range []struct{ name, o, u, l, result, want string }{
		{"both", o, u, l, want, ""},
		{"one value not taken", o, u, l, "l: [{t: [a], v: 2, w: 2}, {t: [b], v: 5, w: 2}]", "6 is lost"},
		{"values at the wrong elements", o, u, l, "l: [{t: [a], v: 6, w: 2}, {t: [b], v: 2, w: 2}]", "2 is lost"},
		{"an element kept", o, u, l, "l: [{t: [a], v: 2, w: 2}, {t: [b], v: 6, w: 2}, {t: [c], v: 9, w: 1}]", "9 is kept"},
		{"both alike, one more", "l: [{t: [a], v: 1, w: 1}]", "l: [{t: [a], v: 2, w: 2}]", "l: [{t: [a], v: 2, w: 1}]", "l: [{t: [a], v: 2, w: 2}]", ""},
		{"both alike, one more lost", "l: [{t: [a], v: 1, w: 1}]", "l: [{t: [a], v: 2, w: 2}]", "l: [{t: [a], v: 2, w: 1}]", "l: [{t: [a], v: 2, w: 1}]", "2 is lost"},
		{"changed by its alias and removed", "a: &a [1]\nl: [{t: [x], v: *a}]", "a: &a [2]\nl: [{t: [x], v: *a}]", "a: &a [1]\nl: []", "a: &a [2]\nl: []", ""},
		{"changed itself and removed", "a: &a [1]\nl: [{t: [x], v: *a}]", "a: &a [2]\nl: [{t: [y], v: *a}]", "a: &a [1]\nl: []", "a: &a [2]\nl: []", "is lost"},
		{"a flag that both added", "l: [-s, a, -s, b]", "l: [-s, c, -s, a, -s, b]", "l: [-s, a, -s, b, -s, d]", "l: [-s, c, -s, a, -s, b, -s, d]", ""},
		{"a flag that both added, and one more", "l: [-s, a, -s, b]", "l: [-s, c, -s, a, -s, b]", "l: [-s, a, -s, b, -s, d]", "l: [-s, -s, c, -s, a, -s, b, -s, d]", `"-s" is kept: 5, want 4`},
		{"a flag that both added, and no side twice", "l: [a]", "l: [-s, a]", "l: [a, -s]", "l: [-s, a, -s]", `"-s" is kept`},
		{"both changed all of it", "l: [{v: 1, w: 1}, {v: 7, w: 7}]", "l: [{v: 2, w: 1}, {v: 7, w: 7}]", "l: [{v: 1, w: 2}, {v: 7, w: 7}]", "l: [{v: 2, w: 2}, {v: 7, w: 7}]", ""},
		{"a field changed by its alias and removed", "a: &a [1]\nf: {v: *a}", "a: &a [2]\nf: {v: *a}", "a: &a [1]", "a: &a [2]", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, tt.o, tt.u, tt.l, tt.result)
			m.Keys = nil
			m.Documents[Marked], m.Marks = m.Documents[Result], true
			wants(t, m, tt.want)
		})
	}
}

// In a list that was reported to have the changes of both sides, an element without a key combines them, and so does a text
// of several lines in it that both changed. In another list it does not.
func TestElementsReported(t *testing.T) {
	const o = `l: [{v: 1, t: "a\nb\nc\nd\n"}]`
	const u = `l: [{v: 1, t: "A\nb\nc\nd\n"}]`
	const l = `l: [{v: 1, t: "a\nb\nc\nD\n"}]`
	const want = `l: [{v: 1, t: "A\nb\nc\nD\n"}]`
	for _, tt := range []struct{ name, o, u, l, result, elements, want string }{
		{"lines of both", o, u, l, want, "l", ""},
		{"another list reported", o, u, l, want, "m", "is lost"},
		{"a line not taken", o, u, l, u, "l", `the line "D\n" is lost`},
		{"local's change is in upstream's", o, `l: [{v: 1, t: "A\nb\nc\nD\n"}]`, l, want, "l", ""},
		{"a line changed on one side alone", o, u, o, o, "l", `"A\nb\nc\nd\n" is lost`},
		{"a repeated element of which both sides removed one", "l: [a, a]", "l: [a]", "l: [a]", "l: []", "", `"a" is lost`},
		{"a repeated element to which each side added one", "l: [{v: a}]", "l: [{}, {v: a}, {v: a}]", "l: [{v: a}, {v: a}]", "l: [{}, {v: a}, {v: a}, {v: a}]", "", ""},
		{"a repeated element to which each side added one, and one more", "l: [{v: a}]", "l: [{}, {v: a}, {v: a}]", "l: [{v: a}, {v: a}]", "l: [{}, {v: a}, {v: a}, {v: a}, {v: a}]", "", `"a" is kept: 4, want 3`},
		{"a repeated element of which each side removed another", "l: [a, b, a]", "l: [b, a]", "l: [a, b]", "l: [b]", "l", ""},
		{"a repeated map of which each side removed another", "l: [{v: a}, b, {v: a}]", "l: [b, {v: a}]", "l: [{v: a}, b]", "l: [b]", "l", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, tt.o, tt.u, tt.l, tt.result)
			m.Keys, m.Elements = nil, []string{tt.elements}
			wants(t, m, tt.want)
		})
	}
}

// An element that one side gave another key and the other side replaced is one element in conflict: the replacement may be
// lost, and nothing beside it.
func TestElementReplaced(t *testing.T) {
	const o, rekeyed = "l: [{name: x, r: 1}]", "l: [{name: w, r: 1}]"
	for _, tt := range []struct{ name, u, l, result, reported, want string }{
		{"by local", rekeyed, "l: [{name: b}]", rekeyed, `l[name="x"]`, ""},
		{"by upstream", "l: [{name: b}]", rekeyed, rekeyed, `l[name="x"]`, ""},
		{"by local, which is taken", rekeyed, "l: [{name: b}]", "l: [{name: b}]", `l[name="x"]`, ""},
		{"not reported", rekeyed, "l: [{name: b}]", rekeyed, "", `l[name="b"]: a map is lost`},
		{"and another element lost", rekeyed, "l: [{name: b}, {name: c}]", rekeyed, `l[name="x"]`, `l[name="c"]: a map is lost`},
		{"the element kept", "l: [{name: x, r: 2}]", "l: [{name: b}]", "l: [{name: x, r: 2}]", `l[name="x"]`, `l[name="b"]: a map is lost`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, o, tt.u, tt.l, tt.result)
			if tt.reported != "" {
				m.Conflicts = []string{tt.reported}
			}
			wants(t, m, tt.want)
		})
	}
}

// An item of a List that local moved to another namespace is upstream's: its changes come, and its deletion stands.
func TestItemInAnotherNamespace(t *testing.T) {
	const o = "items: [{kind: A, metadata: {name: x, namespace: a}, v: 1}]"
	const u = "items: [{kind: A, metadata: {name: x, namespace: a}, v: 2}]"
	const l = "items: [{kind: A, metadata: {name: x, namespace: b}, v: 1}]"
	for _, tt := range []struct{ name, u, l, result, want string }{
		{"changed", u, l, "items: [{kind: A, metadata: {name: x, namespace: b}, v: 2}]", ""},
		{"the change not taken", u, l, l, "2 is lost"},
		{"the namespace not kept", u, l, u, `"b" is lost`},
		{"deleted", "items: []", l, "items: []", ""},
		{"another one deleted", "items: []", "items: [{kind: A, metadata: {name: y, namespace: b}, v: 1}]", "items: []", "is lost"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, o, tt.u, tt.l, tt.result)
			m.Keys = func([]string, [3][]*yaml.Node) []Key { return []Key{{Name: identified}} }
			wants(t, m, tt.want)
		})
	}
}

// An element whose key has a map in it has no key: it is no other version of one that has a key.
func TestKeyWithMap(t *testing.T) {
	const l = "l: [{name: {}, v: 1}]"
	wants(t, merge(t, "l: [{name: x, v: 1}]", "{}", l, l), "")
}

// A struct template with containers has the keys of a Pod's template in any kind, in its metadata too.
func TestKeysOfPodTemplate(t *testing.T) {
	m := merge(t, "spec: {template: {spec: {containers: []}}}")
	keys := KeysOf(schema.New(nil, nil, true).Resource("example.com", "v1", "Fleet"), m.Documents[Origin])
	for _, path := range [][]string{{"metadata", "ownerReferences"}, {"spec", "template", "metadata", "ownerReferences"}} {
		if got := keys(path, [3][]*yaml.Node{}); len(got) != 1 || got[0].Name != "uid" {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// Of a text, a line that a side moved may be there once more; one that nobody touched may not.
func TestTextLines(t *testing.T) {
	const o = "- a\n- b\n- k\n- =\n- c\n"
	for _, tt := range []struct {
		name, u, l, result string
		objects            bool
	}{
		{"both removed it, one added it elsewhere", "- n\n- =\n- a\n- b\n- c\n", "- a\n- b\n- c\n", "- n\n- =\n- a\n- b\n- c\n", false},
		{"one removed it", "- n\n- a\n- b\n- k\n- =\n- c\n", "- a\n- b\n- c\n", "- n\n- a\n- b\n- =\n- c\n", true},
		{"one added a line", "- a\n- b\n- k\n- =\n- c\n- d\n", o, o, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := func(text string) map[string]string { return map[string]string{"a.txt": text} }
			got := CheckPackage(Package{Origin: files(o), Upstream: files(tt.u), Local: files(tt.l), Result: files(tt.result), Marks: true})
			if tt.objects != (len(got) > 0) {
				t.Errorf("%v", got)
			}
		})
	}
}

// A comment with lines of its own may get another owner where a field comes or goes beside it. It
// stays where it stood, and a comment right above a field stays right above it.
func TestCommentsStand(t *testing.T) {
	const o = "a: 1\n# of b\nb: 1\n\n# loose\n\nc: 1\n"
	for _, tt := range []struct{ name, o, u, l, result, want string }{
		{"a field behind a loose one", o, "a: 1\n# of b\nb: 1\n\n# loose\n\nnew: 1\nc: 1\n", "a: 1\n# of b\nb: 1\n\n# loose\n\nc: 2\n", "a: 1\n# of b\nb: 1\n\n# loose\n\nnew: 1\nc: 2\n", ""},
		{"a loose one above a field that the other side added", o, "a: 1\n# of b\nb: 1\n\nnew: 1\nc: 1\n", o + "# more\n\nd: 1\n", "a: 1\n# of b\nb: 1\n\nnew: 1\nc: 1\n# more\n\nd: 1\n", ""},
		{"a field below the last comment", "a: 1\n# end\n", "a: 1\n# end\nb: 1\n", "a: 1\n# end\n# more\n", "a: 1\n# end\n# more\nb: 1\n", ""},
		{"a column changed, and removed", "m:\n  a: 1\n\n  # of b\n  b: 1\n", "m:\n  a: 1\n\n# of b\n  b: 1\n", "m:\n  a: 1\n", "m:\n  a: 1\n", ""},
		{"spaces at its end changed, and removed", "# one  \na: 1\nb: 1\n", "# one\na: 1\nb: 1\n", "a: 1\nb: 1\n", "a: 1\nb: 1\n", ""},
		{"lost", o, o, "a: 1\n# of b\nb: 1\n\n# loose\n\n# mine\nc: 1\n", o, "the comment is"},
		{"moved to another field", "a: 1\nb: 1\nc: 1\n", "a: 1\nb: 1\n# u\nc: 1\n", "a: 1\nb: 2\nc: 1\n", "# u\na: 1\nb: 2\nc: 1\n", "a: the comment # u is invented"},
		{"moved over an empty line", "a: 1\n\nb: 1\n", "a: 1\n\n# u\nb: 1\n", "a: 2\n\nb: 1\n", "a: 2\n# u\n\nb: 1\n", "a: the comment # u is invented"},
		{"above a field of an element to which the other side gave a kind", "n: 1\n", "n: 1\nl:\n- u: a\n  # u\n  name: b\n", "n: 1\nl:\n- u: a\n  apiVersion: v1\n  name: b\n", "n: 1\nl:\n- u: a\n  apiVersion: v1\n  # u\n  name: b\n", ""},
		{"above a field that the other side uncommented", "a: 1\n# of b\n# b: 1\nc: 1\n", "a: 1\n# of b\nb: 1\nc: 1\n", "a: 1\n# all of b\n# b: 1\nc: 1\n", "a: 1\n# all of b\nb: 1\nc: 1\n", ""},
		{"changed in the column of the other side", "m:\n- - a: 1\n# one\n# two\n  - b: 1\n", "m:\n- - a: 1\n  # 1\n  # two\n  - b: 1\n", "m:\n  - - a: 1\n# one\n# two\n    - b: 1\n", "m:\n  - - a: 1\n# 1\n# two\n    - b: 1\n", ""},
		{"changed where the other side removed the field", "a: 1\n\n# one\n# two\nb: 1\n\nc: 1\n", "a: 1\n\n# 1\n# two\nb: 1\n\nc: 1\n", "a: 1\n\n# one\n# two\n\nc: 1\n", "a: 1\n\n# 1\n# two\n\nc: 1\n", ""},
		{"changed where the other side removed it with the field", "a: 1\n\n# one\n# two\nb: 1\n\nc: 1\n", "a: 1\n\n# 1\n# two\nb: 1\n\nc: 1\n", "a: 1\n\nc: 1\n", "a: 1\n\n# 1\n# two\n\nc: 1\n", "c: the comment # 1 is invented"},
		{"beside an element that came for another", "args:\n- a\n- b # one\n", "args:\n- a\n- b # two\n", "args:\n- a\n- c # one\n", "args:\n- a\n- c # two\n", ""},
		{"beside an element that came for another, lost", "args:\n- a\n- b # one\n", "args:\n- a\n- b # two\n", "args:\n- a\n- c # one\n", "args:\n- a\n- c\n", "the comment is"},
		{"no side has it", o, o, o, o + "# new\n", "c: the comment # new is invented"},
	} {
		t.Run(tt.name, func(t *testing.T) { wants(t, merge(t, tt.o, tt.u, tt.l, tt.result), tt.want) })
	}
}

// The comment at the end of a map stays there if a conflict takes the other side's fields.
func TestCommentsAtTheEnd(t *testing.T) {
	const o, u, l = "r: {}\na: 1\n", "m:\n  b: 1\n  # end\nr: {}\na: 1\n", "m:\n  c: 1\na: 1\n"
	for _, tt := range []struct{ name, result, want string }{
		{"of the map", "m:\n  c: 1\n  # end\na: 1\n", ""},
		{"in the map", "m:\n  # end\n  c: 1\na: 1\n", "m.c: the comment # end is invented"},
		{"of another map", "m:\n  c: 1\na: 1\n# end\n", "a: the comment # end is invented"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, o, u, l, tt.result)
			m.Conflicts = []string{"m"}
			wants(t, m, tt.want)
		})
	}
}

// Of a comment that both sides changed, the lines that touch are between markers, and the others have
// the changes of both.
func TestCommentsBetweenMarkers(t *testing.T) {
	const o, u, l = "# a\n# b\n# c\nx: 1\n", "# a\n# u\n# of u\nx: 1\n", "# l\n# b\n# of l\nx: 1\n"
	for _, tt := range []struct{ name, ours, theirs, want string }{
		{"right", "# l\n# u\n# of l\nx: 1\n", "# l\n# u\n# of u\nx: 1\n", ""},
		{"whole", l, u, ""},
		{"a change of local's lost", "# a\n# u\n# of l\nx: 1\n", "# a\n# u\n# of u\nx: 1\n", "the comment between markers is"},
		{"a change of upstream's lost", "# l\n# b\n# of l\nx: 1\n", "# l\n# b\n# of u\nx: 1\n", "the comment between markers is"},
		{"the wrong way round", "# l\n# u\n# of u\nx: 1\n", "# l\n# u\n# of l\nx: 1\n", "the comment between markers is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, o, u, l, tt.ours, tt.theirs)
			m.Marks = true
			wants(t, m, tt.want)
		})
	}
}
