package gitdriver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
)

const (
	service = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  type: ClusterIP\n  selector: {app: web}\n"
	// commented is the service with a merge comment, as a merge of a copy writes it.
	commented = "apiVersion: v1\nkind: Service\nmetadata: # kpt-merge: /web\n  name: web\nspec:\n  type: ClusterIP\n  selector: {app: web}\n"
	config    = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  a: \"1\"\n"
)

// kyaml is a Deployment as kubectl writes KYAML.
const kyaml = `---
{
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
  },
  spec: {
    replicas: 1,
    template: {
      spec: {
        containers: [{
          name: "web",
          image: "nginx:1",
        }],
      },
    },
  },
}
`

// tolerations is a file of KYAML with a list whose elements have no key.
func tolerations(keys ...string) string {
	var elements []string
	for _, key := range keys {
		elements = append(elements, "{\n    key: \""+key+"\",\n    operator: \"Exists\",\n    effect: \"NoSchedule\",\n  }")
	}
	return "---\n{\n  kind: \"Scheduling\",\n  tolerations: [" + strings.Join(elements, ", ") + "],\n}\n"
}

// containers is a Pod with one container and its resource requests.
func containers(name, cpu, memory string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - image: nginx:1\n    name: " + name +
		"\n    ports:\n    - containerPort: 80\n      name: web\n    resources:\n      limits:\n        cpu: " + cpu + "\n        memory: " + memory + "Gi\n"
}

// job is a Job with one container and its arguments.
func job(name string, args ...string) string {
	return "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      containers:\n      - name: " + name +
		"\n        image: web:1\n        args:\n        - " + strings.Join(args, "\n        - ") + "\n"
}

// script is a ConfigMap with one file.
func script(name string, lines ...string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  " + name + ": |\n    " + strings.Join(lines, "\n    ") + "\n"
}

// volume is a Pod with one volume.
func volume(source string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  volumes:\n  - name: data" + source + "\n"
}

// swap replaces a text in another one.
func swap(text string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(text) }

// endpoint is a resource with a list without keys, whose only element is a map with a list.
func endpoint(match ...string) string {
	return "apiVersion: example.com/v1\nkind: Scrape\nmetadata:\n  name: web\nspec:\n  endpoints:\n  - match:\n    - " +
		strings.Join(match, "\n    - ") + "\n    port: 80\n    path: /metrics\n"
}

