package manifest

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/parts"
)

// TestEdit has a text for each of the rules of rules/comments-and-text: unchanged text. Fields correspond by name,
// elements by index; upstream's changes win.
func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, origin, upstream, local, want string }{
		{
			"an anchor and its aliases stay where they are not concerned",
			"a: &x {k: 1}\nb: *x\nc: 1\n", "a: &x {k: 1}\nb: *x\nc: 2\n",
			"a:   &x {k:  1}\nb:   *x # b\nc:    1 # c\n", "a:   &x {k:  1}\nb:   *x # b\nc:    2 # c\n",
		},
		{
			"an anchor that changed for all its aliases stays",
			"a: &x {k: 1}\nb: *x\n", "a: &x {k: 2}\nb: *x\n",
			"a: &x { k:  1 }\nb: *x\n", "a: &x { k:  2 }\nb: *x\n",
		},
		{
			"an alias that must change is expanded, and nothing else",
			"a: &x {k: 1}\nb: *x\nc: *x\n", "a: {k: 1}\nb: {k: 2}\nc: {k: 1}\n",
			"a: &x { k:  1 }\nb: *x\nc:   *x\n", "a: &x { k:  1 }\nb: {k: 2}\nc:   *x\n",
		},
		{
			"a merge key stays where what it gives does",
			"a: &x\n  p: 1\nb:\n  <<: *x\n  q: 1\n", "a: &x\n  p: 1\nb:\n  <<: *x\n  q: 2\n",
			"a:   &x\n    p: 1\nb:\n    <<:   *x\n    q:   1\n", "a:   &x\n    p: 1\nb:\n    <<:   *x\n    q:   2\n",
		},
		{
			"an alias as a key stays where it says what was decided",
			"n: &app x\nm:\n  *app :\n    i: 1\n    t: &t a\n    u: *t\n  k: 1\n", "n: &app x\nm:\n  *app :\n    i: 2\n    t: &t a\n    u: *t\n  k: 1\n",
			"n:   &app x\nm:\n   *app :  # a\n     i:  1\n     t:   &t a\n     u:   *t\n   k:  1\n", "n:   &app x\nm:\n   *app :  # a\n     i:  2\n     t:   &t a\n     u:   *t\n   k:  1\n",
		},
		{
			"an alias as a key follows its anchor",
			"n: &app x\nm:\n  *app :\n    i: 1\n    j: 1\n", "n: &app y\nm:\n  *app :\n    i: 1\n    j: 2\n",
			"n:   &app x # n\nm:\n   *app :  # a\n     i:  1\n     j:  1\n", "n:   &app y # n\nm:\n   *app :\n     i:  1\n     j:  2\n",
		},
		{
			"an alias as a key is written out where its anchor says something else",
			"n: &app x\nm:\n  x: 1\n  j: 1\n", "n: &app y\nm:\n  x: 1\n  y: 2\n  j: 1\n",
			"n:   &app x\nm:\n   *app :  1\n   j:  1\n", "n:   &app y\nm:\n   x: 1\n   j:  1\n   *app :  2\n",
		},
		{
			"an alias as a key of a map in brackets stays",
			"n: &app x\nm: {*app : 1, b: 1}\n", "n: &app x\nm: {*app : 1, b: 2}\n",
			"n:   &app x\nm: { *app :   1, b:  1 }\n", "n:   &app x\nm: { *app :   1, b:  2 }\n",
		},
		{
			"a scalar keeps its anchor, and its aliases stay where they are to say the same",
			"p: &p 1\nq: *p\nr: *p\ns: [*p, 2]\n", "p: &p 2\nq: *p\nr: 1\ns: [*p, 3]\n",
			"p:   &p   1 # p\nq:   *p\nr:   *p\ns: [ *p, 2]\n", "p:   &p   2 # p\nq:   *p\nr:   1\ns: [ *p, 3]\n",
		},
		{
			"an anchor that upstream added comes with its aliases",
			"a: 1\nb:\n  c: 1\n", "a: &a 1\nb:\n  c: 1\n  d: &d [x, *a]\n  e: *d\n",
			"a:   1   # a\nb:\n    c:   1\n", "a:   &a 1   # a\nb:\n    c:   1\n    d: &d [x, *a]\n    e: *d\n",
		},
		{
			"an anchor that upstream added to a collection",
			"a:\n  k: 1\nb: 1\n", "a: &a\n  k: 1\nb: 1\nc: *a\nd:\n  <<: *a\n  k: 2\n",
			"a:  # a\n    k:   1\nb:  1\n", "a: &a  # a\n    k:   1\nb:  1\nc: *a\nd:\n  <<: *a\n  k: 2\n",
		},
		{
			"an alias of upstream's is expanded where local has something else at its anchor",
			"a: &a 1\nb: 1\n", "a: &a 1\nb: 1\nc: *a\n",
			"a:   &a 3\nb:   1\n", "a:   &a 3\nb:   1\nc: 1\n",
		},
		{
			"a key with a question mark stays as it is written",
			"a: {k: 1}\nb: 1\n", "a: {k: 2}\nb: 1\n",
			"a:\n    ? k\n    : 1\nb:    1\n", "a:\n    ? k\n    : 2\nb:    1\n",
		},
		{
			"a map in the line of the colon below a question mark stays as it is written",
			"k: {c: 1, d: {e: 1}}\nb: 1\n", "k: {c: 1, d: {e: 2}}\nb: 2\n",
			"? k\n: c:   1   # c\n  d:   # d\n   e:   1\nb:    1\n", "? k\n: c:   1   # c\n  d:   # d\n   e:   2\nb:    2\n",
		},
		{
			"the first field of a map in the line of the colon below a question mark is removed, and one is added",
			"k: {c: 1, d: 1}\nb: 1\n", "k: {d: 1, e: 1}\nb: 1\n",
			"? k\n:   c:   1\n    d:   1   # d\nb:    1\n", "? k\n:   d:   1   # d\n    e: 1\nb:    1\n",
		},
		{
			"a line comment has upstream's spacing",
			"a: 1\nb: 1\n", "a: 1  # x\nb: 1\n",
			"a: 1\nb: 1   # y\n", "a: 1  # x\nb: 1   # y\n",
		},
		{
			"two empty lines that would meet become one",
			"a: 1\n\n# b\nb: 1\n\nc: 1\n", "a: 1\n\nc: 1\n",
			"a: 1\n\n# b\nb: 1\n\nc: 1 # c\n", "a: 1\n\nc: 1 # c\n",
		},
		{
			"a comment further above stays",
			"a: 1\n\n# part\n\n# b\nb: 1\nc: 1\n", "a: 1\n\n# part\n\nc: 1\n",
			"a: 1\n\n# part\n\n# b\nb: 1\nc:  1\n", "a: 1\n\n# part\n\nc:  1\n",
		},
		{
			"a commented-out field at the end stays at the end",
			"- a: 1\n", "- a: 1\n  b: 2\n",
			"-   a: 1\n    # b: 3\n", "-   a: 1\n    b: 2\n    # b: 3\n",
		},
		{
			"a block scalar keeps the column of its lines",
			"a: |\n  x\n  y\n", "a: |\n  x\n  z\n",
			"a: | # c\n      x\n      y\n", "a: | # c\n      x\n      z\n",
		},
		{
			"a block scalar is written in one line where its lines are too deep for an indentation indicator",
			"a: |\n            x\nb: 1\n", "a: |1\n  x\n y\nb: 1\n",
			"a: |\n            x\nb:  1\n", "a: \" x\\ny\\n\"\nb:  1\n",
		},
		{
			"brackets over lines keep the comments behind both of them",
			"a: [\n  b,\n  c,\n]\nd: 1\n", "a: [\n  b,\n  x,\n]\nd: 1\n",
			"a: [ # open\n    b,\n    c, # c\n] # closed\nd:   1\n", "a: [ # open\n    b,\n    x, # c\n] # closed\nd:   1\n",
		},
		{
			"a collection that was emptied",
			"a:\n  b: 1\nc: 1\n", "a: {}\nc: 1\n",
			"a: # a\n    b: 1\nc:   1\n", "a: {} # a\nc:   1\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := Document
			if tt.local[0] == '-' {
				read = Item
			}
			var texts [3]*Text
			for i, text := range []string{tt.origin, tt.upstream, tt.local} {
				var err error
				if texts[i], err = read([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			m := &mixer{budget: 1000}
			o, u, l := m.expanded(texts[0].root, 0), m.expanded(texts[1].root, 0), m.expanded(texts[2].root, 0)
			got, _, err := Edit(texts[2], texts[1], merged(Entry{Value: o}, Entry{Value: u}, Entry{Value: l}))
			if err != nil || string(got) != tt.want {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}

// merged is the smallest possible merge: upstream's changes win.
func merged(o, u, l Entry) Part {
	p := Part{Local: l, Upstream: u, From: parts.Local}
	if l.Value == nil || !isCollection(u.Value) && !sameValue(o.Value, u.Value) || u.Value.Kind != l.Value.Kind || len(u.Value.Content) == 0 && len(l.Value.Content) > 0 {
		p.From, p.Key = parts.Upstream, u.Key
		v := *u.Value
		p.Value = &v
		if l.Value != nil {
			setComments(&p, headOf(p.Key, p.Value), lineOf(l.Key, l.Value), "")
		}
		if o.Value == nil || lineOf(o.Key, o.Value) != lineOf(u.Key, u.Value) {
			setComments(&p, headOf(p.Key, p.Value), lineOf(u.Key, u.Value), "")
		}
		return p
	}
	v := *l.Value
	p.Value = &v
	if l.Key != nil {
		key := *l.Key
		p.Key = &key
	}
	if line := lineOf(u.Key, u.Value); o.Value != nil && line != lineOf(o.Key, o.Value) {
		setComments(&p, headOf(p.Key, p.Value), line, footOf(p.Key, p.Value))
	}
	if !isCollection(&v) {
		return p
	}
	v.Content = nil
	sides := [3]map[string]Entry{entriesOf(o.Value), entriesOf(u.Value), entriesOf(l.Value)}
	for _, side := range [2]*yaml.Node{l.Value, u.Value} {
		for _, name := range namesOf(side) {
			inO, inU, inL := sides[0][name], sides[1][name], sides[2][name]
			if side == u.Value && (inL.Value != nil || inO.Value != nil) || side == l.Value && inU.Value == nil && inO.Value != nil {
				continue
			}
			if inU.Value == nil {
				inU = inL
			}
			k := merged(inO, inU, inL)
			if p.Parts = append(p.Parts, k); k.Key != nil {
				v.Content = append(v.Content, k.Key)
			}
			v.Content = append(v.Content, k.Value)
		}
	}
	return p
}

func namesOf(n *yaml.Node) (names []string) {
	for i := range n.Content {
		if n.Kind == yaml.SequenceNode {
			names = append(names, string(rune('0'+i)))
		} else if i%2 == 0 {
			names = append(names, n.Content[i].Value)
		}
	}
	return names
}

func entriesOf(n *yaml.Node) map[string]Entry {
	all := map[string]Entry{}
	if n == nil {
		return all
	}
	for i, name := range namesOf(n) {
		if n.Kind == yaml.SequenceNode {
			all[name] = Entry{Value: n.Content[i], At: i}
		} else {
			all[name] = Entry{Key: n.Content[2*i], Value: n.Content[2*i+1], At: i}
		}
	}
	return all
}
