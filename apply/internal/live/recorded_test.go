package live_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/live"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// recording is the record of the real `kpt live apply` on a real server.
type recording struct {
	Situations []situation
}

type situation struct {
	Name   string
	Rounds []round
}

type round struct {
	Package   string
	Exit      int
	Out, Err  string
	Inventory []string
	Live      []struct {
		Name        string
		Annotations map[string]string
	}
}

// before returns the change that somebody made in the cluster by hand before a round,
// and whether kpt may adopt. The recording shows them by their results only.
func before(name string, number int) (adopt bool, do func(testing.TB, *cluster)) {
	owner := func(object, id string) func(testing.TB, *cluster) {
		return func(_ testing.TB, c *cluster) { c.annotate(configMap(object), live.OwningInventory, id) }
	}
	existing := func(then func(testing.TB, *cluster)) func(testing.TB, *cluster) {
		return func(t testing.TB, c *cluster) {
			c.objects = objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}")
			then(t, c)
		}
	}
	nothing := func(testing.TB, *cluster) {}
	switch fmt.Sprintf("%s %d", name, number) {
	case "prune-foreign 1":
		return false, owner("b", "other")
	case "prune-gone 1":
		return false, func(_ testing.TB, c *cluster) { c.remove(configMap("b")) }
	case "apply-unowned-adopt 0":
		return true, existing(nothing)
	case "apply-foreign-adopt 0":
		return true, existing(owner("a", "other"))
	}
	return false, nothing
}

func configMap(name string) identity.ID {
	return identity.ID{Kind: "ConfigMap", Namespace: "shop", Name: name}
}

// TestRecorded plans what kpt was recorded to do: the actions with their reasons, in
// the same groups and order, and the same inventory afterwards.
func TestRecorded(t *testing.T) {
	text, err := os.ReadFile("../../../testdata/recorded/kpt-live.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var recorded recording
	if err := yaml.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, s := range recorded.Situations {
		t.Run(s.Name, func(t *testing.T) { play(t, s) })
	}
}

func play(t *testing.T, s situation) {
	items := objects(t, "{apiVersion: kpt.dev/v1, kind: Kptfile, inventory: {name: inventory, namespace: shop, inventoryID: ID-shop}}")
	if s.Name == "configmap-inventory" {
		items = objects(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: inventory, namespace: shop, labels: {cli-utils.sigs.k8s.io/inventory-id: ID-shop}}}")
	}
	own, err := live.Own(items)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{}
	for number, r := range s.Rounds {
		adopt, do := before(s.Name, number)
		do(t, c)
		chosen, err := live.Choose(own, c.objects)
		if err != nil {
			t.Fatal(err)
		}
		in := live.Input{Config: config(t, r), Live: c.objects, Inventory: chosen, Adopt: adopt, Refused: failedIn(r)}
		plan, err := live.New(in)
		if r.Exit == 1 {
			checkRefusal(t, err, r)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(groups(r.Out), events(plan)); diff != "" {
			t.Errorf("round %d: kpt (-), plan (+):\n%s", number, diff)
		}
		c.carryOut(plan, in.Config)
		checkCluster(t, c, own, r)
	}
}

// config is the package without what is for the client alone.
func config(t *testing.T, r round) []live.Object {
	return slices.DeleteFunc(objects(t, r.Package), func(o live.Object) bool {
		return yamlnode.Annotation(o.Node, "config.kubernetes.io/local-config") == "true"
	})
}

// failedIn reports which resources failed when they were applied: no plan knows that a
// field that a mutation reads is missing.
func failedIn(r round) func(identity.ID) bool {
	return func(id identity.ID) bool {
		return strings.Contains(r.Out, "\n"+eventName(id)+" apply failed")
	}
}

// checkRefusal compares the dependencies that kpt names with the ones in the problems.
func checkRefusal(t *testing.T, err error, r round) {
	t.Helper()
	var refusal *live.Refusal
	if !errors.As(err, &refusal) {
		t.Fatalf("got the error %v, kpt says %s", err, r.Err)
	}
	var got []string
	for _, p := range refusal.Problems {
		for _, e := range p.Edges {
			got = append(got, reference(e.From)+" -> "+reference(e.To))
		}
	}
	said := regexp.MustCompile(`\S+ ->\s+\S+`).FindAllString(r.Err, -1)
	for i, s := range said {
		said[i] = strings.Join(strings.Fields(s), " ")
	}
	if diff := cmp.Diff(said, got); diff != "" {
		t.Errorf("dependencies that kpt names (-), and the plan (+):\n%s", diff)
	}
}

func reference(id identity.ID) string {
	return fmt.Sprintf("%s/namespaces/%s/%s/%s", id.Group, id.Namespace, id.Kind, id.Name)
}

// checkCluster compares the inventory, and the owners of the objects, with the record
// after the round.
func checkCluster(t *testing.T, c *cluster, own *live.Inventory, r round) {
	t.Helper()
	after, err := live.Choose(own, c.objects)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, id := range after.Resources {
		listed = append(listed, fmt.Sprintf("%s/%s/%s/%s", id.Group, id.Kind, id.Namespace, id.Name))
	}
	if diff := cmp.Diff(r.Inventory, listed); diff != "" {
		t.Errorf("inventory of kpt (-), of the plan (+):\n%s", diff)
	}
	for _, o := range r.Live {
		at := slices.IndexFunc(c.objects, func(l live.Object) bool { return l.ID.Kind == "ConfigMap" && l.ID.Name == o.Name })
		if at < 0 {
			t.Errorf("%s is not live", o.Name)
		} else if got := yamlnode.Annotation(c.objects[at].Node, live.OwningInventory); got != o.Annotations[live.OwningInventory] {
			t.Errorf("%s belongs to %q, with kpt to %q", o.Name, got, o.Annotations[live.OwningInventory])
		}
	}
}
