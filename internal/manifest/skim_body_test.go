package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// checkBodies checks that a text reads the same whether its body is known or not, also below another head. It reports
// whether the body became known.
func checkBodies(t rapid.TB, text string, column int) (known bool) {
	t.Helper()
	bodies := NewBodies()
	bodies.least = 0
	above := strings.Repeat(" ", column) + "- "
	for _, version := range []string{
		strings.Replace(text, "metadata:\n", "metadata:\n"+strings.Repeat(" ", column)+"    labels: ~\n", 1),
		text, text,
		strings.Replace(text, "kind: ", "kind: Null", 1),
		strings.Replace(text, "metadata:", "metadata: # kpt-merge: a/b\n"+above+"  name:", 1),
		strings.Replace(text, above, above+"apiVersion: ~\n  "+strings.Repeat(" ", column), 1),
		strings.Replace(text, above, above+"spec: ~\n  "+strings.Repeat(" ", column), 1),
		strings.Replace(text, "kind: ", "kind: \x01", 1),
		text + strings.Repeat(" ", column) + "  metadata:\n" + strings.Repeat(" ", column) + "    name: a\n",
		text + "\x01\n",
		text,
	} {
		got, want := bodies.Read([]byte(version), column), SkimItem([]byte(version), column)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Skim{}, head{}, annotationLine{}, span{})); diff != "" {
			t.Fatalf("%s\n%s", diff, version)
		}
	}
	return countKnown(bodies) > 0
}

// TestBodiesAgree: a known body does not change the reading.
func TestBodiesAgree(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		column := 2 * rapid.IntRange(0, 1).Draw(t, "column")
		if checkBodies(t, drawItem(t, column), column) {
			known++
		}
	})
	if known < 10/seed.Step(4) {
		t.Errorf("only %d bodies were known", known)
	}
}

// TestBodies has known and unknown bodies.
func TestBodies(t *testing.T) {
	const top = "- kind: A\n  metadata:\n    name: b\n"
	for body, want := range map[string]bool{
		"  spec:\n    a: b\n":                   true,
		"  data: |\n    a\n":                    true,
		"  data: null\n":                        true,
		"  spec:\n    a: b\n  apiVersion: v1\n": false,
		"  spec: &a b\n":                        false,
		"  spec: \"\x01\"\n":                    false,
		"  apiVersion: v1\n":                    false,
		"  \"spec\":\n    a: b\n":               false,
	} {
		t.Run(body, func(t *testing.T) {
			if got := checkBodies(t, top+body, 0); got != want {
				t.Errorf("known: %t, want %t", got, want)
			}
		})
	}
	if checkBodies(t, "- kind: A\n  spec:\n    a: b\n  metadata:\n    name: b\n", 0) {
		t.Error("a body above metadata is known")
	}
}

// TestBodyBelowTheDash has a known body that is a whole item, with the dash in a line of its own.
func TestBodyBelowTheDash(t *testing.T) {
	bodies := NewBodies()
	bodies.least = 0
	const body = "  spec:\n    a: b\n"
	bodies.Read([]byte("- kind: A\n"+body), 0)
	want, got := SkimItem([]byte("-\n"+body), 0), bodies.Read([]byte("-\n"+body), 0)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Skim{}, head{}, annotationLine{}, span{})); diff != "" || want == nil || countKnown(bodies) == 0 {
		t.Errorf("%v, with %d bodies known\n%s", want, countKnown(bodies), diff)
	}
}

// countKnown returns the number of known bodies.
func countKnown(b *Bodies) (count int) {
	b.known.Range(func(any, any) bool { count++; return true })
	return count
}
