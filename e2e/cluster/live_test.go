package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// liveSequences is how many packages are drawn, and liveRounds how often each is
// changed and applied.
const liveSequences, liveRounds = 6, 4

// TestLive applies drawn packages with the real `kpt live apply`, again and again, while
// somebody else changes the cluster. Before each apply there is a plan: kpt does the
// same things in the same groups and the same order, and its inventory lists the same
// afterwards.
func TestLive(t *testing.T) {
	kpt := build(t, "..", "./kptlive")
	counts := map[string]int{}
	for i := range liveSequences {
		s := newSequence(t, i)
		for round := range liveRounds {
			s.change(t, round)
			s.interfere(t)
			planned := s.plan(t)
			did := s.apply(t, kpt)
			did.Inventory = s.listed(t)
			if planned.Error != "" && did.Error != "" {
				counts["refused"]++
				continue
			}
			if !reflect.DeepEqual(planned, did) {
				t.Fatalf("sequence %d, round %d, policy %s:\n%s\nplan: %s\n kpt: %s", i, round, s.policy, s.text(), pretty(planned), pretty(did))
			}
			for _, line := range strings.Fields(strings.Join(flat(did.Waves), " ")) {
				counts[line]++
			}
		}
	}
	for _, action := range []string{"apply", "prune", "keep", "skip", "refused"} {
		t.Logf("%d x %s", counts[action], action)
		if counts[action] == 0 {
			t.Errorf("nothing was %s", action)
		}
	}
}

// build builds a program of another module.
func build(t *testing.T, module, path string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), filepath.Base(path))
	cmd := exec.Command("go", "build", "-o", out, path)
	cmd.Dir = module
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", path, err, text)
	}
	return out
}

// happened has the steps of a plan, or of kpt: a line for each resource, in waves; and the
// resources that the inventory lists afterwards.
type happened struct {
	Waves     [][]string
	Inventory []string
	Error     string
}

func pretty(h happened) string {
	text, _ := json.MarshalIndent(h, "", " ")
	return string(text)
}

func flat(waves [][]string) (lines []string) {
	for _, wave := range waves {
		lines = append(lines, wave...)
	}
	return lines
}

// plan returns the plan of the package as it is for the live objects.
func (s *sequence) plan(t *testing.T) (h happened) {
	t.Helper()
	inventory, err := os.ReadFile(filepath.Join(s.dir, "resourcegroup.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"config/resourcegroup.yaml": string(inventory), "config/resources.yaml": s.text(), "live.yaml": s.live(t)}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), function, "apply", "--live=live.yaml", "config", "--inventory-policy="+s.policy, "-o", "after", "--report=json")
	cmd.Dir = dir
	said := server.Run(cmd, "")
	if said.Refused() {
		h.Error = said.Stderr
		return h
	}
	var report struct{ Steps []planStep }
	if err := json.Unmarshal([]byte(said.Stdout), &report); err != nil {
		t.Fatal(err, said)
	}
	for _, step := range report.Steps {
		if step.Wave > len(h.Waves) {
			h.Waves = append(h.Waves, nil)
		}
		h.Waves[step.Wave-1] = append(h.Waves[step.Wave-1], step.line())
	}
	h.Inventory = listedIn(t, filepath.Join(dir, "after"), s.home())
	return h
}

// planStep is a step of a plan.
type planStep struct {
	Wave                                 int
	Action, Group, Kind, Namespace, Name string
}

// line is the step in the words of kpt, which also applies unchanged objects.
func (s planStep) line() string {
	switch s.Action {
	case "create", "update", "unchanged":
		s.Action = "apply"
	}
	return s.Action + " " + strings.Join([]string{s.Group, s.Kind, s.Namespace, s.Name}, "/")
}

// listedIn returns the names in the inventory of a namespace in the files of a result.
func listedIn(t *testing.T, dir, namespace string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, object := range documents(t, string(text)) {
			metadata, _ := object["metadata"].(server.Object)
			if object["kind"] != "ResourceGroup" || metadata["namespace"] != namespace {
				continue
			}
			spec, _ := object["spec"].(server.Object)
			resources, _ := spec["resources"].([]any)
			for _, resource := range resources {
				r := resource.(server.Object)
				names = append(names, fmt.Sprintf("%v/%v/%v/%v", r["group"], r["kind"], r["namespace"], r["name"]))
			}
		}
	}
	return names
}

// documents returns the objects of a text; a List stands for its items.
func documents(t *testing.T, text string) (out []server.Object) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var object server.Object
		switch err := decoder.Decode(&object); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatal(err)
		}
		items, isList := object["items"].([]any)
		if !isList {
			out = append(out, object)
		}
		for _, item := range items {
			out = append(out, item.(server.Object))
		}
	}
}

