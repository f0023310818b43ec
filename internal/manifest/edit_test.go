package manifest

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/internal/stream"
)

// TestLawEdit: if upstream changed one thing, the result is local's text except for that thing's lines, and reads as
// the decided values.
func TestLawEdit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &drawing{T: t}
		switch d.n(4) {
		case 0:
			d.json = true
		case 1:
			d.kyaml, d.plain = true, d.n(2) == 0
		}
		m := d.resource()
		l := m.clone()
		r, c := d.changed(m)
		u := r.clone()
		item := d.n(2) == 0 && !d.kyaml
		local := d.write(l, item, false)
		d.kyaml = d.kyaml && d.n(2) == 0 // else upstream is none
		upstream := d.write(u, item, d.n(2) == 0)
		by := sides(l, u, local, upstream, c)
		nothing := sides(l, u, local, upstream, drawnChange{whole: -1})
		if out, _, err := Edit(local, upstream, nothing.part(l)); err != nil || !bytes.Equal(out, local.Bytes()) {
			t.Fatalf("nothing changed: %v\n%s\n--- result\n%s", err, local.bytes, out)
		}
		part := by.part(r)
		out, _, err := Edit(local, upstream, part)
		if err != nil {
			t.Fatalf("%v\n%s\n--- upstream\n%s", err, local.bytes, upstream.bytes)
		}
		fail := func(why string, at any) {
			t.Fatalf("%s %s %v\n%s\n--- upstream\n%s\n--- result\n%s\n--- %q", c.kind, why, at, local.bytes, upstream.bytes, out, out)
		}
		e := editor{text: local, left: floats(local.top, local.bytes)}
		if d.json && !json.Valid(bytes.TrimLeft(out, " -")) {
			fail("is no JSON", "")
		}
		if f := e.check(out, &part); !f.right && !f.moved {
			fail("reads otherwise at", f)
		}
		if local.kyaml && d.plain && c.kind != "whole" && !hasLooseList(t, out) && !bytes.Equal(asKYAML(t, out), out) {
			fail("is no KYAML, but", string(asKYAML(t, out)))
		}
		gone, come := diff(local.Bytes(), out)
		mayGo, mayCome := by.bounds(r, local, upstream)
		if c.kind == "whole" {
			mayCome += newFeet(l, u)
		}
		if (gone > mayGo || come > mayCome) && !endsInBlock(local) {
			fail("lines gone, come, and of the thing:", []int{gone, come, mayGo, mayCome})
		}
	})
}

// newFeet counts the comment lines of upstream's below lists, where local's style has no place for them.
func newFeet(l, u *model) int {
	have, lines := map[int]string{}, 0
	l.each(func(k *model) { have[k.id] = k.foot })
	u.each(func(k *model) {
		if k.foot != have[k.id] {
			lines += strings.Count(k.foot, "\n") + 1
		}
	})
	return lines
}

// endsInBlock reports whether a text without a last line break ends in a block scalar: a line below it would change
// its value, so it is written anew.
func endsInBlock(t *Text) bool {
	p := t.top
	for len(p.entries) > 0 && p.form != flow {
		p = p.entries[len(p.entries)-1].value
	}
	return t.broken && p.form == literal
}

// floats returns the comments of a text that stay if the entry below them goes.
func floats(p *place, text []byte) []string {
	var out []string
	for i := range p.entries {
		e := &p.entries[i]
		for line := range bytes.Lines(text[e.float:max(e.float, e.lead)]) {
			if line = bytes.TrimSpace(line); len(line) > 0 && p.form == block {
				out = append(out, string(line))
			}
		}
		out = append(out, floats(e.value, text)...)
	}
	return out
}

// bounds returns the greatest numbers of lines of local's that may go and of lines that may come for a change.
func (d *decider) bounds(r *model, local, upstream *Text) (gone, come int) {
	gone, come = d.lines(local, d.local), d.lines(upstream, d.upstream)
	if e, _ := find(upstream.top, d.upstream[d.thing.id].Value); e != nil {
		come += len(blanks(upstream.bytes, e.end)) // which come along
	}
	switch d.kind {
	case "remove":
		return gone + 1 + d.dash(local), d.dash(local)
	case "move":
		return gone + 1 + d.dash(local), gone + d.dash(local)
	}
	if local.json || local.kyaml && !upstream.kyaml {
		return gone + 2 + d.dash(local), 1000 // laid out as local, whatever upstream is
	}
	if d.kind == "kind" && d.upstream[d.thing.id].Value.Style&yaml.FlowStyle != 0 {
		come = 1000 // local's lines, or upstream's in one
	}
	return gone + d.dash(local), come + d.dash(local)
}

// lines counts the lines of the changed entry in a text.
func (d *decider) lines(t *Text, entries map[int]Entry) int {
	n := entries[d.thing.id].Value
	if e, _ := find(t.top, n); e != nil {
		end := max(e.end, stream.NextLine(t.bytes, e.end-1))
		return bytes.Count(t.bytes[min(e.float, lineStart(t.bytes, e.start)):end], []byte("\n"))
	}
	return 0
}

// dash returns the number of additional lines that may change because the first entry of a collection is in the line
// of a dash, or because entries of a flow collection share lines.
func (d *decider) dash(t *Text) int {
	e, _ := find(t.top, d.local[d.in.id].Value)
	if e == nil || len(e.value.entries) == 0 {
		return 0
	}
	if e.value.form == flow && (d.thing.isRemarked() || d.thing.head+d.thing.line != "") {
		return 1000 // a comment opens the collection
	}
	if t.kyaml && !e.value.lines && d.thing.kind == yaml.ScalarNode {
		return 1000 // an element without brackets does so too
	}
	if e.value.form == flow {
		return 2
	}
	if e.value.entries[0].inline(t.bytes) {
		return 2
	}
	return 0
}

// find finds the entry of a node.
func find(p *place, n any) (*entry, *place) {
	for i := range p.entries {
		if any(p.entries[i].value.node) == n {
			return &p.entries[i], p
		}
		if e, in := find(p.entries[i].value, n); e != nil {
			return e, in
		}
	}
	return nil, nil
}

// diff counts the removed and the added lines, as a diff shows them.
func diff(from, to []byte) (gone, come int) {
	plain := func(text []byte) []string {
		return strings.Split(strings.TrimSuffix(string(text)+"\n", "\n"), "\n")
	}
	a, b := plain(bytes.TrimSuffix(from, []byte("\n"))), plain(bytes.TrimSuffix(to, []byte("\n")))
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if best[i][j] = max(best[i+1][j], best[i][j+1]); a[i] == b[j] {
				best[i][j] = best[i+1][j+1] + 1
			}
		}
	}
	return len(a) - best[0][0], len(b) - best[0][0]
}
