package mergecheck

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A merge to begin with: upstream changed the image and added a port, local
// added an environment variable and a comment.
const (
	before = `
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2 # how many
  containers:
  - name: web
    image: web:1
    args: [-a, -b]
  - name: side
    image: side:1
`
	theirs = `
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2 # kpt-set: ${n}
  containers:
  - name: web
    image: web:2
    args: [-a, -b]
    ports: [{containerPort: 80}]
`
	ours = `
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2 # how many
  containers:
  # the main one
  - name: web
    image: web:1
    args: [-a, -b]
    env: [{name: A, value: "1"}]
  - name: side
    image: side:1
`
	both = `
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2 # kpt-set: ${n}
  containers:
  # the main one
  - name: web
    image: web:2
    args: [-a, -b]
    ports: [{containerPort: 80}]
    env: [{name: A, value: "1"}]
`
)

// A right merge passes, and every way to get it wrong is objected to.
func TestCheckObjects(t *testing.T) {
	for _, tt := range []struct{ name, from, to, want string }{
		{"right", "", "", ""},
		{"field dropped", "    image: web:2\n", "", `"web:2" is lost`},
		{"element dropped", `    env: [{name: A, value: "1"}]` + "\n", "    env: []\n", `env[name="A"]: a map is lost`},
		{"list dropped", `    env: [{name: A, value: "1"}]` + "\n", "", "a list is lost"},
		{"upstream's change ignored", "web:2", "web:1", `"web:2" is lost`},
		{"upstream's addition ignored", "    ports: [{containerPort: 80}]\n", "", "80 is lost"},
		{"value invented", "replicas: 2", "replicas: 3", "3 is invented"},
		{"field invented", "  containers:\n", "  paused: true\n  containers:\n", "true is invented"},
		{"kind of a value changed", "replicas: 2", `replicas: "2"`, `"2" is invented`},
		{"element twice", "  containers:\n", "  containers:\n  - name: web\n    image: web:2\n", "is kept: 2, want 1"},
		{"element kept that upstream deleted", "  containers:\n", "  containers:\n  - name: side\n    image: side:1\n", `"side:1" is kept`},
		{"argument dropped", "[-a, -b]", "[-a]", `"-b" is lost`},
		{"local's comment lost", "  # the main one\n", "", `the comment is ""`},
		{"upstream's comment ignored", "kpt-set: ${n}", "how many", `the comment is "# how many"`},
		{"comment made up", "the main one", "a main one", "is invented"},
		{"list emptied, not gone", "    ports:", "    command: []\n    ports:", "a list is invented"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(both, tt.from) {
				t.Fatalf("there is no %q", tt.from)
			}
			wants(t, merge(t, before, theirs, ours, strings.Replace(both, tt.from, tt.to, 1)), tt.want)
		})
	}
}

// A value that both changed, or that hung below something deleted, has to be
// reported at its path or above; elsewhere does not do.
func TestCheckWantsReports(t *testing.T) {
	o, u, l := "a: {b: [{name: x, v: 1}]}", "a: {b: [{name: x, v: 2}]}", "a: {b: [{name: x, v: 3}]}"
	for _, tt := range []struct{ name, o, u, l, result, reported, want string }{
		{"both changed, reported", o, u, l, u, `a.b[name="x"].v`, ""},
		{"both changed, reported above", o, u, l, l, `a.b`, ""},
		{"both changed, not reported", o, u, l, u, "", "3 is lost"},
		{"both changed, another reported", o, u, l, u, `a.b[name="y"].v`, "3 is lost"},
		{"both changed, neither taken", o, u, l, "a: {b: [{name: x, v: 4}]}", "a", "4 is invented"},
		{"both changed, origin's taken", o, u, l, o, "a", "1 is invented"},
		{"deleted, not reported", o, "a: {b: []}", l, "a: {b: []}", "", "3 is lost"},
		{"deleted, reported", o, "a: {b: []}", l, "a: {b: []}", `a.b[name="x"]`, ""},
		{"deleted, unchanged", o, "a: {b: []}", o, "a: {b: []}", "", ""},
		{"resource gone", o, u, o, "", "", "is lost"},
		{"resource gone, reported", o, "", l, "", " ", ""},
		{"null is a value", "a: 1", "a: null", "a: 1", "{}", "", "null is lost"},
		{"null stays", "a: null", "a: null\nb: 1", "a: null", "b: 1", "", "null is lost"},
		{"alias is its value", "a: &x {c: 1}\nb: *x", "a: {c: 1}\nb: {c: 2}", "a: &x {c: 1}\nb: *x", "a: {c: 1}\nb: {c: 2}", "", ""},
		{"alias lost", "a: &x {c: 1}\nb: *x", "a: {c: 2}\nb: {c: 1}", "a: &x {c: 1}\nb: *x", "a: &x {c: 2}\nb: *x", "", "2 is invented"},
		{"lines added by both, the longer taken", "{}", `a: "x\ny\nz\n"`, `a: "x\nz\n"`, `a: "x\ny\nz\n"`, "", ""},
		{"lines added by both, the shorter taken", "{}", `a: "x\ny\nz\n"`, `a: "x\nz\n"`, `a: "x\nz\n"`, "", `"x\ny\nz\n" is lost`},
		{"lines added by both, in another order", "{}", `a: "x\ny\nz\n"`, `a: "z\nx\n"`, `a: "x\ny\nz\n"`, "", `"z\nx\n" is lost`},
		{"lines added by both, one only there", "{}", `a: "x\ny\nz\n"`, `a: "x\nw\n"`, `a: "x\ny\nz\n"`, "", `"x\nw\n" is lost`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merge(t, tt.o, tt.u, tt.l, tt.result)
			if tt.reported != "" {
				m.Conflicts = []string{strings.TrimSpace(tt.reported)}
			}
			wants(t, m, tt.want)
		})
	}
}

func merge(t *testing.T, documents ...string) Merge {
	t.Helper()
	var m Merge
	for v, text := range documents {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(text), &n); err != nil {
			t.Fatal(err)
		}
		if len(n.Content) > 0 {
			m.Documents[v] = n.Content[0]
		}
	}
	m.Keys = func(path []string, _ [3][]*yaml.Node) []Key {
		if last := path[len(path)-1]; last == "args" {
			return nil
		}
		return []Key{{Name: "name"}}
	}
	return m
}

// wants wants an objection that holds a text, or none.
func wants(t *testing.T, m Merge, text string) {
	t.Helper()
	objections := strings.Join(Check(m), "\n")
	if text == "" && objections != "" || !strings.Contains(objections, text) {
		t.Errorf("want %q, got:\n%s", text, objections)
	}
}
