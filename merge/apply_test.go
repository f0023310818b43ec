package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// TestClientApply has a case for each row of rules/apply: fields.
func TestClientApply(t *testing.T) {
	ports := &schema.Type{Relation: schema.ListMap, Keys: []schema.Key{{Name: "port"}}, Elem: &schema.Type{}}
	labels := &schema.Type{Elem: &schema.Type{}}
	kind := schema.Resource{Type: &schema.Type{Fields: map[string]*schema.Type{
		"ports": ports, "labels": labels, "args": {Relation: schema.Atomic}, "cpu": {Scalar: schema.Quantity},
		"finalizers": {Relation: schema.Set}, "volume": {RetainKeys: true},
	}}}
	for name, test := range map[string]struct {
		last, config, live, want string
		conflicts                []string
	}{
		"config wins":                      {last: "a: 1", config: "a: 2", live: "a: 1", want: "a: 2"},
		"config wins where it is the same": {last: "a: 1", config: "a: 1", live: "a: 3", want: "a: 1", conflicts: []string{"drift a"}},
		"live agrees already":              {last: "a: 1", config: "a: 2", live: "a: 2", want: "a: 2"},
		"a default is overwritten":         {last: "b: 1", config: "a: 2, b: 1", live: "a: 1, b: 1", want: "a: 2, b: 1"},
		"null removes":                     {last: "a: 1", config: "a: null", live: "a: 1", want: "{}"},
		"null that was applied":            {last: "a: null", config: "a: null", live: "a: 1", want: "{}"},
		"dropped after a null":             {last: "a: null", config: "{}", live: "a: 1", want: "{}"},
		"dropped":                          {last: "a: 1", config: "{}", live: "a: 1", want: "{}"},
		"dropped and changed":              {last: "a: 1", config: "{}", live: "a: 2", want: "{}", conflicts: []string{"drift a"}},
		"live's own":                       {last: "{}", config: "{}", live: "a: 1", want: "a: 1"},
		"live's null":                      {last: "{}", config: "b: 1", live: "a: null", want: "a: null, b: 1"},
		"gone from live":                   {last: "a: 1", config: "a: 1", live: "{}", want: "a: 1"},
		"a map comes without its nulls":    {last: "{}", config: "a: {b: null, c: [{d: null, e: 1}]}", live: "{}", want: "a: {c: [{e: 1}]}"},
		"a map that is empty":              {last: "labels: {x: 1}", config: "labels: {}", live: "labels: {x: 1, y: 2}", want: "labels: {y: 2}"},
		"a map that is dropped":            {last: "labels: {x: 1}", config: "{}", live: "labels: {x: 1, y: 2}", want: "{}", conflicts: []string{"drift labels.y"}},
		"a struct that is dropped":         {last: "s: {x: 1}", config: "{}", live: "s: {x: 1, y: 2}", want: "{}"},
		"a value of another kind":          {last: "a: 1", config: "a: {b: 1}", live: "a: [1]", want: "a: {b: 1}", conflicts: []string{"drift a"}},
		"a quantity said otherwise":        {last: "cpu: 0.5", config: "cpu: 0.5", live: "cpu: 500m", want: "cpu: 500m"},
		"a list without a key":             {last: "args: [x]", config: "args: [x]", live: "args: [x, y]", want: "args: [x]", conflicts: []string{"drift args"}},
		"an element comes":                 {last: "ports: [{port: 1}]", config: "ports: [{port: 2}, {port: 1}]", live: "ports: [{port: 1, p: tcp}]", want: "ports: [{port: 2}, {port: 1, p: tcp}]"},
		"an element goes": {
			last: "ports: [{port: 1}, {port: 2}]", config: "ports: [{port: 1}]", live: "ports: [{port: 1}, {port: 2, p: tcp}]",
			want: "ports: [{port: 1}]",
		},
		"a list that is dropped": {
			last: "ports: [{port: 1}]", config: "{}", live: "ports: [{port: 1}, {port: 2}]", want: "{}", conflicts: []string{"drift ports[port=2]"},
		},
		"config's order, live's after their neighbours": {
			last: "ports: [{port: 1}, {port: 2}]", config: "ports: [{port: 2}, {port: 1}]", live: "ports: [{port: 1}, {port: 9}, {port: 2}]",
			want: "ports: [{port: 2}, {port: 1}, {port: 9}]",
		},
		"a key twice": {
			last: "ports: [{port: 1}]", config: "ports: [{port: 1}, {port: 1, p: udp}]", live: "ports: [{port: 1}]",
			want: "ports: [{port: 1, p: udp}]", conflicts: []string{"duplicate-key ports"},
		},
		"a key twice, and another one": {
			last: "ports: [{port: 1}, {port: 1, p: udp}]", config: "ports: [{port: 2}, {port: 1}, {port: 1, p: udp}]", live: "ports: [{port: 1}, {port: 1, p: udp}]",
			want: "ports: [{port: 2}, {port: 1}, {port: 1, p: udp}]",
		},
		"a key twice, and config dropped it": {
			last: "ports: [{port: 1}, {port: 1, p: udp}]", config: "ports: []", live: "ports: [{port: 1, x: 1}, {port: 1, p: udp}]",
			want: "ports: []",
		},
		"a key twice, and config never had it": {last: "{}", config: "ports: []", live: "ports: [{port: 1}, {port: 1, p: udp}]", want: "ports: [{port: 1}, {port: 1, p: udp}]"},
		"a key twice, and so it is live":       {last: "{}", config: "ports: [{port: 1}, {port: 1}]", live: "ports: [{port: 1}, {port: 1}]", want: "ports: [{port: 1}, {port: 1}]"},
		"another key is another element":       {last: "ports: [{port: 1, n: a}]", config: "ports: [{port: 2, n: a}]", live: "ports: [{port: 1, n: a, x: 1}]", want: "ports: [{port: 2, n: a}]"},
		"a set":                                {last: "finalizers: [a, b]", config: "finalizers: [b]", live: "finalizers: [a, b, c]", want: "finalizers: [b, c]"},
		"another member":                       {last: "volume: {n: v, a: 1}", config: "volume: {n: v, b: 1}", live: "volume: {n: v, a: 1, c: 1}", want: "volume: {n: v, b: 1}"},
		"live switched the member":             {last: "volume: {n: v, a: 1}", config: "volume: {n: v, a: 1}", live: "volume: {n: v, c: 1}", want: "volume: {n: v, a: 1}"},
		"no other fields are retained":         {last: "volume: {n: v}", config: "volume: {n: v}", live: "volume: {n: v, c: 1}", want: "volume: {n: v}"},
		"nothing says what is retained":        {last: "volume: {}", config: "volume: {}", live: "volume: {n: v, c: 1}", want: "volume: {n: v, c: 1}"},
		"created":                              {config: "a: 1, b: null", want: "a: 1"},
		"no config":                            {live: "a: 1", want: "a: 1"},
		"nothing is known of the last":         {config: "a: 1", live: "a: 2, b: 3", want: "a: 1, b: 3"},
		"a list is dropped that was a map":     {last: "a: {b: 1}", config: "{}", live: "a: [1]", want: "{}", conflicts: []string{"drift a"}},
		"a key that live alone lacks in it":    {last: "s: {x: 1, y: 1}", config: "s: {x: 1}", live: "s: {x: 1}", want: "s: {x: 1}"},
	} {
		t.Run(name, func(t *testing.T) {
			versions := [3]*yaml.Node{origin: flow(t, test.last), upstream: flow(t, test.config), local: flow(t, test.live)}
			out, err := ResourceBy(ClientApply{}, versions, kind, Prefer(PreferUpstream))
			if err != nil {
				t.Fatal(err)
			}
			if want := flow(t, test.want); !Same(want, out.Node) {
				got, _ := yaml.Marshal(out.Node)
				t.Errorf("it is %s, want %s", got, test.want)
			}
			var conflicts []string
			for _, c := range out.Conflicts {
				conflicts = append(conflicts, string(c.Kind)+" "+c.Path.String())
			}
			if diff := cmp.Diff(test.conflicts, conflicts); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
		})
	}
}

// flow reads a map without its outer braces; an empty text is an absent version.
func flow(t *testing.T, text string) *yaml.Node {
	t.Helper()
	if text == "" {
		return nil
	}
	if text != "{}" {
		text = "{" + text + "}"
	}
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	return n.Content[0]
}
