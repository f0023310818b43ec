package gitdriver

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// deployment is a drawn document: a name, an image and the arguments.
type deployment struct {
	name, image string
	args        []string
}

// String is the deployment as a container, and document as a document.
func (d deployment) String() string {
	return "      - name: " + d.name + "\n        args:\n        - --" + strings.Join(d.args, "\n        - --") + "\n        image: " + d.image + "\n"
}

func (d deployment) document() string {
	name := d.name
	d.name = "main"
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: " + name + "\nspec:\n  template:\n    spec:\n      containers:\n" + d.String()
}

func fileOf(documents []deployment) []byte {
	var texts []string
	for _, d := range documents {
		texts = append(texts, d.document())
	}
	return []byte(strings.Join(texts, "---\n"))
}

// podOf is one document with the deployments as containers.
func podOf(containers []deployment) []byte {
	text := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n"
	for _, c := range containers {
		text += c.String()
	}
	return []byte(text)
}

// drawSide draws a version of a side: other documents' places, and other arguments and images.
func drawSide(t *rapid.T, base []deployment, added string) []deployment {
	side := slices.Clone(base)
	for i := range side {
		side[i].args = slices.Clone(side[i].args)
		if rapid.IntRange(0, 2).Draw(t, "args") == 0 {
			at := rapid.IntRange(0, len(side[i].args)-2).Draw(t, "swapped")
			side[i].args[at], side[i].args[at+1] = side[i].args[at+1], side[i].args[at]
		}
		if rapid.IntRange(0, 2).Draw(t, "image") == 0 {
			side[i].image = "app:" + added
		}
	}
	switch at := rapid.IntRange(0, len(side)-1).Draw(t, "at"); rapid.SampledFrom([]int{0, 0, 1, 2, 3}).Draw(t, "documents") {
	case 0:
		side = rapid.Permutation(side).Draw(t, "order")
	case 1:
		side = slices.Insert(side, at, deployment{added, "app:1", slices.Clone(base[at].args)})
	case 2:
		side = slices.Delete(side, at, at+1)
	}
	return side
}

// TestLawLinesOfADocument: in a merge without a conflict each document, or each container of one, has the arguments in the order and the
// image of the side that changed them.
func TestLawLinesOfADocument(t *testing.T) {
	checked := 0
	rapid.Check(t, func(t *rapid.T) {
		var base []deployment
		for i := range rapid.IntRange(2, 4).Draw(t, "n") {
			base = append(base, deployment{fmt.Sprint("app", i), "app:1", []string{"v", "w", "x", "y"}[:rapid.IntRange(2, 4).Draw(t, "size")]})
		}
		sides := [3][]deployment{marker.Base: base, marker.Ours: drawSide(t, base, "ours"), marker.Theirs: drawSide(t, base, "theirs")}
		v := Versions{Path: "all.yaml"}
		write, show := fileOf, deployment.document
		if rapid.Bool().Draw(t, "containers") {
			write, show = podOf, deployment.String
		}
		for side, documents := range sides {
			v.Texts[side] = write(documents)
		}
		m, err := Git{}.Merge(t.Context(), v, marker.Format{Labels: [3]string{"ours", "base", "theirs"}})
		if err != nil {
			t.Fatal(err)
		}
		if m.Conflicts > 0 {
			return
		}
		for _, b := range base {
			find := func(documents []deployment) *deployment {
				if i := slices.IndexFunc(documents, func(d deployment) bool { return d.name == b.name }); i >= 0 {
					return &documents[i]
				}
				return nil
			}
			ours, theirs := find(sides[marker.Ours]), find(sides[marker.Theirs])
			if ours == nil || theirs == nil {
				continue
			}
			want := b
			if want.args = ours.args; slices.Equal(ours.args, b.args) {
				want.args = theirs.args
			}
			if want.image = ours.image; ours.image == b.image {
				want.image = theirs.image
			}
			checked++
			if !strings.Contains(string(m.Text), show(want)) {
				t.Fatalf("want\n%s\nin (%s, %s)\n%s\nbase\n%s\nours\n%s\ntheirs\n%s", show(want), m.Method, m.Fault, m.Text, v.Texts[marker.Base], v.Texts[marker.Ours], v.Texts[marker.Theirs])
			}
		}
	})
	if checked == 0 {
		t.Error("every merge has a conflict: the law says nothing")
	}
}
