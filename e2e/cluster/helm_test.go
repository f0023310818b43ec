package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// upgrade is the upgrade of a release from one chart to another.
type upgrade struct {
	Name, Before, Config string
	// Steps are calls of kubectl between the two.
	Steps [][]string
}

// TestHelm: apply --as helm says of the upgrade of a release whether Helm 4 fails, on which fields and who owns them, and
// with --force-conflicts plans the objects that Helm leaves (docs/plan.md: as Helm 4).
func TestHelm(t *testing.T) {
	helm := buildHelm(t)
	text, err := testdata.ReadFile("testdata/helm.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []upgrade
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	for _, u := range all {
		t.Run(u.Name, func(t *testing.T) {
			t.Parallel()
			r := release{helm: helm, namespace: "helm-" + u.Name, dir: t.TempDir()}
			r.prepare(t, u)
			plain := r.compare(t)
			if plain.conflicts != nil {
				r.compare(t, "--force-conflicts")
			}
		})
	}
}

// buildHelm builds Helm at the version of its module here.
func buildHelm(t *testing.T) string {
	t.Helper()
	helm := filepath.Join(t.TempDir(), "helm")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", helm, "helm.sh/helm/v4/cmd/helm")
	build.Dir = "helm"
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return helm
}

// release is a release with the name web, in a namespace of its own.
type release struct {
	helm, namespace, dir string
}

// prepare installs the release, and lets others change it.
func (r release) prepare(t *testing.T, u upgrade) {
	t.Helper()
	if err := cluster.Namespace(t.Context(), r.namespace); err != nil {
		t.Fatal(err)
	}
	r.writeChart(t, "0.1.0", u.Before)
	if says := r.run(t, "install", "web", r.dir); says.Refused() {
		t.Fatal(says.Stderr)
	}
	for _, args := range u.Steps {
		if says := cluster.Kubectl(t.Context(), "", append(args, "-n", r.namespace)...); says.Refused() {
			t.Fatal(says.Stderr)
		}
	}
	r.writeChart(t, "0.2.0", u.Config)
}

// writeChart writes a chart with one template.
func (r release) writeChart(t *testing.T, version, template string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(r.dir, "templates"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Chart.yaml": "apiVersion: v2\nname: web\nversion: " + version + "\n", "templates/all.yaml": template,
	} {
		if err := os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs Helm.
func (r release) run(t *testing.T, args ...string) server.Answer {
	t.Helper()
	return server.Run(cluster.Program(t.Context(), r.helm, append(args, "-n", r.namespace)...), "")
}

// foreseen is the answer of a plan.
type foreseen struct {
	isRefused bool
	conflicts []string // managers and paths
	objects   map[string]server.Object
}

// compare plans the upgrade, runs it, and compares the two.
func (r release) compare(t *testing.T, flags ...string) foreseen {
	t.Helper()
	plan := r.plan(t, flags)
	says := r.run(t, slices.Concat([]string{"upgrade", "web", r.dir}, flags)...)
	if says.Refused() != plan.isRefused {
		t.Errorf("%q: Helm fails: %v, and the plan: %v\n%s", flags, says.Refused(), plan.isRefused, says.Stderr)
	}
	_, failure, _ := strings.Cut(says.Stderr, "Error: UPGRADE FAILED: ") // behind lines of a log with the same words
	if diff := cmp.Diff(conflicts(t, failure), plan.conflicts); diff != "" {
		t.Errorf("%q: conflicts of Helm (-) and the plan (+):\n%s\n%s", flags, diff, says.Stderr)
	}
	if plan.isRefused {
		return plan // and writes no objects
	}
	if diff := cmp.Diff(r.objects(t, r.recording(t).Stdout), plan.objects); diff != "" {
		t.Errorf("%q: objects of Helm (-) and the plan (+):\n%s", flags, diff)
	}
	return plan
}

// recording returns the objects of the namespace as kubectl writes them.
func (r release) recording(t *testing.T) server.Answer {
	t.Helper()
	return cluster.Kubectl(t.Context(), "", "get", "deployments,services,configmaps,widgets", "-n", r.namespace,
		"--field-selector=metadata.name!=kube-root-ca.crt", "-o", "yaml", "--show-managed-fields")
}

// plan runs apply --as helm with a render and a recording.
func (r release) plan(t *testing.T, flags []string) foreseen {
	t.Helper()
	dir := t.TempDir()
	live, report, out := filepath.Join(dir, "live.yaml"), filepath.Join(dir, "report.json"), filepath.Join(dir, "out")
	if err := os.WriteFile(live, []byte(r.recording(t).Stdout), 0o644); err != nil {
		t.Fatal(err)
	}
	render := r.run(t, "template", "web", r.dir, "--no-hooks")
	args := []string{"apply", "--live", live, "-n", r.namespace, "-", "--as", "helm", "--report", "json=" + report, "-o", out}
	says := server.Run(exec.CommandContext(t.Context(), function, append(args, flags...)...), render.Stdout)
	var told struct {
		Conflicts []struct {
			Kind, Path string
			Managers   []string
		}
	}
	text, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, says.Stderr)
	}
	f := foreseen{isRefused: says.Refused()}
	if !f.isRefused {
		f.objects = r.objects(t, readAll(t, out))
		return f
	}
	for _, c := range told.Conflicts {
		if c.Kind == "owned" {
			f.conflicts = append(f.conflicts, strings.Join(c.Managers, ", ")+": ."+quotedName.ReplaceAllString(c.Path, ".$1"))
		}
	}
	slices.Sort(f.conflicts)
	return f
}

// readAll returns the documents of a directory's files.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	var text strings.Builder
	err := filepath.WalkDir(dir, func(file string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		document, err := os.ReadFile(file)
		text.WriteString("---\n" + string(document) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// objects returns the objects of documents, by kind and name, without the values that the server chooses.
func (r release) objects(t *testing.T, documents string) map[string]server.Object {
	t.Helper()
	out := map[string]server.Object{}
	decoder := yaml.NewDecoder(strings.NewReader(documents))
	for {
		var object server.Object
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatalf("%v\n%s", err, documents)
		}
		all := []any{object}
		if object["kind"] == "List" {
			all = object["items"].([]any)
		}
		for _, o := range all {
			object := normal(t, place{name: r.namespace}, o.(server.Object))
			out[fmt.Sprint(object["kind"], " ", object["metadata"].(server.Object)["name"])] = object
		}
	}
}