// TestVersions merges three versions of a file.
func TestVersions(t *testing.T) {
	probe := "  - params:\n    - a\n    port: 81\n"
	wide := swap(deployment, "      containers:\n      - name: web\n        image: nginx:1\n        env:\n        - name: A\n          value: \"1\"\n",
		"      containers:\n        - name: web\n          image: nginx:1\n          env:\n            - name: A\n              value: \"1\"\n")
	for name, test := range map[string]struct {
		path               string
		base, ours, theirs string
		noBase             bool
		want               string
		way                gitdriver.Method
		conflicts          int
		reason             string
	}{
		"lines that do not collide stay git's": {
			base: deployment, ours: editedFile("replicas: 1", "replicas: 2"), theirs: editedFile("value: \"1\"", "value: \"2\""),
			want: editedFile("replicas: 1", "replicas: 2", "value: \"1\"", "value: \"2\""), way: gitdriver.ByLines,
		},
		"one side reindented": {
			base: deployment, ours: wide, theirs: editedFile("nginx:1", "nginx:2"),
			want: swap(wide, "nginx:1", "nginx:2"), way: gitdriver.ByFields,
		},
		"a literal block without a line break at the end of the file, and a field below it": {
			path: "ci.yml", base: "a: 1\n", ours: "a: 1\nscript: |\n  first 🚀\n    \n  second", theirs: "a: 1\nb: 1\n",
			want: "a: 1\nscript: |-\n  first 🚀\n    \n  second\nb: 1", way: gitdriver.ByFields,
		},
		"a field of the old apiVersion": {
			base:   "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 5\n",
			ours:   "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 5\n",
			theirs: "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 5\n  targetCPUUtilizationPercentage: 70\n",
			want: "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 5\n" +
				"<<<<<<< ours\n=======\n  targetCPUUtilizationPercentage: 70\n>>>>>>> theirs\n",
			way: gitdriver.ByFields, conflicts: 1,
		},
		"an image is one value": {
			base: deployment, ours: editedFile("nginx:1", "mirror/nginx:1"), theirs: editedFile("nginx:1", "nginx:2"),
			want: editedFile("        image: nginx:1\n", "<<<<<<< ours\n        image: mirror/nginx:1\n=======\n        image: nginx:2\n>>>>>>> theirs\n"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"an image of several fields is one value": {
			base:   "web:\n  repository: nginx\n  tag: 1\n  pull: a\n",
			ours:   "web:\n  repository: mirror/nginx\n  tag: 1\n  pull: a\n",
			theirs: "web:\n  repository: nginx\n  tag: 2\n  pull: b\n",
			want:   "web:\n<<<<<<< ours\n  repository: mirror/nginx\n  tag: 1\n=======\n  repository: nginx\n  tag: 2\n>>>>>>> theirs\n  pull: b\n",
			way:    gitdriver.ByFields, conflicts: 1,
		},
		"documents in another order": {
			base: deployment + "---\n" + service + "---\n" + config, ours: config + "---\n" + deployment + "---\n" + service,
			theirs: editedFile("nginx:1", "nginx:2") + "---\n" + service + "---\n" + swap(config, "a: \"1\"", "a: \"2\""),
			want:   swap(config, "a: \"1\"", "a: \"2\"") + "---\n" + editedFile("nginx:1", "nginx:2") + "---\n" + service, way: gitdriver.ByFields,
		},
		"a document added on both sides": {
			base: deployment, ours: deployment + "---\n" + service, theirs: deployment + "---\n" + config,
			want: deployment + "---\n" + service + "---\n" + config, way: gitdriver.ByFields,
		},
		"the same document added on both sides": {
			base: deployment, ours: deployment + "---\n" + service, theirs: deployment + "---\n" + swap(service, "ClusterIP", "NodePort"),
			want: deployment + "---\n" + swap(service, "  type: ClusterIP\n", "<<<<<<< ours\n  type: ClusterIP\n=======\n  type: NodePort\n>>>>>>> theirs\n"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"a null in a field that a schema describes": {
			base: deployment, ours: editedFile("replicas: 1", "replicas: null"), theirs: editedFile("replicas: 1", "replicas: 1\n  paused: true"),
			want: editedFile("replicas: 1", "replicas: null\n  paused: true"), way: gitdriver.ByFields,
		},
		"an element that theirs gave another name, and ours changed": {
			base: containers("web", "1", "2"), ours: containers("web", "1", "8"), theirs: containers("site", "1", "2"),
			want: containers("site", "1", "8"), way: gitdriver.ByLines,
		},
		"an element that ours gave another name, and theirs changed": {
			base: containers("web", "1", "2"), ours: containers("site", "1", "2"), theirs: containers("web", "1", "8"),
			want: containers("site", "1", "8"), way: gitdriver.ByLines,
		},
		"an element that ours gave another name and changed, and theirs changed": {
			base: job("sync", "a", "b", "c", "d", "e"), ours: job("pull", "x", "a", "b", "c", "d", "e"), theirs: job("sync", "a", "b", "c", "d", "e", "f"),
			want: job("pull", "x", "a", "b", "c", "d", "e", "f"), way: gitdriver.ByLines,
		},
		"an element without a key in which both changed parts of a list": {
			base: endpoint("a", "b", "c\n", "d"), ours: endpoint("a", "b\n", "c"), theirs: endpoint("z", "a", "b", "c\n", "d"),
			want: endpoint("z", "a", "b\n", "c"), way: gitdriver.ByLines,
		},
		"an element without a key that both changed, and another one that ours added": {
			base: endpoint("a", "b", "c\n", "d"), ours: endpoint("a", "b\n", "c") + probe, theirs: endpoint("z", "a", "b", "c\n", "d"),
			want: endpoint("z", "a", "b\n", "c") + probe, way: gitdriver.ByLines,
		},
		"an element to which both gave another name, and that theirs changed": {
			base: job("sync", "a", "b", "c", "d"), ours: job("pull", "a", "b", "c", "d"), theirs: job("pull", "a"),
			want: job("pull", "a"), way: gitdriver.ByLines,
		},
		"a text that theirs gave another name, and ours changed": {
			base: script("a.sh", "1", "2", "3", "4", "5", "6"), ours: script("a.sh", "1", "2", "3", "4", "5", "7"), theirs: script("b.sh", "1", "2", "3", "4", "5", "6"),
			want: script("b.sh", "1", "2", "3", "4", "5", "7"), way: gitdriver.ByLines,
		},
		"a map that ours gave another name, and in which theirs removed a field": {
			path: "map.yaml", base: "map:\n  cache:\n    url: x\n    dir: y\n    ref: z\n    to: c\n", ours: "map:\n  store:\n    url: x\n    dir: y\n    ref: z\n    to: c\n",
			theirs: "map:\n  cache:\n    dir: y\n    ref: z\n    to: c\n", want: "map:\n  store:\n    dir: y\n    ref: z\n    to: c\n", way: gitdriver.ByFields,
		},
		"a map to which both gave another name, and that ours changed": {
			path: "map.yaml", base: "map:\n  cache:\n    url: x\n    dir: y\n    ref: z\n    to: c\n", ours: "map:\n  store:\n    url: x\n    dir: y\n    ref: z\n    to: d\n",
			theirs: "map:\n  repo:\n    url: x\n    dir: y\n    ref: z\n    to: c\n",
			want:   "map:\n<<<<<<< ours\n  store:\n=======\n  repo:\n>>>>>>> theirs\n    url: x\n    dir: y\n    ref: z\n    to: d\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"a map to which both gave another name, one in quotes": {
			path: "map.yaml", base: "map:\n  cache:\n    url: x\n    dir: y\n", ours: "map:\n  store:\n    url: x\n    dir: y\n", theirs: "map:\n  \"repo\":\n    url: x\n    dir: y\n",
			want: "map:\n<<<<<<< ours\n  store:\n=======\n  \"repo\":\n>>>>>>> theirs\n    url: x\n    dir: y\n", way: gitdriver.ByLines, conflicts: 1,
			reason: "both sides gave the field map.cache another name",
		},
		"a list that theirs gave another name, and to which ours added an element": {
			path: "kustomization.yaml", base: "bases:\n- a\n- b\n- c\nnamespace: x\n", ours: "bases:\n- a\n- b\n- c\n- d\nnamespace: x\n",
			theirs: "resources:\n- a\n- b\n- c\n- e\nnamespace: x\n", want: "resources:\n- a\n- b\n- c\n- d\n- e\nnamespace: x\n",
			way: gitdriver.ByFields,
		},
		"a document that gets its kind from theirs": {
			path: "kustomization.yaml", base: "resources:\n- a.yaml\n- b.yaml\n- c.yaml\n", ours: "resources:\n- a.yaml\n- c.yaml\n",
			theirs: "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n- b.yaml\n- c.yaml\n",
			want:   "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n- c.yaml\n", way: gitdriver.ByLines,
		},
		"a document renamed by ours": {
			base: deployment + "---\n" + service, ours: deployment + "---\n" + swap(service, "name: web", "name: site"),
			theirs: deployment + "---\n" + swap(service, "  name: web\n", "  name: web\n  labels: {a: b}\n"),
			want:   deployment + "---\n" + swap(service, "  name: web\n", "  name: site\n  labels: {a: b}\n"), way: gitdriver.ByFields,
		},
		"a document renamed by theirs": {
			base: deployment + "---\n" + service, theirs: deployment + "---\n" + swap(service, "name: web", "name: site"),
			ours: deployment + "---\n" + swap(service, "  name: web\n", "  name: web\n  labels: {a: b}\n"),
			want: deployment + "---\n" + swap(service, "  name: web\n", "  name: site\n  labels: {a: b}\n"), way: gitdriver.ByFields,
		},
		"a document with a merge comment, renamed by theirs": {
			base: deployment + "---\n" + commented, theirs: deployment + "---\n" + swap(commented, "name: web", "name: site"),
			ours: deployment + "---\n" + swap(commented, "  name: web\n", "  name: web\n  labels: {a: b}\n"),
			want: deployment + "---\n" + swap(commented, "  name: web\n", "  name: site\n  labels: {a: b}\n"), way: gitdriver.ByFields,
		},
		"a document whose namespace theirs took away, and whose style ours changed": {
			base: swap(config, "  name: web\n", "  name: web\n  namespace: shop\n"), ours: swap(config, "  name: web\n", "  name: \"web\" # ours\n  namespace: shop\n"), theirs: config,
			want: swap(config, "  name: web\n", "  name: \"web\" # ours\n"), way: gitdriver.ByFields,
		},
		"a document without a namespace, renamed by theirs, beside one of its name in a namespace": {
			base:   config + "---\n" + swap(config, "  name: web\n", "  name: web\n  namespace: shop\n"),
			ours:   config + "---\n" + swap(config, "  name: web\n", "  name: web # ours\n  namespace: shop\n"),
			theirs: swap(config, "name: web", "name: site") + "---\n" + swap(config, "  name: web\n", "  name: web\n  labels: {a: b}\n  namespace: shop\n"),
			want:   swap(config, "name: web", "name: site") + "---\n" + swap(config, "  name: web\n", "  name: web # ours\n  labels: {a: b}\n  namespace: shop\n"), way: gitdriver.ByFields,
		},
		"a comment that ours has twice, once above an element that theirs replaced": {
			base:   job("web", "--a", "--level=1", "--b", "--c"),
			ours:   swap(job("web", "--a", "--level=1", "--b", "--c"), "        - --level=1\n", "        # ours\n        - --level=1\n") + "        # ours\n        - --d\n",
			theirs: job("web", "--a", "--quiet", "--b", "--c"),
			want:   swap(job("web", "--a", "--level=1", "--b", "--c"), "        - --level=1\n", "<<<<<<< ours\n        # ours\n        - --level=1\n=======\n        - --quiet\n>>>>>>> theirs\n") + "        # ours\n        - --d\n",
			way:    gitdriver.ByFields, conflicts: 1,
		},
		"a document renamed by both": {
			base: deployment + "---\n" + service, theirs: deployment + "---\n" + swap(service, "name: web", "name: site"),
			ours: deployment + "---\n" + swap(service, "name: web", "name: page"),
			want: deployment + "---\n" + swap(service, "  name: web\n", "<<<<<<< ours\n  name: page\n=======\n  name: site\n>>>>>>> theirs\n"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"the only document of a file, renamed and changed by both": {
			base: config, ours: swap(config, "name: web", "name: web-2", "a: \"1\"", "a: \"2\""), theirs: swap(config, "name: web", "name: web-3", "a: \"1\"", "a: \"3\""),
			want: swap(config, "  name: web\n", "<<<<<<< ours\n  name: web-2\n=======\n  name: web-3\n>>>>>>> theirs\n", "  a: \"1\"\n", "<<<<<<< ours\n  a: \"2\"\n=======\n  a: \"3\"\n>>>>>>> theirs\n"),
			way:  gitdriver.ByFields, conflicts: 2,
		},
		"a document deleted by ours and changed by theirs": {
			base: deployment + "---\n" + service, ours: deployment, theirs: deployment + "---\n" + swap(service, "ClusterIP", "NodePort"),
			want: deployment + "<<<<<<< ours\n=======\n---\n" + swap(service, "ClusterIP", "NodePort") + ">>>>>>> theirs\n",
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"a document renamed by ours and deleted by theirs": {
			base: deployment + "---\n" + service, ours: deployment + "---\n" + swap(service, "name: web", "name: site"), theirs: swap(deployment, "replicas: 1", "replicas: 2"),
			want: editedFile("replicas: 1", "replicas: 2") + "<<<<<<< ours\n---\n" + swap(service, "name: web", "name: site") + "=======\n>>>>>>> theirs\n",
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"the same field added in two places": {
			base: deployment, ours: editedFile("  replicas: 1\n", "  minReadySeconds: 5\n  replicas: 1\n"), theirs: deployment + "  minReadySeconds: 5\n",
			want: editedFile("  replicas: 1\n", "  minReadySeconds: 5\n  replicas: 1\n"), way: gitdriver.ByFields,
		},
		"no base": {
			ours: deployment, theirs: editedFile("replicas: 1", "replicas: 2"), noBase: true,
			want: editedFile("  replicas: 1\n", "<<<<<<< ours\n  replicas: 1\n=======\n  replicas: 2\n>>>>>>> theirs\n"), way: gitdriver.ByFields, conflicts: 1,
		},
		"no base, another name": {
			path: "Kptfile", ours: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n", theirs: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: site\n  namespace: x\n", noBase: true,
			want: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n<<<<<<< ours\n  name: web\n=======\n  name: site\n  namespace: x\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"no base, another order of elements with keys": {
			path: "kustomization.yaml", ours: "patches:\n- path: a.yaml\n- path: b.yaml\n", theirs: "patches:\n- path: b.yaml\n- path: a.yaml\n", noBase: true,
			want: "patches:\n<<<<<<< ours\n- path: a.yaml\n- path: b.yaml\n=======\n- path: b.yaml\n- path: a.yaml\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"no base, an element whose key is missing": {
			ours: editedFile("        - name: A\n          value: \"1\"\n", "        - value: \"2\"\n        - name: A\n          value: \"1\"\n"), theirs: deployment, noBase: true,
			want: editedFile("        - name: A\n          value: \"1\"\n", "        - value: \"2\"\n        - name: A\n          value: \"1\"\n"), way: gitdriver.ByFields,
		},
		"no base, a member of a union": {
			ours: volume("\n    emptyDir: {}"), theirs: volume(""), noBase: true,
			want: volume("\n    emptyDir: {}"), way: gitdriver.ByFields,
		},
		"a template": {
			base: "a: {{ .Values.a }}\n", ours: "a: {{ .Values.b }}\n", theirs: "a: {{ .Values.c }}\n",
			want: "<<<<<<< ours\na: {{ .Values.b }}\n=======\na: {{ .Values.c }}\n>>>>>>> theirs\n", way: gitdriver.ByLines, conflicts: 1,
			reason: "the name of a field is a mapping",
		},
		"markers in the file": {
			base: "a: 1\n", ours: "a: 2\n=======\nb: 1\n", theirs: "a: 3\n=======\nb: 1\n",
			want: "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\n=======\nb: 1\n", way: gitdriver.ByLines, conflicts: 1,
			reason: "it has conflict markers in it",
		},
		"KYAML": {
			base: kyaml, ours: swap(kyaml, `image: "nginx:1"`, `image: "nginx:2"`, "replicas: 1", "replicas: 2"),
			theirs: swap(kyaml, `image: "nginx:1"`, `image: "nginx:3"`, "        }],\n", "        }, {\n          name: \"log\",\n        }],\n"),
			want: swap(kyaml, `          image: "nginx:1",`, "<<<<<<< ours\n          image: \"nginx:2\",\n=======\n          image: \"nginx:3\",\n>>>>>>> theirs",
				"replicas: 1", "replicas: 2", "        }],\n", "        }, {\n          name: \"log\",\n        }],\n"),
			way: gitdriver.ByFields, conflicts: 1,
		},
		"KYAML, to which both sides add elements": {
			base: kyaml, ours: swap(kyaml, "        }],\n", "        }, {\n          name: \"log\",\n        }],\n", "nginx:1", "nginx:2"),
			theirs: swap(kyaml, "          name: \"web\",\n", "          name: \"tap\",\n        }, {\n          name: \"web\",\n", "nginx:1", "nginx:3"),
			want: swap(kyaml, "          name: \"web\",\n          image: \"nginx:1\",\n        }],\n", "          name: \"tap\",\n        }, {\n          name: \"web\",\n"+
				"<<<<<<< ours\n          image: \"nginx:2\",\n=======\n          image: \"nginx:3\",\n>>>>>>> theirs\n        }, {\n          name: \"log\",\n        }],\n"),
			way: gitdriver.ByFields, conflicts: 1,
		},
		"KYAML, a list without keys": {
			base: tolerations("a", "b", "c"), ours: tolerations("x", "b", "c"), theirs: tolerations("y", "b", "c", "d"),
			want: swap(tolerations("a", "b", "c", "d"), `    key: "a",`, "<<<<<<< ours\n    key: \"x\",\n=======\n    key: \"y\",\n>>>>>>> theirs"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"KYAML, a list without keys that both sides append to": {
			base: tolerations("a"), ours: tolerations("a", "x"), theirs: tolerations("a", "y"),
			want: swap(tolerations("a", "x"), `    key: "x",`, "<<<<<<< ours\n    key: \"x\",\n=======\n    key: \"y\",\n>>>>>>> theirs"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"KYAML, a list without keys whose first element one side removed": {
			base: tolerations("a", "b"), ours: tolerations("x", "b"), theirs: tolerations("b"),
			want: swap(tolerations("x", "b"), "    key: \"x\"", "<<<<<<< ours\n    key: \"x\"", "  }, {\n", "  }, {\n=======\n>>>>>>> theirs\n"),
			way:  gitdriver.ByFields, conflicts: 1,
		},
		"JSON over lines": {
			path: "a.json", base: "{\n  \"a\": 1,\n  \"b\": 1,\n  \"c\": 1\n}\n", ours: "{\n  \"a\": 2,\n  \"b\": 1,\n  \"c\": 2\n}\n", theirs: "{\n  \"a\": 3,\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": 1\n}\n",
			want: "{\n<<<<<<< ours\n  \"a\": 2,\n=======\n  \"a\": 3,\n>>>>>>> theirs\n  \"b\": 1,\n  \"c\": 2,\n  \"d\": 1\n}\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"not UTF-8": {
			base: "a: \xe4\nb: 1\nc: 1\n", ours: "a: \xfc\nb: 1\nc: 2\n", theirs: "a: \xf6\nb: 1\nc: 1\n",
			want: "<<<<<<< ours\na: \xfc\n=======\na: \xf6\n>>>>>>> theirs\nb: 1\nc: 2\n", way: gitdriver.ByLines, conflicts: 1, reason: "it is not YAML of mappings",
		},
		"binary": {
			base: "a\x00b", ours: "a\x00c", theirs: "a\x00d",
			want: "a\x00c", way: gitdriver.NotMerged, conflicts: 1, reason: "binary files are not merged",
		},
		"an empty file": {base: deployment, ours: "", theirs: editedFile("nginx:1", "nginx:2"), want: "<<<<<<< ours\n=======\n" + editedFile("nginx:1", "nginx:2") + ">>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1},
		"line ends of Windows": {
			base: swap(deployment, "\n", "\r\n"), ours: swap(editedFile("nginx:1", "nginx:2", "replicas: 1", "replicas: 2"), "\n", "\r\n"),
			theirs: swap(editedFile("        env:\n", "        imagePullPolicy: Always\n        env:\n", "replicas: 1", "replicas: 3"), "\n", "\r\n"),
			want: swap(editedFile("nginx:1", "nginx:2", "        env:\n", "        imagePullPolicy: Always\n        env:\n",
				"  replicas: 1\n", "<<<<<<< ours\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> theirs\n"), "\n", "\r\n"), way: gitdriver.ByFields, conflicts: 1,
		},
		"no line break at the end": {
			base: "a: 1\nb: 1", ours: "a: 2\nb: 1", theirs: "a: 1\nb: 2", want: "a: 2\nb: 2", way: gitdriver.ByFields,
		},
		"steps of a pipeline": {
			path: ".github/workflows/a.yaml",
			base: "on: push\nsteps:\n- name: a\n  run: a\n", ours: "on: push\nsteps:\n- name: a\n  run: a\n- name: b\n  run: b\n", theirs: "on: push\nsteps:\n- name: a\n  run: a\n- name: c\n  run: c\n",
			want: "on: push\nsteps:\n- name: a\n  run: a\n<<<<<<< ours\n- name: b\n  run: b\n=======\n- name: c\n  run: c\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"an element without a key that both changed": {
			path: "requirements.yml",
			base: "roles:\n- src: a\n  version: 1\n  pinned: true\n- src: b\n  version: 1\n  pinned: true\n", ours: "roles:\n- src: a\n  version: 2\n  pinned: true\n- src: b\n  version: 1\n  pinned: true\n", theirs: "roles:\n- src: a\n  version: 3\n  pinned: true\n- src: b\n  version: 1\n  pinned: false\n",
			want: "roles:\n- src: a\n<<<<<<< ours\n  version: 2\n=======\n  version: 3\n>>>>>>> theirs\n  pinned: true\n- src: b\n  version: 1\n  pinned: false\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"neighbours without a key, one changed by each side": {
			path: "jobs.yaml",
			base: "rules:\n- from: a\n  to: b\n- from: c\n  to: d\n", ours: "rules:\n- from: a\n  to: x\n- from: c\n  to: d\n", theirs: "rules:\n- from: a\n  to: b\n- from: y\n  to: d\n",
			want: "rules:\n- from: a\n  to: x\n- from: y\n  to: d\n", way: gitdriver.ByFields,
		},
		"elements that both added, mostly alike": {
			path: "apps.yaml",
			base: "apps:\n- a: 1\n", ours: "apps:\n- a: 1\n- from:\n    repo: r\n    path: x\n", theirs: "apps:\n- a: 1\n- from:\n    repo: r\n    path: y\n",
			want: "apps:\n- a: 1\n<<<<<<< ours\n- from:\n    repo: r\n    path: x\n=======\n- from:\n    repo: r\n    path: y\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"elements that both added, with equal ends": {
			path: "role.yaml",
			base: "rules:\n- verbs:\n  - get\n", ours: "rules:\n- verbs:\n  - watch\n- groups:\n  - batch\n  verbs:\n  - get\n", theirs: "rules:\n- verbs:\n  - list\n- groups:\n  - apps\n  verbs:\n  - get\n",
			want: "rules:\n<<<<<<< ours\n- verbs:\n  - watch\n- groups:\n  - batch\n  verbs:\n  - get\n=======\n- verbs:\n  - list\n- groups:\n  - apps\n  verbs:\n  - get\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"a list without keys, changed at each end, beside a collision": {
			base: "a: 1\nargs: [a, b, c]\n", ours: "a: 2\nargs: [x, b, c]\n", theirs: "a: 3\nargs: [a, b, y]\n",
			want: "<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\nargs: [x, b, y]\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"a list that both added, one with more": {
			base: "a: 1\n", ours: "a: 1\nargs:\n- x\n", theirs: "a: 1\nargs:\n- x\n- y\n",
			want: "a: 1\nargs:\n- x\n- y\n", way: gitdriver.ByFields,
		},
		"an element of a list without keys that both added in two places": {
			base: "args:\n- a\n- b\nz: 1\n", ours: "args:\n- new\n- a\n- b\nz: 2\n", theirs: "args:\n- a\n- b\n- new\nz: 3\n",
			want: "args:\n<<<<<<< ours\n- new\n- a\n- b\nz: 2\n=======\n- a\n- b\n- new\nz: 3\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"documents that end with three dots": {
			base: "---\na: 1\nb: 1\n...\n---\nc: 1\n...\n", ours: "---\na: 2\nb: 1\n...\n---\nc: 1\n...\n", theirs: "---\na: 1\nb: 2\n...\n---\nc: 1\n...\n",
			want: "---\na: 2\nb: 2\n...\n---\nc: 1\n...\n", way: gitdriver.ByFields,
		},
		"fields that both added at one place": {
			base: "a:\n  x: 1\nz: 1\n", ours: "a:\n  x: 1\n  # ours\n  o: 1\n  p: 1\nz: 1\n", theirs: "a:\n  x: 1\n  # theirs\n  t: 1\nz: 1\n",
			want: "a:\n  x: 1\n  # ours\n  o: 1\n  p: 1\n  # theirs\n  t: 1\nz: 1\n", way: gitdriver.ByFields,
		},
		"fields that both added at the top": {
			base: "z: 1\n", ours: "o: 1\nz: 1\n", theirs: "t: 1\nz: 1\n",
			want: "o: 1\nt: 1\nz: 1\n", way: gitdriver.ByFields,
		},
		"elements with keys that both added at one place": {
			base: deployment, ours: editedFile("          value: \"1\"\n", "          value: \"1\"\n        - name: O\n          value: \"1\"\n"),
			theirs: editedFile("          value: \"1\"\n", "          value: \"1\"\n        - name: T\n          value: \"1\"\n"),
			want:   editedFile("          value: \"1\"\n", "          value: \"1\"\n        - name: O\n          value: \"1\"\n        - name: T\n          value: \"1\"\n"), way: gitdriver.ByFields,
		},
		"a field that the new apiVersion does not have": {
			base:   "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  targetCPUUtilizationPercentage: 1\n",
			ours:   "apiVersion: autoscaling/v1\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  targetCPUUtilizationPercentage: 2\n",
			theirs: "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n  maxReplicas: 2\n",
			want:   "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: web\nspec:\n<<<<<<< ours\n  targetCPUUtilizationPercentage: 2\n=======\n>>>>>>> theirs\n  maxReplicas: 2\n",
			way:    gitdriver.ByFields, conflicts: 1,
		},
		"resources of a kustomization": {
			path: "kustomization.yaml",
			base: "resources:\n- a.yaml\n", ours: "resources:\n- a.yaml\n- b.yaml\n", theirs: "resources:\n- a.yaml\n- c.yaml\n",
			want: "resources:\n- a.yaml\n- b.yaml\n- c.yaml\n", way: gitdriver.ByFields,
		},
		"a reference that both removed, where ours added another one": {
			path: "kustomization.yaml",
			base: "resources:\n- a?ref=1\n- logs\n", ours: "resources:\n- a?ref=1\n- member-operator\n", theirs: "resources:\n- a?ref=1\n",
			want: "resources:\n- a?ref=1\n- member-operator\n", way: gitdriver.ByFields,
		},
		"a reference that ours replaced and theirs removed": {
			path: "kustomization.yaml",
			base: "resources:\n- a?ref=1\n- b?ref=1\n", ours: "resources:\n- a?ref=1\n- b?ref=2\n", theirs: "resources:\n- a?ref=1\n",
			want: "resources:\n- a?ref=1\n<<<<<<< ours\n- b?ref=2\n=======\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
		"a reference that both replaced": {
			path: "kustomization.yaml",
			base: "resources:\n- a?ref=1\n", ours: "resources:\n- a?ref=2\n", theirs: "resources:\n- a?ref=3\n",
			want: "resources:\n<<<<<<< ours\n- a?ref=2\n=======\n- a?ref=3\n>>>>>>> theirs\n", way: gitdriver.ByFields, conflicts: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := gitdriver.Versions{Path: test.path, NoBase: test.noBase}
			v.Texts = [3][]byte{marker.Ours: []byte(test.ours), marker.Base: []byte(test.base), marker.Theirs: []byte(test.theirs)}
			f := marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge}
			m, err := gitdriver.Git{}.Merge(context.Background(), v, f)
			if err != nil {
				t.Fatal(err)
			}
			if m.Method != test.way || m.Conflicts != test.conflicts || (m.Reason == "") != (test.reason == "") || !strings.Contains(m.Reason, test.reason) {
				t.Errorf("by %s, %d conflicts, %q; want %s, %d, %q", m.Method, m.Conflicts, m.Reason, test.way, test.conflicts, test.reason)
			}
			if diff := cmp.Diff(test.want, string(m.Text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
