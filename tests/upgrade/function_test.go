package main

import (
	"testing"
)

// TestSecondMerge: that kyaml drops an empty line each time is no change of the
// second merge, and any other change is.
func TestSecondMerge(t *testing.T) {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /a\n  name: a\n  # one\n\n  # two\n\n  # three\ndata:\n  x: \"1\"\n"
	origin := tree{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: \"1\"\n"}
	for _, test := range []struct {
		upstream string
		want     bool
	}{{`"1"`, false}, {`"2"`, true}} {
		v := versions{origin: origin, upstream: tree{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: " + test.upstream + "\n"}}
		dir := t.TempDir()
		items, err := sent(v, tree{"a.yaml": text}, dir+"/sent")
		if err != nil {
			t.Fatal(err)
		}
		got, err := changesAgain(items, dir)
		if err != nil || got != test.want {
			t.Errorf("upstream %s: %t, %v", test.upstream, got, err)
		}
		alone, err := passed(localOnly(items), dir+"/passed")
		if err != nil || alone["a.yaml"] == text {
			t.Errorf("kyaml leaves the text as it is: %v\n%s", err, alone["a.yaml"])
		}
	}
}
