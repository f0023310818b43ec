package cluster

import (
	"strings"
	"testing"
)

// TestVersions: the programs say the version that go.mod has, so that the server
// emulates it and kubectl finds no difference to it.
func TestVersions(t *testing.T) {
	says := cluster.Kubectl(t.Context(), "", "version")
	if says.Refused() || says.Stderr != "" {
		t.Fatal(says)
	}
	t.Log(says.Stdout)
	if n := strings.Count(says.Stdout, "Version: v1.36.3"); n != 2 {
		t.Errorf("kubectl and the server are not of v1.36.3: %s", says.Stdout)
	}
}
