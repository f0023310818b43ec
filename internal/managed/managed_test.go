package managed_test

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/managed"
)

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Content[0]
}

// TestRecordedEntries: the entries that a server wrote are read, and written as
// they were.
func TestRecordedEntries(t *testing.T) {
	data, err := os.ReadFile("../../testdata/recorded/kubectl-apply.yaml")
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for _, list := range lists(parse(t, string(data))) {
		read, err := managed.ReadEntries(list)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range read {
			entries++
			e = managed.Entry{Owner: e.Owner, Time: e.Time, Fields: managed.Union(e.Fields, nil)}
			if got, want := written(t, e.Node()), written(t, list.Content[i]); got != want {
				t.Errorf("line %d: got\n%s\nwant\n%s", list.Line, got, want)
			}
		}
	}
	if entries < 100 {
		t.Errorf("read %d entries only", entries)
	}
}

// lists finds all managedFields.
func lists(n *yaml.Node) (out []*yaml.Node) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == "managedFields" {
			out = append(out, c)
			continue
		}
		out = append(out, lists(c)...)
	}
	return out
}

// written is the text of a value without quotes, which it may have or not.
func written(t *testing.T, n *yaml.Node) string {
	t.Helper()
	out, err := yaml.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`'`, "", `"`, "").Replace(string(out))
}

// TestEntryUnchanged: an entry in which nothing changes is the very node.
func TestEntryUnchanged(t *testing.T) {
	list := parse(t, `[{manager: m, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:b": {}, "f:a": {}}}]`)
	entries, err := managed.ReadEntries(list)
	if err != nil {
		t.Fatal(err)
	}
	if entries.Node().Content[0] != list.Content[0] {
		t.Error("the entry was written anew")
	}
	entries[0].Fields = managed.Union(entries[0].Fields, managed.Of(managed.Path{managed.Field("c")}))
	if entries.Node().Content[0] == list.Content[0] {
		t.Error("the entry was not written anew")
	}
}

func TestReadErrors(t *testing.T) {
	entry := func(fields string) string {
		return `[{manager: m, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: ` + fields + `}]`
	}
	for name, c := range map[string]struct{ list, want string }{
		"no list":         {`{}`, "line 1: managedFields is not a list"},
		"no map":          {`[1]`, "managedFields[0]: line 1: want a map"},
		"no operation":    {`[{apiVersion: v1, fieldsType: FieldsV1}]`, `managedFields[0]: line 1: operation "" is unknown, want Apply or Update`},
		"no version":      {`[{operation: Apply, fieldsType: FieldsV1}]`, `managedFields[0]: line 1: apiVersion is missing`},
		"another type":    {`[{operation: Apply, apiVersion: v1, fieldsType: V2}]`, `managedFields[0]: line 1: fieldsType "V2" is unknown, want FieldsV1`},
		"no colon":        {entry(`{"nothing": {}}`), `managedFields[0]: line 1: "nothing" is not a step of a path, want f:, k:, v: or i: and a name, key, value or index`},
		"no JSON":         {entry(`{"k:{": {}}`), `managedFields[0]: line 1: step "k:{": unexpected EOF`},
		"no JSON object":  {entry(`{"k:1": {}}`), `managedFields[0]: line 1: step "k:1": want a JSON object of the key's fields`},
		"fields no map":   {entry(`{"f:a": []}`), `managedFields[0]: line 1: want a map of steps`},
		"trailing values": {entry(`{"v:1 2": {}}`), `managedFields[0]: line 1: step "v:1 2": "1 2" is more than one value`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := managed.ReadEntries(parse(t, c.list))
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

// TestUnknownStep: a kind of step that only a newer server knows is left out.
func TestUnknownStep(t *testing.T) {
	set, err := managed.Read(parse(t, `{"f:a": {}, "x:new": {"f:b": {}}}`))
	if err != nil || set.JSON() != `{"f:a":{}}` {
		t.Errorf("got %s, %v", set.JSON(), err)
	}
}

// TestWith: a new entry is the last of its operation, an old one keeps its place and
// time, and one without fields goes.
func TestWith(t *testing.T) {
	owned := managed.Of(managed.Path{managed.Field("a")})
	owner := func(manager, operation, version string) managed.Owner {
		return managed.Owner{Manager: manager, Operation: operation, APIVersion: version}
	}
	var list managed.Entries
	for _, step := range []struct {
		owner  managed.Owner
		fields *managed.Set
		want   string
	}{
		{owner("u", managed.Update, "v1"), owned, "u"},
		{owner("b", managed.Apply, "v1"), owned, "b u"},
		{owner("a", managed.Apply, "v1"), owned, "b a u"},
		{owner("b", managed.Apply, "v2"), owned, "b a u"},
		{owner("u", managed.Update, "v2"), owned, "b a u u"},
		{owner("a", managed.Apply, "v1"), nil, "b u u"},
		{owner("x", managed.Apply, "v1"), nil, "b u u"},
		{owner("u", managed.Update, "v1"), nil, "b u"},
	} {
		list = list.With(step.owner, step.fields)
		var names []string
		for _, e := range list {
			names = append(names, e.Manager)
		}
		if got := strings.Join(names, " "); got != step.want {
			t.Errorf("%s: got %s, want %s", step.owner, got, step.want)
		}
	}
	if list[0].APIVersion != "v2" {
		t.Errorf("the entry of b is of %s", list[0].APIVersion)
	}
}
