package apply_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/tests/caselist"
)

func TestWithoutRecords(t *testing.T) {
	const text = `# a recording
apiVersion: v1
items:
- apiVersion: v1
  data:
    metadata: |
      metadata:
        managedFields: []
    folded: metadata
      managedFields: none
  kind: ConfigMap
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"a": 1}
    managedFields:
    - apiVersion: v1

      manager: kubectl
    name: a
- apiVersion: v1
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: '{}'
      mine: "1"
  spec:
    template:
      metadata:
        managedFields: []
---
metadata: {name: b, managedFields: []}
---
metadata:
  name: c
  annotations:
`
	const want = `# a recording
apiVersion: v1
items:
- apiVersion: v1
  data:
    metadata: |
      metadata:
        managedFields: []
    folded: metadata
      managedFields: none
  kind: ConfigMap
  metadata:
    name: a
- apiVersion: v1
  metadata:
    annotations:
      mine: "1"
  spec:
    template:
      metadata:
        managedFields: []
---
metadata: {name: b, managedFields: []}
---
metadata:
  name: c
  annotations:
`
	if diff := cmp.Diff(want, string(apply.WithoutRecords([]byte(text)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const asJSON = `{
    "kind": "List",
    "items": [
        {
            "metadata": {
                "annotations": {
                    "kubectl.kubernetes.io/last-applied-configuration": "{}"
                },
                "managedFields": [
                    {"manager": "a"}
                ],
                "name": "a"
            }
        }
    ]
}
`
	const wantJSON = `{
    "kind": "List",
    "items": [
        {
            "metadata": {
                "name": "a"
            }
        }
    ]
}
`
	if diff := cmp.Diff(wantJSON, string(apply.WithoutRecords([]byte(asJSON)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWithoutRecordsLeavesTheRest: live objects of all cases lose their records and nothing else.
func TestWithoutRecordsLeavesTheRest(t *testing.T) {
	files := 0
	all, err := caselist.Read("../testdata")
	for _, c := range all {
		text := c.Files["local.yaml"]
		if !bytes.Contains(text, []byte("managedFields:\n")) {
			continue
		}
		files++
		was, is := documents(t, text), documents(t, apply.WithoutRecords(text))
		for _, object := range was {
			removeRecords(object)
		}
		if diff := cmp.Diff(was, is); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
}

func documents(t *testing.T, text []byte) (out []map[string]any) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var object map[string]any
		if err := d.Decode(&object); err != nil {
			return out
		}
		out = append(out, object)
	}
}

// removeRecords removes the records from an object, and from the items of a List.
func removeRecords(object map[string]any) {
	metadata, _ := object["metadata"].(map[string]any)
	delete(metadata, "managedFields")
	if annotations, found := metadata["annotations"].(map[string]any); found {
		delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	items, _ := object["items"].([]any)
	for _, item := range items {
		if item, is := item.(map[string]any); is {
			removeRecords(item)
		}
	}
}
