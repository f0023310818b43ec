package merge

import (
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestFindDifferences finds each difference of two versions in the version that has it, and the nearest node above it
// in the other.
func TestFindDifferences(t *testing.T) {
	from, to := parseText(t, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {"a.b/c": x}}
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: log
        image: log:1
      - name: web
        image: web:1
        ports:
        - containerPort: 80
`), parseText(t, `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {"a.b/c": y}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        image: web:1
        args: [a]
        ports:
        - containerPort: 80
          protocol: TCP
`)
	kind := schema.New(nil, nil, true).Resource("apps", "v1", "Deployment")
	found, err := Differences(from, to, kind)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		path     string
		from, to int // the lines
		in       bool
	}{
		{`metadata.annotations["a.b/c"]`, 3, 3, true},
		{`spec.replicas`, 5, 5, true},
		{`spec.template.spec.containers[name="web"].args`, 11, 11, true},
		{`spec.template.spec.containers[name="log"]`, 9, 8, false},
	}
	if len(found) != len(want) {
		t.Fatalf("found %v", found)
	}
	for i, w := range want {
		d := found[i]
		before, _ := NewFinder(from).Find(d.Path)
		after, in := NewFinder(to).Find(d.Path)
		if d.Path.String() != w.path || before.Line != w.from || after.Line != w.to || in != w.in {
			t.Errorf("%s at lines %d and %d, %v, want %+v", d.Path, before.Line, after.Line, in, w)
		}
	}
	if same, err := Differences(to, to, kind); err != nil || same != nil {
		t.Errorf("a version differs from itself: %v, %v", same, err)
	}
	if whole, err := Differences(nil, to, kind); err != nil || len(whole) != 1 || whole[0].Path != nil {
		t.Errorf("of one that is new: %v, %v", whole, err)
	}
}

func parseText(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}
