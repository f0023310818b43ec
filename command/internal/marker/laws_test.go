package marker_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/manifest"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// The parameters of a Deployment: a scalar each, that may be missing (0).
const (
	replicas = iota
	paused
	label
	image
	firstEnv
	lastEnv  = firstEnv + 4
	firstVol = lastEnv + 1
	lastVol  = firstVol + 2
	count    = lastVol + 1
)

type parameters [count]int

// text returns the Deployment that has the parameters.
func (p parameters) text(indent string) string {
	var b strings.Builder
	line := func(at int, format string, depth int) {
		if p[at] > 0 {
			b.WriteString(strings.Repeat("  ", depth) + fmt.Sprintf(format, p[at]))
		}
	}
	b.WriteString("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n")
	if p[label] > 0 {
		b.WriteString("  labels:\n")
		line(label, "app: v%d\n", 2)
	}
	b.WriteString("spec:\n")
	line(replicas, "# how many\n  replicas: %d # said\n", 1)
	line(paused, "minReadySeconds: %d\n", 1)
	b.WriteString("  template:\n    spec:\n      containers:\n" + indent + "      - name: web\n")
	line(image, indent+"image: nginx:%d\n", 4)
	p.list(&b, indent+"        ", "env", firstEnv, lastEnv, "- name: E%d\n", "  value: e%dv%d\n")
	p.list(&b, "      ", "volumes", firstVol, lastVol, "- name: V%d\n", "  secret: {secretName: s%dv%d}\n")
	return b.String()
}

// list writes a list whose elements are parameters.
func (p parameters) list(b *strings.Builder, column, name string, first, last int, element, value string) {
	if slicesAreZero(p[first : last+1]) {
		return
	}
	b.WriteString(column + name + ":\n")
	for at := first; at <= last; at++ {
		if p[at] > 0 {
			fmt.Fprintf(b, column+element+column+value, at-first, at, p[at])
		}
	}
}

func slicesAreZero(list []int) bool {
	for _, n := range list {
		if n != 0 {
			return false
		}
	}
	return true
}

// read reads the parameters of a Deployment.
func read(t *rapid.T, text []byte) (p parameters) {
	d, err := manifest.Document(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	scalar := func(at int, n *yaml.Node) {
		if n != nil {
			digits := n.Value[strings.LastIndexAny(n.Value, "v:")+1:]
			if _, err := fmt.Sscan(digits, &p[at]); err != nil {
				t.Fatalf("%s: %v", n.Value, err)
			}
		}
	}
	root := d.Root()
	scalar(label, yamlnode.Lookup(root, "metadata", "labels", "app"))
	scalar(replicas, yamlnode.Lookup(root, "spec", "replicas"))
	scalar(paused, yamlnode.Lookup(root, "spec", "minReadySeconds"))
	spec := yamlnode.Lookup(root, "spec", "template", "spec")
	container := yamlnode.Elements(yamlnode.Field(spec, "containers"))[0]
	scalar(image, yamlnode.Field(container, "image"))
	for list, first := range map[*yaml.Node]int{yamlnode.Field(container, "env"): firstEnv, yamlnode.Field(spec, "volumes"): firstVol} {
		for _, e := range yamlnode.Elements(list) {
			n := 0
			fmt.Sscan(yamlnode.Text(yamlnode.Field(e, "name"))[1:], &n)
			if p[first+n] != 0 {
				t.Fatalf("%d twice in\n%s", n, text)
			}
			value := yamlnode.Field(e, "value")
			if value == nil {
				value = yamlnode.Lookup(e, "secret", "secretName")
			}
			scalar(first+n, value)
		}
	}
	return p
}

// TestLawSides: taking one side of every conflict gives that side's changes, and otherwise the
// other side's. Every mixture is readable, and each parameter has a value of a side. Equal versions
// give equal bytes.
func TestLawSides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.IntRange(0, 3)
		var versions [3]parameters
		for at := range versions[0] {
			versions[0][at] = value.Draw(t, "base")
		}
		versions[1], versions[2] = versions[0], versions[0]
		for side := 1; side < 3; side++ {
			for at := range versions[side] {
				if rapid.IntRange(0, 2).Draw(t, "changed") == 0 {
					versions[side][at] = value.Draw(t, "value")
				}
			}
		}
		indents := rapid.SampledFrom([]string{"", "  "})
		var texts [3]string
		for side, p := range versions {
			texts[side] = p.text(indents.Draw(t, "indent"))
		}
		pieces := marked(t, texts)
		format := marker.Format{Style: marker.Diff3}
		if again := marked(t, texts); !bytes.Equal(format.Render(pieces), format.Render(again)) {
			t.Fatal("other bytes the second time")
		}
		for side, own := range map[marker.Side]identity.Side{marker.Ours: identity.Local, marker.Theirs: identity.Upstream} {
			text := pieces.Resolve(func(int) marker.Side { return side })
			got := read(t, text)
			for at := range got {
				want := versions[own][at]
				if want == versions[identity.Origin][at] {
					want = versions[identity.Upstream+identity.Local-own][at]
				}
				collidingList := at >= firstEnv && got[at] == versions[own][at]
				if got[at] != want && !collidingList {
					t.Fatalf("parameter %d is %d, want %d, of side %d of %v in\n%s", at, got[at], want, side, versions, format.Render(pieces))
				}
			}
		}
		mixed := read(t, pieces.Resolve(func(int) marker.Side {
			return rapid.SampledFrom([]marker.Side{marker.Ours, marker.Theirs}).Draw(t, "side")
		}))
		for at, n := range mixed {
			if n != versions[0][at] && n != versions[1][at] && n != versions[2][at] {
				t.Fatalf("parameter %d is %d in a mixture", at, n)
			}
		}
	})
}
