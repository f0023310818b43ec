package identity

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, text string) Meta {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return ReadMeta(n.Content[0])
}

func TestID(t *testing.T) {
	tests := []struct {
		name, item string
		want, own  ID
	}{
		{
			"a name without a namespace",
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}",
			ID{"apps", "Deployment", "", "a"}, ID{"apps", "Deployment", "", "a"},
		}, {
			"no version: v1beta1 is v1",
			"apiVersion: apps/v1beta1\nkind: Deployment\nmetadata: {name: a, namespace: n}",
			ID{"apps", "Deployment", "n", "a"}, ID{"apps", "Deployment", "n", "a"},
		}, {
			"the comment on the key",
			"apiVersion: v1\nkind: Service\nmetadata: # kpt-merge: x/y\n  name: a\n  namespace: n",
			ID{"", "Service", "x", "y"}, ID{"", "Service", "n", "a"},
		}, {
			"the comment on a flow value",
			"apiVersion: v1\nkind: Service\nmetadata: {name: a} # kpt-merge: x/y",
			ID{"", "Service", "x", "y"}, ID{"", "Service", "", "a"},
		}, {
			"/name is not default/name",
			"apiVersion: v1\nkind: Service\nmetadata: # kpt-merge: /y\n  name: a\n  namespace: default",
			ID{"", "Service", "", "y"}, ID{"", "Service", "default", "a"},
		}, {
			"a malformed comment is ignored",
			"apiVersion: v1\nkind: Service\nmetadata: # kpt-merge: y\n  name: a",
			ID{"", "Service", "", "a"}, ID{"", "Service", "", "a"},
		}, {
			"another comment says nothing",
			"apiVersion: v1\nkind: Service\nmetadata: # ours\n  name: a",
			ID{"", "Service", "", "a"}, ID{"", "Service", "", "a"},
		}, {
			"generateName stands in",
			"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: j-}",
			ID{"batch", "Job", "", "j-"}, ID{"batch", "Job", "", "j-"},
		}, {
			"neither name: by path",
			"resources: [a.yaml]",
			ID{"", "", "", "d/f.yaml"}, ID{"", "", "", "d/f.yaml"},
		}, {
			"a Kptfile: by path, not by name",
			"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: # kpt-merge: x/y\n  name: a",
			ID{"kpt.dev", "Kptfile", "", "d/f.yaml"}, ID{"kpt.dev", "Kptfile", "", "d/f.yaml"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := Entry{Meta: read(t, tt.item), Path: "d/f.yaml"}
			if got := e.ID(); got != tt.want {
				t.Errorf("ID() = %+v, want %+v", got, tt.want)
			}
			if got := e.OwnID(); got != tt.own {
				t.Errorf("Own() = %+v, want %+v", got, tt.own)
			}
		})
	}
}

func TestParseComment(t *testing.T) {
	tests := []struct {
		text string
		want Comment
		bad  bool
	}{
		{"# kpt-merge: ns/name", Comment{"ns", "name"}, false},
		{"#kpt-merge:ns/name", Comment{"ns", "name"}, false},
		{"##  kpt-merge:  ns / name  ", Comment{"ns", "name"}, false},
		{"# kpt-merge: /name", Comment{"", "name"}, false},
		{"# kpt-merge: ns/a/b", Comment{"ns", "a/b"}, false},
		{"# kpt-merge: name", Comment{}, true},
		{"# kpt-merge: ns/", Comment{}, true},
		{"# kpt-merge:", Comment{}, true},
		{"# kpt-merge: ns/name and more", Comment{}, true},
		{"# kpt-set: x", Comment{}, true},
		{"", Comment{}, true},
	}
	for _, tt := range tests {
		got, err := ParseComment(tt.text)
		if (err != nil) != tt.bad || got != tt.want {
			t.Errorf("ParseComment(%q) = %+v, %v", tt.text, got, err)
		}
	}
}

func FuzzParseComment(f *testing.F) {
	for _, seed := range []string{"# kpt-merge: ns/name", "#kpt-merge:/a/b", "kpt-merge: a", "", "#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseComment(text)
		if err != nil {
			return
		}
		if again, err := ParseComment(c.String()); err != nil || again != c {
			t.Errorf("%q is %+v, which reads back as %+v, %v", text, c, again, err)
		}
	})
}
