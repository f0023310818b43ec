package draw

import "math/rand/v2"

// Choices has the number chosen at each place of a grammar.
type Choices map[string]int

// Object draws an object, and returns the choices that made it.
func (g Grammar) Object(random *rand.Rand) (map[string]any, Choices, error) {
	return g.Redraw(random, nil, 0)
}

// Redraw draws an object again: at each place it keeps the choice, or chooses anew with
// the given chance. The choices that it returns are of the new object.
func (g Grammar) Redraw(random *rand.Rand, choices Choices, chance float64) (map[string]any, Choices, error) {
	drawn := Choices{}
	object, err := g.object(func(place string, n int) int {
		chosen, known := choices[place]
		anew := random.Float64() < chance
		number := random.IntN(n)
		if known && !anew {
			number = chosen
		}
		drawn[place] = number
		return number
	})
	return object, drawn, err
}

// Prune takes fields away from an object at random, but never the keys of elements. The
// result is a config that sets a few fields of the object.
func Prune(random *rand.Rand, object map[string]any, keys map[string]bool) map[string]any {
	pruned := map[string]any{}
	for _, key := range sortedKeys(object) {
		if keys[key] || random.IntN(3) == 0 {
			pruned[key] = object[key]
			continue
		}
		switch value := object[key].(type) {
		case map[string]any:
			if rest := Prune(random, value, keys); len(rest) > 0 {
				pruned[key] = rest
			}
		case []any:
			if rest := pruneList(random, value, keys); len(rest) > 0 {
				pruned[key] = rest
			}
		}
	}
	return pruned
}

// pruneList takes elements, and fields of elements, away. A list of scalars stays whole.
func pruneList(random *rand.Rand, list []any, keys map[string]bool) []any {
	var pruned []any
	for _, element := range list {
		object, ok := element.(map[string]any)
		if !ok {
			return list
		}
		if random.IntN(2) == 0 {
			pruned = append(pruned, Prune(random, object, keys))
		}
	}
	return pruned
}
