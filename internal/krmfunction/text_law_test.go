package krmfunction

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// textStyle is how a text says a resource: what does not change what it says.
type textStyle struct {
	unit                 int
	wide, blank, aligned bool
	quote, space         string
	comments             bool
}

func drawStyle(t *rapid.T) textStyle {
	return textStyle{
		unit:     rapid.IntRange(2, 4).Draw(t, "unit"),
		wide:     rapid.Bool().Draw(t, "wide"),
		blank:    rapid.Bool().Draw(t, "blank"),
		aligned:  rapid.Bool().Draw(t, "aligned"),
		quote:    rapid.SampledFrom([]string{"", "'", `"`}).Draw(t, "quote"),
		space:    rapid.SampledFrom([]string{" ", "  ", "     "}).Draw(t, "space"),
		comments: rapid.Bool().Draw(t, "comments"),
	}
}

// text is a resource in that style. The values that a change may touch are plain.
func (w textStyle) text(values map[string]string) string {
	in := func(depth int) string { return strings.Repeat(" ", depth*w.unit) }
	list := in(1)
	if w.wide {
		list = in(2)
	}
	pad := ":"
	if w.aligned {
		pad = ":    "
	}
	note := func(text string) string {
		if w.comments {
			return w.space + "# " + text
		}
		return ""
	}
	above := func(margin, text string) string {
		if w.comments {
			return margin + "# " + text + "\n"
		}
		return ""
	}
	var b strings.Builder
	b.WriteString("apiVersion: example.com/v1\nkind" + pad + " Widget\nmetadata: # kpt-merge: /x\n  name: x\n")
	if w.blank {
		b.WriteString("\n")
	}
	b.WriteString("spec:\n" + above(in(1), "the size") + in(1) + "size" + pad + " " + values["size"] + note("of it") + "\n")
	b.WriteString(in(1) + "kept" + pad + " " + w.quote + "v" + w.quote + "\n")
	if v := values["added"]; v != "" {
		b.WriteString(in(1) + "added: " + v + "\n")
	}
	if w.blank {
		b.WriteString("\n")
	}
	b.WriteString(in(1) + "args: [ a,  " + values["arg"] + ", \"c\" ]" + note("flow") + "\n")
	b.WriteString(in(1) + "script: |\n" + in(3) + values["script"] + "\n" + in(3) + "end\n" + in(1) + "folded: \"one\n\n" + in(2) + "two\"\n")
	b.WriteString(in(1) + "ports:\n")
	for _, port := range strings.Fields(values["ports"]) {
		b.WriteString(list + "- name: " + port + "\n" + list + "  port: 80\n")
	}
	b.WriteString("last: {a: 1,   b: 2}" + note("end") + "\n")
	return b.String()
}

// TestLawOnlyTheLinesThatChanged: of a merge in which upstream changes one thing
// comes local's text, in which that thing alone is another (design 3.6).
func TestLawOnlyTheLinesThatChanged(t *testing.T) {
	changes := map[string]string{"size": "3", "added": "yes-it-is", "arg": "z", "script": "echo 2", "ports": "a b c"}
	rapid.Check(t, func(t *rapid.T) {
		style, theirs := drawStyle(t), drawStyle(t)
		theirs.comments = false
		was := map[string]string{"size": "1", "arg": "b", "script": "echo 1", "ports": "a b"}
		now := map[string]string{"size": "1", "arg": "b", "script": "echo 1", "ports": "a b"}
		name := rapid.SampledFrom([]string{"size", "added", "arg", "script", "ports"}).Draw(t, "change")
		now[name] = changes[name]
		if rapid.Bool().Draw(t, "removed") {
			was, now = now, was
		}
		list := filesAsList(theirs.text(was), theirs.text(now), style.text(was))
		out, err := Run([]byte(list), nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, list)
		}
		item, _, _ := strings.Cut(string(out), "\n- apiVersion: v1\n  kind: Last")
		_, item, _ = strings.Cut(item, "items:\n- ")
		got := strings.ReplaceAll(item, "\n  ", "\n") + "\n"
		if want := style.text(now); got != want {
			t.Fatalf("%s: got\n%s\nwant\n%s\nupstream\n%s", name, got, want, theirs.text(now))
		}
	})
}
