package e2e

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// jobContainer has the fields of a Job's container that the test reads.
type jobContainer struct {
	Name          string
	Command, Args []string
	Env           []struct{ Name, Value string }
	EnvFrom       []struct {
		ConfigMap struct{ Name string } `yaml:"configMapRef"`
	} `yaml:"envFrom"`
}

// manifest has the fields of a Job or a ConfigMap that the test reads.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Completions int
		Template    struct {
			Spec struct {
				InitContainers []jobContainer `yaml:"initContainers"`
				Containers     []jobContainer
			}
		}
	}
}

// TestExampleJob runs the containers of each pod of the Job, as kustomize writes them,
// with the binary in the place of its image. Running the Job again changes nothing, and
// a branch on which somebody went on stays.
func TestExampleJob(t *testing.T) {
	j := jobExample(t)
	packages := strings.Fields(j.configMaps["fleet-scripts"]["packages.txt"])
	if len(packages) != j.job.Spec.Completions {
		t.Fatalf("%d packages, %d completions", len(packages), j.job.Spec.Completions)
	}
	j.runJob(t)
	first := j.branches(t)
	for _, name := range packages {
		if !strings.Contains(first, "refs/heads/upgrade/"+name+"-v2\n") {
			t.Errorf("%s has no branch:\n%s", name, first)
		}
	}
	if report := j.must(t, "resource-merge fleet reports"); !strings.HasPrefix(report, "3 packages: 1 without conflicts, 2 with conflicts;") {
		t.Errorf("the report over all:\n%s", report)
	}
	j.runJob(t)
	if diff := cmp.Diff(first, j.branches(t)); diff != "" {
		t.Errorf("running again changed (-first +second):\n%s", diff)
	}

	j.must(t, `git clone --quiet --branch upgrade/cart-v2 remote.git mine
git -C mine commit --quiet --allow-empty --message="Not so"
git -C mine push --quiet origin HEAD`)
	edited := j.branches(t)
	j.runJob(t)
	if diff := cmp.Diff(edited, j.branches(t)); diff != "" {
		t.Errorf("somebody's branch changed (-before +after):\n%s", diff)
	}
}

// TestExampleJobFails: a version that upstream does not have fails the pods before they
// merge, and pushes nothing.
func TestExampleJobFails(t *testing.T) {
	j := jobExample(t)
	before := j.branches(t)
	j.configMaps["fleet-settings"]["VERSION"] = "v9"
	if err := j.runPod(t, 0); err == nil || !strings.HasPrefix(err.Error(), "fetch: ") {
		t.Errorf("%v, want fetch to fail", err)
	}
	if diff := cmp.Diff(before, j.branches(t)); diff != "" {
		t.Error(diff)
	}
}

// job is the example's Job, with directories of the test in the place of its volumes.
type job struct {
	example
	job        manifest
	configMaps map[string]map[string]string
}

func jobExample(t *testing.T) job {
	t.Helper()
	j := job{example: copyExample(t, "fleet-job"), configMaps: map[string]map[string]string{}}
	commitAll(t, j.dir)
	j.must(t, "./upstream.sh && git clone --quiet --bare . remote.git && mkdir work scripts reports")
	config := fmt.Sprintf("[url %q]\n  insteadOf = https://github.com/example/packages\n[url %q]\n  insteadOf = https://github.com/example/service-package\n",
		"file://"+j.dir+"/remote.git", "file://"+j.dir+"/upstream.git")
	if err := os.WriteFile(filepath.Join(j.dir, "work", ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	j.read(t, succeed(t, j.dir, "", "kustomize", "build").stdout)
	for name, text := range j.configMaps["fleet-scripts"] {
		if err := os.WriteFile(filepath.Join(j.dir, "scripts", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// read reads the manifests. What kustomize puts behind the names of ConfigMaps is left out.
func (j *job) read(t *testing.T, text string) {
	t.Helper()
	volumes := strings.NewReplacer("/fleet", j.dir+"/work", "/scripts", j.dir+"/scripts")
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var m manifest
		if err := decoder.Decode(&m); err != nil {
			break
		}
		if m.Kind == "Job" {
			j.job = m
		} else {
			j.configMaps[withoutHash(m.Metadata.Name)] = m.Data
		}
	}
	spec := &j.job.Spec.Template.Spec
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		for i := range c.Command {
			c.Command[i] = volumes.Replace(c.Command[i])
		}
		for i := range c.Args {
			c.Args[i] = volumes.Replace(c.Args[i])
		}
		for i := range c.Env {
			c.Env[i].Value = volumes.Replace(c.Env[i].Value)
		}
	}
}

func withoutHash(name string) string { return name[:strings.LastIndex(name, "-")] }

// runJob runs all pods, one after the other.
func (j job) runJob(t *testing.T) {
	t.Helper()
	for index := range j.job.Spec.Completions {
		if err := j.runPod(t, index); err != nil {
			t.Fatal(err)
		}
	}
}

// runPod runs the containers of a pod in their order. The one without a command runs its
// image's, resource-merge. The pod has the volume work to itself, and it is empty at first.
func (j job) runPod(t *testing.T, index int) error {
	t.Helper()
	j.must(t, "rm -rf work/*")
	spec := j.job.Spec.Template.Spec
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		command := slices.Concat(c.Command, c.Args)
		if len(c.Command) == 0 {
			command = slices.Concat([]string{"resource-merge"}, c.Args)
		}
		e := j.example.with(j.environment(c)...).with(fmt.Sprintf("JOB_COMPLETION_INDEX=%d", index))
		command[0] = find(command[0])
		output, err := e.run(t, command[0], command[1:]...)
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", c.Name, err, output)
		}
		if c.Name == "merge" {
			j.keep(t, index, output)
		}
	}
	return nil
}

// keep keeps the log of a merge.
func (j job) keep(t *testing.T, index int, log string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(j.dir, "reports", fmt.Sprintf("%d.json", index)), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
}

// environment is a container's: its ConfigMaps' and its own.
func (j job) environment(c jobContainer) []string {
	var all []string
	for _, from := range c.EnvFrom {
		data := j.configMaps[withoutHash(from.ConfigMap.Name)]
		for _, key := range slices.Sorted(maps.Keys(data)) {
			all = append(all, key+"="+data[key])
		}
	}
	for _, e := range c.Env {
		all = append(all, e.Name+"="+e.Value)
	}
	return all
}

// branches lists the branches of the remote repository.
func (j job) branches(t *testing.T) string {
	t.Helper()
	return branchesOf(t, filepath.Join(j.dir, "remote.git"))
}

// branchesOf lists the branches of a repository, a line each, and their commits.
func branchesOf(t *testing.T, repository string) string {
	t.Helper()
	return git(t, repository, "for-each-ref", "--format=%(objectname) %(refname)") + "\n"
}
