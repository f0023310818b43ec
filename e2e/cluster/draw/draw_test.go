package draw

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

const grammar = `
kind: Thing
size: !any [1, 2, null]
list: !some [{name: a}, {name: b, value: !one [x, y]}, {name: c}]
flag: !maybe true
`

// TestRedraw: an object that is drawn again with no chance of a change is the same, and
// with a small chance it is sometimes another.
func TestRedraw(t *testing.T) {
	g, err := Parse([]byte(grammar))
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	changed := 0
	for range 100 {
		first, choices, err := g.Object(random)
		if err != nil {
			t.Fatal(err)
		}
		same, choices, err := g.Redraw(random, choices, 0)
		if err != nil || !reflect.DeepEqual(first, same) {
			t.Fatalf("%v became %v: %v", first, same, err)
		}
		if other, _, _ := g.Redraw(random, choices, 0.2); !reflect.DeepEqual(first, other) {
			changed++
		}
	}
	if changed < 20 || changed == 100 {
		t.Errorf("%d of 100 objects changed", changed)
	}
}

// TestPrune: what is left of an element has its key.
func TestPrune(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	object := map[string]any{"list": []any{map[string]any{"name": "a", "value": "x"}, map[string]any{"name": "b"}}}
	for range 100 {
		list, _ := Prune(random, object, map[string]bool{"name": true})["list"].([]any)
		for _, element := range list {
			if element.(map[string]any)["name"] == nil {
				t.Fatalf("an element without its key: %v", element)
			}
		}
	}
}
