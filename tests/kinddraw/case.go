// Package kinddraw draws versions of the built-in kinds of Kubernetes along client-go's schema,
// for laws and for comparisons with other programs. Only tests use it.
package kinddraw

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"go.yaml.in/yaml/v3"
	_ "pgregory.net/rapid" // its flag says how many cases there are

	"github.com/resource-merge/resource-merge/identity"
)

// Case has three versions of a resource.
type Case struct {
	Name  string
	Kind  Kind
	Sides [3]any
}

// Every draws cases of each of the kinds: so many, and more if -rapid.checks is above its
// default. A kind that is not wanted is left out, and changes no draw of the others.
func Every(t *testing.T, kinds []Kind, seeds int, wanted func(Kind) bool, check func(Drawer, Case)) {
	t.Helper()
	for i, kind := range kinds {
		if !wanted(kind) {
			continue
		}
		for seed := range Scaled(t, seeds) {
			d := NewDrawer(kind, uint64(i), uint64(seed))
			object := d.Resource(kind)
			c := Case{Name: fmt.Sprintf("%s, seed %d", kind, seed), Kind: kind}
			c.Sides[identity.Origin], c.Sides[identity.Upstream], c.Sides[identity.Local] = object, d.Edits(kind, object), d.Edits(kind, object)
			check(d, c)
		}
	}
}

// NewDrawer returns a drawer along the schema of a kind, which draws the same from the same
// seeds.
func NewDrawer(kind Kind, seed, more uint64) Drawer {
	return Drawer{Rand: rand.New(rand.NewPCG(seed, more)), Schema: kind.Schema}
}

// Scaled is a number of cases times a hundredth of -rapid.checks, whose default
// is 100, but never fewer.
func Scaled(t *testing.T, n int) int {
	t.Helper()
	checks, err := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	if err != nil {
		t.Fatal(err)
	}
	return max(n, n*checks/100)
}

// Nodes makes nodes of values, without the detour by text of Node.Encode.
func Nodes(sides [3]any) (nodes [3]*yaml.Node) {
	for side, v := range sides {
		nodes[side] = nodeOf(v)
	}
	return nodes
}

func nodeOf(v any) *yaml.Node {
	n := &yaml.Node{}
	switch v := v.(type) {
	case nil:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!null", "null"
	case map[string]any:
		n.Kind, n.Tag = yaml.MappingNode, "!!map"
		for _, name := range slices.Sorted(maps.Keys(v)) {
			n.Content = append(n.Content, nodeOf(name), nodeOf(v[name]))
		}
	case []any:
		n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
		for _, element := range v {
			n.Content = append(n.Content, nodeOf(element))
		}
	case string:
		n.Kind, n.Tag, n.Value, n.Style = yaml.ScalarNode, "!!str", v, yaml.DoubleQuotedStyle
	case int:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!int", strconv.Itoa(v)
	case bool:
		n.Kind, n.Tag, n.Value = yaml.ScalarNode, "!!bool", strconv.FormatBool(v)
	default:
		panic(fmt.Sprintf("no value that is drawn is a %T", v))
	}
	return n
}
