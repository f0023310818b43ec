package cluster

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/cluster/draw"
	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

//go:embed testdata
var testdata embed.FS

// widgets is the name of the definition of a custom resource whose lists and maps are
// of every kind.
const widgets = "widgets.example.com"

// usual is how many situations a run draws that asks for no number, and usualSeed is the seed that it draws them from.
const usual, usualSeed = 10, 20

var (
	seed       = flag.Uint64("cluster.seed", seedOf(os.Getenv("CLUSTER_SEED")), "the seed of the drawn situations; CLUSTER_SEED is the default")
	situations = flag.Int("cluster.situations", usual, "how many situations are drawn of each kind and way of applying")
)

// seedOf is the seed that a text asks for.
func seedOf(text string) uint64 {
	if seed, err := strconv.ParseUint(text, 10, 64); err == nil {
		return seed
	}
	return usualSeed
}

// situation is an object in a cluster before its config is applied.
type situation struct {
	name       string
	apiVersion string
	kind       string
	object     string // its name, in which PLACE is the place
	manager    string // who applies
	steps      []step // the runs that made the object
	config     server.Object
	byKubectl  bool // kubectl reads the object and sends the patches; otherwise the test asks the server, which is quicker
}

// step is a run of kubectl. In its arguments and input PLACE is the namespace, and a
// part of the names of cluster-scoped objects.
type step struct {
	args  []string
	stdin string
}

// drawn draws the situations of one kind that a test is about. The test's name is a
// part of the seed, so that no two tests are about the same ones.
func drawn(t *testing.T, start func(*rand.Rand, server.Object) (step, string)) []situation {
	t.Helper()
	files, err := testdata.ReadDir("testdata/kinds")
	if err != nil {
		t.Fatal(err)
	}
	var all []situation
	for _, file := range files {
		text, err := testdata.ReadFile("testdata/kinds/" + file.Name())
		if err != nil {
			t.Fatal(err)
		}
		grammar, err := draw.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", file.Name(), err)
		}
		for i := range *situations {
			name := fmt.Sprintf("%s-%d", strings.TrimSuffix(file.Name(), ".yaml"), i)
			s, err := drawSituation(random(t.Name()+name), grammar, start)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			s.name = name
			all = append(all, s)
		}
	}
	return all
}

// random is a source of random numbers that is the same for a name in each run.
func random(name string) *rand.Rand {
	return rand.New(rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%d %s", *seed, name))))
}

// drawSituation draws an object, what becomes of it in the cluster, and its new config.
func drawSituation(random *rand.Rand, grammar draw.Grammar, start func(*rand.Rand, server.Object) (step, string)) (situation, error) {
	first, choices, err := grammar.Object(random)
	if err != nil {
		return situation{}, err
	}
	var s situation
	s.apiVersion, s.kind = first["apiVersion"].(string), first["kind"].(string)
	s.object = first["metadata"].(server.Object)["name"].(string)
	var step step
	step, s.manager = start(random, first)
	s.steps = append(s.steps, step)
	before, drifted := first, choices
	for range random.IntN(3) {
		var after server.Object
		if after, drifted, err = grammar.Redraw(random, drifted, 0.2); err != nil {
			return s, err
		}
		s.steps = append(s.steps, drift(random, before, after))
		before = after
	}
	if random.IntN(3) == 0 {
		choices = drifted // the config follows what was done in the cluster
	}
	s.config, _, err = grammar.Redraw(random, choices, 0.2)
	withoutEmptyAnnotations(s.config)
	return s, err
}

// withoutEmptyAnnotations takes an empty map of annotations out of a config. Clients of
// the function write marks among the annotations of each item, so that it cannot tell
// such a map from none.
func withoutEmptyAnnotations(config server.Object) {
	metadata := config["metadata"].(server.Object)
	if annotations, ok := metadata["annotations"].(server.Object); ok && len(annotations) == 0 {
		delete(metadata, "annotations")
	}
}

// in puts the name of a place into a text.
func in(place, text string) string { return strings.ReplaceAll(text, "PLACE", place) }

// manifest is an object as a file of it.
func manifest(object server.Object) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(err) // a drawn object is JSON
	}
	return string(text)
}
