package merge_test

import (
	"fmt"
	"log"
	"os"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// parse reads one resource.
func parse(text string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		log.Fatal(err)
	}
	return document.Content[0]
}

// Upstream gives a container another image, local changed its arguments, and both
// changed the number of replicas.
func ExampleResource() {
	origin := parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: web:1.0
`)
	upstream := parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: web
        image: web:1.1
`)
	local := parse(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5 # for the sale
  template:
    spec:
      containers:
      - name: web
        image: web:1.0
        args: [--verbose]
`)
	known := schema.New(nil, nil, true).Resource("apps", "v1", "Deployment")
	out, err := merge.Resource([3]*yaml.Node{origin, upstream, local}, known, merge.Prefer(merge.PreferLocal))
	if err != nil {
		log.Fatal(err)
	}
	encoder := yaml.NewEncoder(os.Stdout)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(out.Node); err != nil {
		log.Fatal(err)
	}
	for _, c := range out.Conflicts {
		fmt.Println(c.Kind, "at", c.Path, "chosen", c.Chosen)
	}
	// Output:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata: {name: web}
	// spec:
	//   replicas: 5 # for the sale
	//   template:
	//     spec:
	//       containers:
	//       - name: web
	//         image: web:1.1
	//         args: [--verbose]
	// both-changed at spec.replicas chosen local
}

// A policy may differ from path to path.
func ExamplePolicy() {
	replicas, err := merge.ParsePattern("spec.replicas")
	if err != nil {
		log.Fatal(err)
	}
	policy := merge.Policy(func(at *merge.Path) merge.Preference {
		if replicas.Covers(at) {
			return merge.PreferLocal
		}
		return merge.PreferUpstream
	})
	var top *merge.Path
	fmt.Println(policy.Side(top.Field("spec").Field("replicas")))
	fmt.Println(policy.Side(top.Field("spec").Field("paused")))
	// Output:
	// local
	// upstream
}
