package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// TestPackages applies published packages and records what is live: planned again, nothing is updated, and what kubectl
// takes is not refused. It does so after a client-side apply, and after a server-side one that takes the objects over. The
// packages are in testdata/packages.txt: a name, a version of a Go module, and a kustomization, a directory or a file in it.
func TestPackages(t *testing.T) {
	text, err := testdata.ReadFile("testdata/packages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		t.Run(fields[0], func(t *testing.T) {
			dir := downloaded(t, fields[1])
			config := filepath.Join(t.TempDir(), "config.yaml")
			t.Cleanup(removeCalls)
			if err := os.WriteFile(config, manifests(t, filepath.Join(dir, fields[2])), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, flags := range [][]string{nil, {"--server-side", "--force-conflicts"}} {
				apply := append([]string{"apply", "-f", config}, flags...)
				cluster.Kubectl(t.Context(), "", apply...) // the kinds of custom resources may come later in the package
				said := cluster.Kubectl(t.Context(), "", apply...)
				plan := planned(t, config, flags)
				t.Log(plan.Summary.Message)
				if plan.actions["update"] > 0 || plan.actions["unchanged"] == 0 {
					t.Errorf("%v: applied, and planned again: %v", flags, plan.text())
				}
				if left := plan.actions["refuse"] + plan.actions["create"]; said.Refused() != (left > 0) {
					t.Errorf("%v: the plan leaves %d objects; kubectl: %s", flags, left, said.Stderr)
				}
			}
		})
	}
}

// removeCalls removes what has the server call services of a package, which nobody runs, for the requests of other ones.
func removeCalls() {
	ctx := context.Background() // a test's own has ended at its cleanup
	cluster.Kubectl(ctx, "", "delete", "validatingwebhookconfiguration,mutatingwebhookconfiguration,validatingadmissionpolicybinding", "--all")
	called := cluster.Kubectl(ctx, "", "get", "apiservice", "-o", "jsonpath={.items[?(@.spec.service)].metadata.name}")
	for _, name := range strings.Fields(called.Stdout) {
		cluster.Kubectl(ctx, "", "delete", "apiservice", name)
	}
}

// downloaded returns the directory of a version of a module.
func downloaded(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if err := errors.Join(err, json.Unmarshal(out, &found)); err != nil || found.Dir == "" {
		t.Fatalf("download %s: %v %s", module, err, found.Error)
	}
	return found.Dir
}

// manifests returns the documents of a package, and makes their namespaces.
func manifests(t *testing.T, path string) []byte {
	t.Helper()
	var text bytes.Buffer
	kustomizations, _ := filepath.Glob(filepath.Join(path, "kustomization.y*ml"))
	files, _ := filepath.Glob(filepath.Join(path, "*.y*ml"))
	switch {
	case len(kustomizations) > 0:
		said := cluster.Kubectl(t.Context(), "", "kustomize", path)
		if said.Refused() {
			t.Fatal(said.Stderr)
		}
		text.WriteString(said.Stdout)
	case len(files) == 0:
		files = []string{path}
		fallthrough
	default:
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(data)
			text.WriteString("\n---\n")
		}
	}
	for d := yaml.NewDecoder(bytes.NewReader(text.Bytes())); ; {
		var object struct{ Metadata struct{ Namespace string } }
		if err := d.Decode(&object); errors.Is(err, io.EOF) {
			return text.Bytes()
		} else if err != nil {
			t.Fatal(err)
		}
		if name := object.Metadata.Namespace; name != "" {
			cluster.Kubectl(t.Context(), "", "create", "namespace", name) // it may be there
		}
	}
}

// plannedSteps is a plan, with the number of steps by their actions.
type plannedSteps struct {
	Summary struct{ Message string }
	Steps   []struct{ Action string }
	actions map[string]int
	text    func() string // the plan for people
}

// planned plans an apply of config to its recorded objects.
func planned(t *testing.T, config string, flags []string) (p plannedSteps) {
	t.Helper()
	live := filepath.Join(t.TempDir(), "live.yaml")
	recorded := cluster.Kubectl(t.Context(), "", "get", "-f", config, "-o", "yaml", "--show-managed-fields", "--ignore-not-found")
	if err := os.WriteFile(live, []byte(recorded.Stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	run := func(more ...string) server.Answer {
		args := append([]string{"plan", "--live", live, config}, more...)
		return server.Run(exec.CommandContext(t.Context(), function, append(args, flags...)...), "")
	}
	said := run("--report", "json")
	if err := json.Unmarshal([]byte(said.Stdout), &p); err != nil {
		t.Fatal(err, said.Stderr)
	}
	p.actions = map[string]int{}
	for _, s := range p.Steps {
		p.actions[s.Action]++
	}
	p.text = func() string { return run().Stdout }
	return p
}
