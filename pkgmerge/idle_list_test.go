package pkgmerge

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A list is found only if its path leads to it through fields, elements and aliases.
func TestWantedLists(t *testing.T) {
	const text = `
spec:
  rules: &rules
  - backends: [{name: a}]
  - hosts: {all: [b]}
  copy: *rules
  text: a
`
	for path, want := range map[string]bool{
		"spec":                  false,
		"spec.text":             false,
		"spec.rules":            true,
		"spec.rules.backends":   false,
		"spec.rules.*.backends": true,
		"spec.rules.*.hosts":    false,
		"spec.copy":             true,
		"spec.copy.*.hosts.all": true,
		"spec.*":                false,
		"status.rules":          false,
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		fields := strings.Split(path, ".")
		// a rule for a longer path, and one for a shorter one, are about other lists
		w := (*wantedLists)(nil).with(append(fields[:len(fields):len(fields)], "below")).with(fields).with(fields[:1])
		w.find(doc.Content[0])
		if got := w.found(fields); got != want {
			t.Errorf("%s: found %t, want %t", path, got, want)
		}
	}
}
