package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOraclesStayOutOfTheBinary finds modules that only tests may use among
// those that the binary is built from (DESIGN 11).
func TestOraclesStayOutOfTheBinary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	modules := strings.Fields(string(out))
	if len(modules) == 0 {
		t.Fatal("go list names no module")
	}
	for _, module := range modules {
		for _, oracle := range []string{"k8s.io/api", "k8s.io/client-go", "sigs.k8s.io/structured-merge-diff", "github.com/santhosh-tekuri/jsonschema"} {
			if strings.HasPrefix(module, oracle) {
				t.Errorf("the binary has %s in it", module)
			}
		}
	}
}
