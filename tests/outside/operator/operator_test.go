package operator

import (
	"os/exec"
	"strings"
	"testing"
)

// TestKeepsItsClientGo finds modules of Kubernetes that the program has in another version than
// client-go v0.29 asks for. The build needs the replacement of kube-openapi in go.mod: kyaml asks
// for a newer one.
func TestKeepsItsClientGo(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{with .Replace}}{{.Version}}{{else}}{{.Version}}{{end}}", "all").Output()
	if err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[path] = version
	}
	for path, want := range map[string]string{
		"k8s.io/api":                                "v0.29.15",
		"k8s.io/apimachinery":                       "v0.29.15",
		"k8s.io/client-go":                          "v0.29.15",
		"k8s.io/klog/v2":                            "v2.110.1",
		"k8s.io/kube-openapi":                       "v0.0.0-20231010175941-2dd684a91f00",
		"sigs.k8s.io/json":                          "v0.0.0-20221116044647-bc3834ca7abd",
		"sigs.k8s.io/structured-merge-diff/v4":      "v4.4.1",
		"sigs.k8s.io/structured-merge-diff/v6":      "",
		"gopkg.in/evanphx/json-patch.v4":            "",
		"github.com/kptdev/krm-functions-sdk/go/fn": "",
	} {
		if versions[path] != want {
			t.Errorf("%s has the version %q, want %q", path, versions[path], want)
		}
	}
}

// TestUpgrade merges a Deployment into client-go's type of it.
func TestUpgrade(t *testing.T) {
	const origin = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  template: {spec: {containers: [{name: web, image: web:1}]}}\n"
	merged, err := Upgrade([3]string{origin, strings.Replace(origin, "web:1", "web:2", 1), strings.Replace(origin, "replicas: 1", "replicas: 3", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if image := merged.Spec.Template.Spec.Containers[0].Image; *merged.Spec.Replicas != 3 || image != "web:2" {
		t.Errorf("%d replicas of %s", *merged.Spec.Replicas, image)
	}
}
