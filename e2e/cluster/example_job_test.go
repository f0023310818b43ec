package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExampleJob: the server takes the manifests of examples/fleet-job, knows every field
// of them, and warns of nothing in a namespace that is for restricted pods alone.
func TestExampleJob(t *testing.T) {
	namespace := `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"example-job","labels":{"pod-security.kubernetes.io/warn":"restricted"}}}`
	if says := cluster.Kubectl(t.Context(), namespace, "create", "-f", "-"); says.Refused() {
		t.Fatal(says)
	}
	example := filepath.Join("..", "..", "examples", "fleet-job")
	dryRun := []string{"create", "--namespace=example-job", "--dry-run=server", "--validate=strict"}
	says := cluster.Kubectl(t.Context(), "", append(dryRun, "-k", example)...)
	if says.Refused() || says.Stderr != "" || !strings.Contains(says.Stdout, "job.batch/upgrade-fleet-v2 created (server dry run)\n") {
		t.Errorf("%v\n%s\n%s", says.Err, says.Stdout, says.Stderr)
	}

	text, err := os.ReadFile(filepath.Join(example, "job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for said, change := range map[string][2]string{
		`unknown field "spec.backoffLimitPerIndexes"`: {"backoffLimitPerIndex:", "backoffLimitPerIndexes:"},
		"Required value":         {"completions: 3 ", "# "},
		"would violate PodSecur": {"runAsNonRoot: true", "runAsNonRoot: false"},
	} {
		wrong := strings.Replace(string(text), change[0], change[1], 1)
		if says := cluster.Kubectl(t.Context(), wrong, append(dryRun, "-f", "-")...); !strings.Contains(says.Stderr, said) {
			t.Errorf("%s: the server does not say %q of it: %v", change[1], said, says)
		}
	}
}
