package tests

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// option is a field or an element with the comment above it; commented ones are lines of comments.
type option struct {
	about     []string
	name      string
	value     int
	commented bool
	// apart reports whether an empty line is above it.
	apart bool
}

// options are the content of a list or a map, which is a field or the resource itself.
type options struct {
	all          []option
	list, nested bool
	// isEmpty reports whether all options are commented out in origin, below an empty field. null is how it is written
	// there.
	isEmpty bool
	null    string
}

// header returns the line of the field that has the options.
func (o options) header() string {
	for _, one := range o.all {
		if !one.commented {
			return "spec:\n"
		}
	}
	return "spec:" + o.null + "\n"
}

func (o options) text() string {
	var b strings.Builder
	b.WriteString("apiVersion: example.com/v1\nkind: Platform\nmetadata: # kpt-merge: /platform\n  name: platform\n")
	indent := ""
	if o.nested || o.list {
		b.WriteString(o.header())
		indent = "  "
	}
	for _, one := range o.all {
		if one.apart {
			b.WriteString("\n")
		}
		for _, line := range one.about {
			fmt.Fprintf(&b, "%s# %s\n", indent, line)
		}
		mark := ""
		if one.commented {
			mark = "# "
		}
		if o.list {
			fmt.Fprintf(&b, "%s%s- %s-%d\n", indent, mark, one.name, one.value)
		} else {
			fmt.Fprintf(&b, "%s%s%s: %d\n", indent, mark, one.name, one.value)
		}
	}
	if o.nested || o.list {
		b.WriteString("status: {}\n")
	}
	return b.String()
}

func drawOptions(t *rapid.T) options {
	o := options{list: rapid.Bool().Draw(t, "list"), nested: rapid.Bool().Draw(t, "nested")}
	if o.isEmpty = rapid.Bool().Draw(t, "empty"); o.isEmpty {
		o.nested, o.null = true, rapid.SampledFrom([]string{"", " {}"}).Draw(t, "null")
		if o.list && o.null != "" {
			o.null = " []"
		}
	} else {
		o.all = []option{{name: "first", value: 1}}
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "options") {
		one := option{name: fmt.Sprint("option", i), value: 1, commented: o.isEmpty || rapid.Bool().Draw(t, "commented"), apart: rapid.Bool().Draw(t, "apart")}
		for j := range rapid.IntRange(1, 3).Draw(t, "lines") {
			one.about = append(one.about, rapid.SampledFrom([]string{"+docs:property", fmt.Sprintf("It is about %d, %d.", i, j)}).Draw(t, "line"))
		}
		o.all = append(o.all, one)
	}
	return o
}

// changed returns options with some lines changed, and perhaps one more option that is commented out.
func (o options) changed(t *rapid.T) options {
	out := o
	out.all = nil
	for i, one := range o.all {
		about := append([]string{}, one.about...)
		for j := range about {
			if rapid.IntRange(0, 2).Draw(t, "change") == 0 {
				about[j] = fmt.Sprintf("It is all about %d, %d.", i, j)
			}
		}
		one.about = about
		out.all = append(out.all, one)
	}
	if rapid.Bool().Draw(t, "one more") {
		at := rapid.IntRange(1, len(out.all)).Draw(t, "at")
		more := option{about: []string{"It is new."}, name: "more", value: 1, commented: true, apart: true}
		out.all = append(out.all[:at:at], append([]option{more}, out.all[at:]...)...)
		if at+1 < len(out.all) {
			out.all[at+1].apart = true
		}
	}
	return out
}

// uncommented returns options with one of them uncommented.
func (o options) uncommented(name string) options {
	out := o
	out.all = nil
	for _, one := range o.all {
		if one.name == name {
			one.commented, one.value = false, 2
		}
		out.all = append(out.all, one)
	}
	return out
}

// withoutEmptyLines returns a text without its empty lines, which are layout.
func withoutEmptyLines(text string) string { return strings.ReplaceAll(text, "\n\n", "\n") }

// TestLawUncommented checks that a side that uncomments an option, and a side that changes the comments of options, merge
// to the changed text with the uncommented option (rules/comments-and-text: comments between fields).
func TestLawUncommented(t *testing.T) {
	uncommented := 0
	rapid.Check(t, func(t *rapid.T) {
		origin := drawOptions(t)
		var names []string
		for _, one := range origin.all {
			if one.commented {
				names = append(names, one.name)
			}
		}
		if len(names) == 0 {
			return
		}
		uncommented++
		name := rapid.SampledFrom(names).Draw(t, "uncommented")
		changed := origin.changed(t)
		versions := [3]string{origin.text(), changed.text(), origin.uncommented(name).text()}
		if rapid.Bool().Draw(t, "upstream uncomments") {
			versions[1], versions[2] = versions[2], versions[1]
		}
		var packages [3]pkgmerge.Package
		for side, text := range versions {
			var err error
			packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "a.yaml", Data: []byte(text)}})
			if err != nil {
				t.Fatal(err)
			}
		}
		result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{})
		if err != nil {
			t.Fatal(err)
		}
		files, err := result.Files()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(files[0].Data), changed.uncommented(name).text(); withoutEmptyLines(got) != withoutEmptyLines(want) {
			t.Errorf("got\n%s\nwant\n%s\norigin\n%s\nupstream\n%s\nlocal\n%s", got, want, versions[0], versions[1], versions[2])
		}
	})
	if uncommented == 0 {
		t.Error("no option was uncommented")
	}
}