// live returns the cluster's objects of the drawn kinds.
func (s *sequence) live(t *testing.T) string {
	t.Helper()
	kinds := "configmaps,secrets,namespaces,clusterroles,customresourcedefinitions,resourcegroups.kpt.dev"
	said := cluster.Kubectl(t.Context(), "", "get", kinds, "--all-namespaces", "--output=yaml")
	if said.Refused() && !strings.Contains(said.Stderr, `a resource type "resourcegroups"`) {
		t.Fatal(said)
	}
	if said.Refused() {
		said = cluster.Kubectl(t.Context(), "", "get", strings.TrimSuffix(kinds, ",resourcegroups.kpt.dev"), "--all-namespaces", "--output=yaml")
	}
	custom := cluster.Kubectl(t.Context(), "", "get", s.plural(), "--all-namespaces", "--output=yaml")
	return said.Stdout + "\n---\n" + custom.Stdout // kubectl says nothing on stdout of a kind that is not served
}

// apply runs kpt, and reads its events.
func (s *sequence) apply(t *testing.T, kpt string) (h happened) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, "resources.yaml"), []byte(s.text()), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.endNamespace(ctx)
	said := server.Run(cluster.Program(ctx, kpt, "apply", s.dir, "--output=json", "--inventory-policy="+s.policy, "--reconcile-timeout=1m", "--prune-timeout=1m"), "")
	for line := range strings.Lines(said.Stdout) {
		var e liveEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err, line)
		}
		h.add(e)
	}
	if len(h.Waves) == 0 && said.Refused() {
		h.Error = said.Stderr
	}
	return h
}

// endNamespace ends the second namespace once it is deleted, as the controller does that
// is not there.
func (s *sequence) endNamespace(ctx context.Context) {
	path := "/api/v1/namespaces/" + s.second()
	for ctx.Err() == nil {
		time.Sleep(200 * time.Millisecond)
		namespace, err := cluster.Get(ctx, path)
		metadata, _ := namespace["metadata"].(server.Object)
		if err == nil && metadata["deletionTimestamp"] != nil {
			namespace["spec"] = server.Object{}
			_, _ = cluster.Put(ctx, path+"/finalize", namespace)
		}
	}
}

// liveEvent is an event of kpt's.
type liveEvent struct {
	Type, Action, Status, Group, Kind, Namespace, Name, Error string
}

func (h *happened) add(e liveEvent) {
	switch {
	case e.Type == "group" && e.Status == "Started" && (e.Action == "Apply" || e.Action == "Prune"):
		h.Waves = append(h.Waves, nil)
	case e.Type == "apply" || e.Type == "prune":
		last := &h.Waves[len(h.Waves)-1]
		*last = append(*last, e.what()+" "+strings.Join([]string{e.Group, e.Kind, e.Namespace, e.Name}, "/"))
	}
}

// what names the action of an event as a plan does.
func (e liveEvent) what() string {
	switch {
	case e.Status == "Successful":
		return e.Type
	case strings.HasPrefix(e.Error, "annotation prevents deletion"):
		return "keep"
	case e.Status == "Skipped":
		return "skip"
	case strings.Contains(e.Error, "no matches for kind"):
		return "skip" // its CRD was skipped: kpt asks the server for the kind before it looks at that
	}
	return "fail (" + e.Error + ")"
}

// listed returns the names in the inventory.
func (s *sequence) listed(t *testing.T) (names []string) {
	t.Helper()
	var group struct {
		Spec struct {
			Resources []struct{ Group, Kind, Namespace, Name string }
		}
	}
	_ = cluster.Do(t.Context(), "GET", "/apis/kpt.dev/v1alpha1/namespaces/"+s.home()+"/resourcegroups/inventory", nil, &group) // none yet if all was refused
	for _, r := range group.Spec.Resources {
		names = append(names, strings.Join([]string{r.Group, r.Kind, r.Namespace, r.Name}, "/"))
	}
	return names
}

// sequence is a package that changes from round to round.
type sequence struct {
	number int
	dir    string
	random *rand.Rand
	policy string
	// docs are the resources of the package, as YAML, and maps the numbers of its
	// ConfigMaps.
	docs []string
	maps []int
}

// newSequence makes an empty package with an inventory.
func newSequence(t *testing.T, number int) *sequence {
	t.Helper()
	s := &sequence{number: number, dir: t.TempDir(), random: rand.New(rand.NewPCG(uint64(number), 19)), policy: "strict"}
	if number%2 == 1 {
		s.policy = "adopt"
	}
	if err := cluster.Namespace(t.Context(), s.home()); err != nil {
		t.Fatal(err)
	}
	group := fmt.Sprintf("apiVersion: kpt.dev/v1alpha1\nkind: ResourceGroup\nmetadata:\n  name: inventory\n  namespace: %s\n  labels:\n    cli-utils.sigs.k8s.io/inventory-id: id-%d\n", s.home(), number)
	for name, text := range map[string]string{
		"Kptfile":            "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n",
		"resourcegroup.yaml": group,
	} {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *sequence) home() string     { return fmt.Sprintf("home%d", s.number) }
func (s *sequence) second() string   { return fmt.Sprintf("second%d", s.number) }
func (s *sequence) plural() string   { return fmt.Sprintf("gadget%ds.example.com", s.number) }
func (s *sequence) text() string     { return strings.Join(s.docs, "---\n") }
func (s *sequence) oneIn(n int) bool { return s.random.IntN(n) == 0 }
