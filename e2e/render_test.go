package e2e

import "testing"

// TestRender runs the function as a step of the package's own pipeline, which keeps the
// sides; the second run changes nothing. Under render kpt gives paths relative to each
// item's own package (rules/function: sides).
func TestRender(t *testing.T) {
	before := packageOf(t, "render")
	want := expectedOf(t, "render").and(before.below("origin", "upstream"))
	dir := before.write(t)
	for range 2 {
		out := succeed(t, dir, "", "kpt", "fn", "render", ".", "--allow-exec")
		want.check(t, dir)
		out.shows(t, "[info]: merged ")
	}
}
