package merge

import (
	"strings"
	"testing"
)

// TestDifferentialMerge3 compares merge.Resource under policy upstream with
// kyaml's merge3 on the kinds of goTypes, whatever the sides changed. Every
// difference must be of a class that is intended, and every class must occur.
func TestDifferentialMerge3(t *testing.T) {
	tally := map[string]int{}
	compare := func(_ drawer, c drawn) {
		a, err := ask(c, merged3)
		switch {
		case err == nil:
			explain(t, a, merge3Classes(), tally)
		case strings.Contains(err.Error(), "wrong node kind"):
			tally["refused"]++
		case strings.Contains(err.Error(), ".port: expected numeric"):
			tally["key of another type"]++
		default:
			t.Errorf("%s: %v", c.name, err)
		}
	}
	eachDrawn(t, 40, hasType(goTypes()), compare)
	eachDrawn(t, 460, isService, compare)
	report(t, tally, append(merge3Classes(), unanswered()...))
}

// unanswered lists the classes of cases to which merge3 has no valid answer.
func unanswered() []class {
	return []class{
		{name: "refused", reason: "where the sides' kinds differ they are whole values; there that is an error (counts cases) (rules/fields: whole values)"},
		{name: "key of another type", reason: "a key never changes its type; there a port's number comes out as a string (counts cases) (rules/lists: keyed lists)"},
	}
}

// isService chooses the kind that is mostly ports.
func isService(kind kindUnderTest) bool { return kind.kind == "Service" }
