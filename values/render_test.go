package values_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// TestProofOfMoves: a move stays only if the templates that render the same each time prove it.
func TestProofOfMoves(t *testing.T) {
	old := chart(t, "# How many\na: 1\n", "")
	now := chart(t, "# How many\nb: 1\n", "{{.Values.b}}")
	for stable, want := range map[bool]string{true: "", false: "b stays"} {
		r, _ := classes(t, old, now, "a: 2\n")
		n := 0
		kept, err := r.Prove(t.Context(), false, func(_ context.Context, c *values.Chart, files []pkgmerge.File) ([]byte, error) {
			n++
			value := "1"
			if isOld := c == old; string(files[0].Data) == map[bool]string{true: "a: 2\n", false: "b: 2\n"}[isOld] {
				value = "2"
			}
			text := fmt.Sprintf("---\n# Source: secret.yaml\npassword: random-%d\n", n)
			if stable {
				text += "---\n# Source: all.yaml\nvalue: " + value + "\n"
			}
			return []byte(text), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if isKept := kept[r.Findings[0]]; isKept != (want != "") {
			t.Errorf("stable %v: taken back %v, %s", stable, isKept, r.Findings[0].Note)
		}
	}
}

// TestNoRenameBetweenSubcharts: a field of a subchart has not become one of another subchart, and is no candidate of it.
func TestNoRenameBetweenSubcharts(t *testing.T) {
	sub := func(name, defaults string) []pkgmerge.File {
		return []pkgmerge.File{
			{Name: "charts/" + name + "/Chart.yaml", Data: []byte("name: " + name + "\nversion: 1.0.0\n")},
			{Name: "charts/" + name + "/values.yaml", Data: []byte(defaults)},
		}
	}
	old := chart(t, "", "", sub("one", "service: https://example.com/one\n")...)
	now := chart(t, "", "", append(sub("one", "other: 1\n"), sub("two", "gateway: https://example.com/one\n")...)...)
	if _, got := classes(t, old, now, "one: {service: x}\n"); got[0] != "dead one.service" {
		t.Error(got)
	}
	renamed := chart(t, "", "", sub("two", "service: https://example.com/one\n")...)
	if _, got := classes(t, old, renamed, "one: {service: x}\n"); got[0] != "dead one.service" {
		t.Error(got)
	}
}
