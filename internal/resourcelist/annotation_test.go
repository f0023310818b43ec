package resourcelist

import (
	"bytes"
	"testing"
)

func TestWithoutAnnotation(t *testing.T) {
	const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
	tests := []struct{ name, item, want string }{
		{
			"one of several",
			"- kind: A # odd   spacing\n  metadata:\n    annotations:\n      a: 'x'\n      side: local\n      b: \"y\"\n    name:   n\n",
			"- kind: A # odd   spacing\n  metadata:\n    annotations:\n      a: 'x'\n      b: \"y\"\n    name:   n\n",
		}, {
			"the only one",
			"- kind: A\n  metadata:\n    name:   n\n    annotations:\n      side: local\n  spec: {a:   1}\n",
			"- kind: A\n  metadata:\n    name:   n\n  spec: {a:   1}\n",
		}, {
			"in flow style",
			"- kind: A\n  metadata: {name:   n, annotations: {side: local, a: b}}\n",
			"- kind: A\n  metadata: {name:   n, annotations: {a: b}}\n",
		}, {
			"not there",
			"- kind: A\n  metadata: {name:   n}\n",
			"- kind: A\n  metadata: {name:   n}\n",
		}, {
			"no metadata",
			"- kind:   A\n",
			"- kind:   A\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := Read([]byte(head + tt.item))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := list.Write(&b, []*Item{list.Items[0].WithoutAnnotation("side")}, nil); err != nil {
				t.Fatal(err)
			}
			if got := b.String(); got != head+tt.want {
				t.Errorf("got\n%swant\n%s", got, head+tt.want)
			}
		})
	}
}
