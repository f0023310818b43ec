package merge

import (
	"strings"
	"testing"
)

// TestDifferentialStrategicPatch compares merge.Resource under policy upstream
// with apimachinery's strategicpatch, as kubectl apply uses it, on the kinds of
// goTypes. kubectl overwrites what local changed, and so local only adds here;
// what upstream does is arbitrary. Every difference must be of a class that is
// intended, and every class must occur.
func TestDifferentialStrategicPatch(t *testing.T) {
	types := goTypes()
	classes := patchTypes{types}.classes()
	tally := map[string]int{}
	eachDrawn(t, 300, hasType(types), func(d drawer, c drawn) {
		a, err := ask(d.onlyAdds(c), patched(types))
		if err == nil {
			explain(t, a, classes, tally)
			return
		}
		if tally[refusal(err)]++; refusal(err) == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	})
	report(t, tally, append(classes, refusals()...))
}

// refusals lists the classes of cases that strategicpatch does not answer.
func refusals() []class {
	return []class{
		{name: "element refused", reason: "an atomic list may have elements without the key by which strategicpatch would merge it, or with one key twice; there they are an error (counts cases) (rules/schemas: built-in kinds)"},
		{name: "field refused", reason: "what no type describes is a value like any other; there its fields are an error (counts cases) (rules/fields: whole values)"},
	}
}

// refusal is the class of an error of strategicpatch, "" if it has none.
func refusal(err error) string {
	switch {
	case strings.Contains(err.Error(), "does not contain declared merge key"), strings.Contains(err.Error(), "doesn't match $setElementOrder list"):
		return "element refused"
	case strings.Contains(err.Error(), "unable to find api field in struct RawExtension"), strings.Contains(err.Error(), "data type is not struct"):
		return "field refused"
	}
	return ""
}
