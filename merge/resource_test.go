package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestResultKind: the schema is that of the apiVersion that the result will
// have: upstream's if that changed it or local has none, else local's.
func TestResultKind(t *testing.T) {
	for _, tt := range []struct{ name, origin, upstream, local, want string }{
		{"nobody changed it", "a/v1", "a/v1", "a/v1", "a/v1"},
		{"upstream did", "a/v1", "a/v2", "a/v1", "a/v2"},
		{"local did", "a/v1", "a/v1", "a/v2", "a/v2"},
		{"both did", "a/v1", "a/v2", "a/v3", "a/v2"},
		{"only upstream has it", "", "a/v1", "", "a/v1"},
		{"only local has it", "", "", "a/v1", "a/v1"},
		{"upstream deleted it", "a/v1", "", "a/v2", "a/v2"},
		{"local deleted it", "a/v1", "a/v1", "", "a/v1"},
	} {
		var versions [3]*yaml.Node
		for side, apiVersion := range []string{tt.origin, tt.upstream, tt.local} {
			if apiVersion != "" {
				versions[side] = parse(t, "apiVersion: "+apiVersion+"\nkind: A")
			}
		}
		if apiVersion, kind := ResultKind(versions); apiVersion != tt.want || kind != "A" {
			t.Errorf("%s: %s %s, want %s", tt.name, apiVersion, kind, tt.want)
		}
	}
}
