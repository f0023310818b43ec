package gitdriver_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// role is a ClusterRole whose rules are alike.
func role(rules ...string) string {
	return "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: view\nrules:\n" + strings.Join(rules, "")
}

func rule(resource string, verbs ...string) string {
	return "- apiGroups:\n  - \"\"\n  resources:\n  - " + resource + "\n  verbs:\n  - " + strings.Join(verbs, "\n  - ") + "\n"
}

// settings is a ConfigMap that differs from others in its name and one field.
func settings(name, level, mode string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n  level: " + level + "\n  format: text\n  output: stdout\n  buffer: small\n  mode: " + mode + "\n"
}

// values are the values of two components of a chart.
func values(names, levels [2]string) string {
	text := ""
	for i, name := range names {
		text += name + ":\n  replicas: 1\n  format: text\n  output: stdout\n  level: " + levels[i] + "\n  buffer: small\n"
	}
	return text
}

// nested is a list of packages with a list in its last element.
func nested(first string, last ...string) string {
	return "dependencies:\n- " + first + "\n- y\n- z\n- pip:\n  - " + strings.Join(last, "\n  - ") + "\n"
}

// panels are the panels of a dashboard.
func panels(titles, widths [2]string) string {
	text := "{\n  \"panels\": [\n"
	for i, title := range titles {
		text += "    {\n      \"title\": \"" + title + "\",\n      \"fill\": 1,\n      \"width\": " + widths[i] + ",\n      \"lines\": true\n    }" + [2]string{",\n", "\n"}[i]
	}
	return text + "  ]\n}\n"
}

// steps is a pipeline with a group of steps, which have labels and no names, and a step below it.
func steps(level, agents string, labels ...string) string {
	text := "level: " + level + "\nsteps:\n- group: tests\n  steps:\n"
	for _, label := range labels {
		text += "  - label: " + label + "\n    image: " + label + "\n    retry: 1\n"
	}
	return text + "- label: report\n  agents: " + agents + "\n"
}

// args is a Pod whose container has arguments.
func args(name string, args ...string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: " + name + "\nspec:\n  containers:\n  - name: main\n    args:\n    - --" + strings.Join(args, "\n    - --") + "\n"
}

// pod is a Pod with containers.
func pod(names ...string) string {
	text := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n"
	for _, name := range names {
		text += "  - name: " + name + "\n    image: " + name + ":1\n"
	}
	return text
}

// TestMisplaced merges versions whose lines git merges without a conflict, but with the change of
// one side in the wrong place.
func TestMisplaced(t *testing.T) {
	for name, test := range map[string]struct {
		path, base, ours, theirs, want string
		conflicts                      int
	}{
		"documents swapped": {
			base:   settings("a", "info", "x") + "---\n" + settings("b", "info", "y"),
			ours:   settings("a", "debug", "x") + "---\n" + settings("b", "info", "y"),
			theirs: settings("b", "info", "y") + "---\n" + settings("a", "info", "z"),
			want:   settings("a", "debug", "z") + "---\n" + settings("b", "info", "y"),
		},
		"an order of arguments, and documents swapped": {
			base:   files(args("x", "a", "b", "c"), args("y", "a", "b", "c")),
			ours:   files(args("y", "a", "b", "c"), args("x", "a", "b", "c")),
			theirs: files(args("x", "c", "a", "b"), args("y", "a", "b", "c")),
			want:   files(args("y", "a", "b", "c"), args("x", "c", "a", "b")),
		},
		"an order of arguments in a document that theirs changed, too, and documents swapped": {
			base:   files(args("x", "a", "b", "c", "d"), args("y", "a", "b", "c", "d")),
			ours:   files(args("x", "a", "b", "c", "d"), args("y", "a", "c", "b", "d")),
			theirs: files(args("y", "a", "b", "c", "d")+"    image: new\n", args("x", "a", "b", "c", "d")+"    image: new\n"),
			want:   files(args("x", "a", "b", "c", "d")+"    image: new\n", args("y", "a", "c", "b", "d")+"    image: new\n"),
		},
		"an element with a key that ours moved, deleted by theirs": {
			base: pod("a", "b", "c"), ours: pod("c", "a", "b"), theirs: pod("a", "b"), want: pod("a", "b"),
		},
		"an element with a key that theirs moved, deleted by ours": {
			base: pod("a", "b", "c"), ours: pod("a", "b"), theirs: pod("c", "a", "b"), want: pod("a", "b"),
		},
		"a document moved by ours and deleted by theirs": {
			base:   deployment + "---\n" + settings("a", "info", "x"),
			ours:   swap(settings("a", "info", "x"), "metadata:", "metadata: # of the site") + "---\n" + deployment,
			theirs: deployment,
			want:   deployment,
		},
		"one element added at two places of a list in an element": {
			base:      nested("x=1", "a", "b", "c", "d"),
			ours:      nested("x=1", "a", "new", "b", "c", "d"),
			theirs:    nested("x=2", "a", "b", "c", "new", "d"),
			conflicts: 1,
		},
		"one step added at two places of a group": {
			base: steps("1", "a", "x", "y", "z"), ours: steps("1", "b", "x", "new", "y", "z"), theirs: steps("1", "b", "x", "y", "z", "new"), conflicts: 1,
		},
		"a line added to a text whose lines moved into a field": {
			path:      "values.yaml",
			base:      "config: |\n  first = 1\n\nmode: on\n",
			ours:      "config: |\n  first = 1\n\n  second = 2\n\nmode: on\n",
			theirs:    "config:\n  # as a map\n  handler: |\n    first = 1\n\nmode: on\n",
			conflicts: 1,
		},
		"maps swapped": {
			base: values([2]string{"a", "b"}, [2]string{"info", "info"}), ours: values([2]string{"a", "b"}, [2]string{"debug", "info"}),
			theirs: values([2]string{"b", "a"}, [2]string{"info", "info"}), want: values([2]string{"a", "b"}, [2]string{"debug", "info"}),
		},
		"elements of JSON swapped": {
			path: "a.json", base: panels([2]string{"a", "b"}, [2]string{"1", "1"}),
			ours:   panels([2]string{"a", "b"}, [2]string{"2", "1"}),
			theirs: panels([2]string{"b", "a"}, [2]string{"1", "1"}), conflicts: 1,
		},
		"rules swapped": {
			base: role(rule("pods", "get"), rule("secrets", "get")), ours: role(rule("pods", "get", "list"), rule("secrets", "get")),
			theirs: role(rule("secrets", "get"), rule("pods", "get")),
			want:   role(rule("pods", "get", "list"), rule("secrets", "get")), // a set has no order
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := gitdriver.Versions{Path: test.path, Texts: [3][]byte{marker.Ours: []byte(test.ours), marker.Base: []byte(test.base), marker.Theirs: []byte(test.theirs)}}
			f := marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge}
			if lines, conflicts, err := (gitdriver.Git{}).MergeLines(context.Background(), v, f); err != nil || conflicts > 0 {
				t.Fatalf("the lines collide: %v\n%s", err, lines)
			}
			m, err := gitdriver.Git{}.Merge(context.Background(), v, f)
			if err != nil {
				t.Fatal(err)
			}
			if m.Method != gitdriver.ByFields || m.Fault == "" || m.Conflicts != test.conflicts {
				t.Errorf("by %s, %d conflicts, wrong at %q:\n%s", m.Method, m.Conflicts, m.Fault, m.Text)
			}
			if diff := cmp.Diff(test.want, string(m.Text)); diff != "" && test.conflicts == 0 {
				t.Error(diff)
			}
		})
	}
}

// TestRepeats: lines collide elsewhere, where fields do not, and both sides added a step at two places of a group.
func TestRepeats(t *testing.T) {
	for name, test := range map[string]struct {
		ours, theirs string
		conflicts    int
	}{
		"beside additions":        {ours: "1\na: 1", theirs: "1\nb: 1", conflicts: 1},
		"beside another conflict": {ours: "2", theirs: "3", conflicts: 2},
	} {
		t.Run(name, func(t *testing.T) {
			v := gitdriver.Versions{Texts: [3][]byte{
				marker.Ours: []byte(steps(test.ours, "b", "x", "new", "y", "z")), marker.Base: []byte(steps("1", "a", "x", "y", "z")), marker.Theirs: []byte(steps(test.theirs, "b", "x", "y", "z", "new")),
			}}
			m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge})
			if err != nil || m.Conflicts != test.conflicts {
				t.Errorf("%v, %d conflicts:\n%s", err, m.Conflicts, m.Text)
			}
		})
	}
}

// TestLostComments merges lists without keys in which one side replaced or removed an element, and the other changed the
// comment above it: the result has the comment, or it is marked.
func TestLostComments(t *testing.T) {
	list := func(elements ...string) string { return "v:\n  # one\n  - \"1\"\n" + strings.Join(elements, "") }
	type versions struct{ base, replaced, commented, want, marked string }
	for name, test := range map[string]versions{
		"replaced below its comment": {
			base: list("  # two\n  - \"2\"\n"), replaced: list("  # two\n  - \"4\"\n"), commented: list("  # TWO\n  - \"2\"\n"),
			want: list("  # TWO\n  - \"4\"\n"),
		},
		"replaced beside its comment": {
			base: list("  - \"2\" # two\n"), replaced: list("  - \"4\" # two\n"), commented: list("  - \"2\" # TWO\n"), want: list("  - \"4\" # TWO\n"),
		},
		"replaced with its comment": {
			base: list("  # two\n  - \"2\"\n"), replaced: list("  # three\n  - \"3\"\n"), commented: list("  # TWO\n  - \"2\"\n"), want: list(), marked: "# TWO",
		},
		"removed": {
			base: list("  # two\n  - \"2\"\n", "  - \"3\"\n"), replaced: list("  - \"3\"\n"), commented: list("  # TWO\n  - \"2\"\n", "  - \"3\"\n"),
			want: list("  - \"3\"\n"), marked: "# TWO",
		},
		"without a comment in the base": {
			base: list("  - \"2\"\n"), replaced: list("  - \"4\"\n"), commented: list("  # TWO\n  - \"2\"\n"), want: list(), marked: "# TWO",
		},
		"in a map that becomes null": {
			base: "v:\n  w:\n    a: 1 # two\n", replaced: "v:\n  w:\n", commented: "v:\n  w:\n    a: 1 # TWO\n", want: "v:\n  w:\n", marked: "# TWO",
		},
		"in a list that becomes a text": {
			base: list(), replaced: "v: x\n", commented: list("  # TWO\n"), want: "", marked: "# TWO",
		},
		"in a list that becomes empty": {
			base: list(), replaced: "v: []\n", commented: "v:\n  # TWO\n  - \"1\"\n", want: "", marked: "# TWO",
		},
		"beside a key twice": {
			base: "containers:\n- name: a\n", replaced: "containers:\n- b\n", commented: "containers:\n# TWO\n- name: a\n", want: "containers:\n", marked: "# TWO",
		},
		"beside another collision": {
			base: list("  # two\n  - \"2\"\n", "  - x\n", "  - a\n"), replaced: list("  - x\n", "  - b\n"), commented: list("  # TWO\n  - \"2\"\n", "  - x\n", "  - c\n"),
			want: list("  - x\n"), marked: "# TWO",
		},
	} {
		for side, texts := range map[string][3]string{"theirs commented": {test.replaced, test.base, test.commented}, "ours commented": {test.commented, test.base, test.replaced}} {
			t.Run(name+", "+side, func(t *testing.T) {
				v := gitdriver.Versions{Texts: [3][]byte{[]byte(texts[0]), []byte(texts[1]), []byte(texts[2])}}
				m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge})
				if err != nil || m.Method != gitdriver.ByFields {
					t.Fatal(err, m.Reason)
				}
				outside, marked := divideMarked(string(m.Text))
				if outside != test.want || !strings.Contains(marked, test.marked) || (m.Conflicts > 0) != (test.marked != "") {
					t.Errorf("%d conflicts:\n%s", m.Conflicts, m.Text)
				}
			})
		}
	}
}

// TestLostCommentsByConfig removes or replaces an element of a list without keys, or the whole list, in which the other side
// commented an element: whichever side the config takes, its version stands, and a comment that is lost is named with its text.
func TestLostCommentsByConfig(t *testing.T) {
	list := func(second, last string) string { return "v:\n  - one\n" + second + "  - three\n  - four\n" + last }
	const second, commented, last = "  - two\n", "  - two # not yet\n", "  - five\n"
	base, with := list(second, last), list(commented, last)
	for name, test := range map[string]struct{ base, with, other string }{
		"removed":                  {base, with, list("", last)},
		"replaced":                 {base, with, list("  - 2nd\n", last)},
		"null":                     {base, with, "v:\n"},
		"beside another collision": {base, list(commented, "  - 5a\n"), list("", "  - 5b\n")},
	} {
		for side, texts := range map[string][3]string{"theirs": {test.other, test.base, test.with}, "ours": {test.with, test.base, test.other}} {
			for _, prefer := range []string{"local", "upstream"} {
				t.Run(name+", "+side+" commented, "+prefer, func(t *testing.T) {
					v := gitdriver.Versions{Texts: [3][]byte{[]byte(texts[0]), []byte(texts[1]), []byte(texts[2])}}
					if err := v.Settings.Override("", prefer, ""); err != nil {
						t.Fatal(err)
					}
					m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Style: marker.Merge})
					if err != nil || m.Method != gitdriver.ByFields {
						t.Fatal(err, m.Reason)
					}
					want := texts[0]
					if prefer == "upstream" {
						want = texts[2]
					}
					told := slices.ContainsFunc(sentences(m.Decisions), func(s string) bool { return strings.HasSuffix(s, ": # not yet") })
					if string(m.Text) != want || told == strings.Contains(want, "# not yet") {
						t.Errorf("%q\n%s", sentences(m.Decisions), m.Text)
					}
				})
			}
		}
	}
}

// TestDeletedComments deletes a field, a map or an element with a key on one side, with a comment that the other side changed:
// it is told.
func TestDeletedComments(t *testing.T) {
	const rolling = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  strategy:\n    type: RollingUpdate\n"
	for path, test := range map[string]struct{ kept, deleted string }{
		"v.b":           {kept: "v:\n  a: 1\n", deleted: "  # two\n  b: 2\n"},
		"v.c":           {kept: "v:\n  a: 1\n", deleted: "  c:\n    # two\n    d: 2\n"},
		"v[name=\"b\"]": {kept: "v:\n- name: a\n  x: 1\n", deleted: "# two\n- name: b\n  x: 1\n"},
		"v.e":           {kept: "v:\n  a: 1\n", deleted: "  # two\n  e: [1]\n"},
		"Deployment web spec.strategy.rollingUpdate": {kept: rolling, deleted: "    rollingUpdate:\n      # two\n      maxSurge: 1\n"},
		"ConfigMap extra": {kept: config, deleted: "---\n" + swap(config, "name: web", "name: extra", "\ndata:", "\n# two\ndata:")},
	} {
		base, commented := test.kept+test.deleted, test.kept+swap(test.deleted, "# two", "# TWO")
		for message, texts := range map[string][3]string{
			": ours deleted it, and theirs changed a comment there: # TWO":        {test.kept, base, commented},
			": theirs deleted it, and ours had a comment of its own there: # TWO": {commented, base, test.kept},
		} {
			v := gitdriver.Versions{Texts: [3][]byte{[]byte(texts[0]), []byte(texts[1]), []byte(texts[2])}}
			m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Style: marker.Merge})
			if diff := cmp.Diff([]string{path + message}, sentences(m.Decisions)); diff != "" || err != nil || m.Conflicts > 0 || string(m.Text) != test.kept {
				t.Errorf("%v, %d conflicts: %s\n%s", err, m.Conflicts, diff, m.Text)
			}
		}
	}
}

// sentences are the sentences that tell decisions.
func sentences(decisions []gitdriver.Decision) (out []string) {
	for _, d := range decisions {
		out = append(out, d.String())
	}
	return out
}

// TestDeletedCommentAtTheEnd removes all parts of a map or list in ours, at whose end theirs changed a comment: it is told.
func TestDeletedCommentAtTheEnd(t *testing.T) {
	for base, ours := range map[string]string{
		"v:\n  # one\n  a: 1\n  # two\nw: 1\n":       "v: {}\nw: 1\n",
		"v:\n  - name: a\n    x: 1\n  # two\nw: 1\n": "v: []\nw: 1\n",
	} {
		v := gitdriver.Versions{Texts: [3][]byte{[]byte(ours), []byte(base), []byte(swap(base, "# two", "# TWO"))}}
		m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Style: marker.Merge})
		told := []string{"v: ours deleted a part of it, and theirs changed a comment there: # TWO"}
		if diff := cmp.Diff(told, sentences(m.Decisions)); diff != "" || err != nil || m.Conflicts > 0 || string(m.Text) != ours {
			t.Errorf("%v, %d conflicts: %s\n%s", err, m.Conflicts, diff, m.Text)
		}
	}
}

// divideMarked returns the lines outside of markers and the lines within.
func divideMarked(text string) (outside, marked string) {
	within := false
	for line := range strings.Lines(text) {
		switch within = within || strings.HasPrefix(line, "<<<<<<<"); {
		case within:
			marked += line
		default:
			outside += line
		}
		within = within && !strings.HasPrefix(line, ">>>>>>>")
	}
	return outside, marked
}

// function is a Kptfile whose pipeline has one function.
func function(image, kinds string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\npipeline:\n  validators:\n  - image: " + image +
		"\n    configMap:\n      strict: \"true\"\n      skip: " + kinds + "\n"
}

// TestInItsPlace merges versions whose lines git merges without a conflict, with each change in its place: in a function
// with a new image, and in documents with a new kind.
func TestInItsPlace(t *testing.T) {
	stateful := swap(deployment, "kind: Deployment", "kind: StatefulSet")
	for name, test := range map[string]struct{ base, ours, theirs, want string }{
		"a function with a new image": {
			base: function("web:v1", "A"), ours: function("web:v2", "A"), theirs: function("web:v1", "A,B"), want: function("web:v2", "A,B"),
		},
		"a document with a new kind beside another": {
			base:   deployment + "---\n" + settings("a", "info", "x"),
			ours:   swap(deployment, "replicas: 1", "replicas: 3") + "---\n" + settings("a", "info", "x"),
			theirs: stateful + "---\n" + settings("a", "info", "x"),
			want:   swap(stateful, "replicas: 1", "replicas: 3") + "---\n" + settings("a", "info", "x"),
		},
		"a document with a new kind and a new name": {
			base: settings("a", "info", "x"), ours: swap(settings("a", "info", "x"), "ConfigMap", "Settings"), theirs: settings("b", "info", "x"),
			want: swap(settings("b", "info", "x"), "ConfigMap", "Settings"),
		},
		"elements of one list that each side uncommented": {
			base:   "bases:\n- ../crd\n- ../manager\n#- ../webhook\n# To enable the certificates:\n#- ../certificates\n",
			ours:   "bases:\n- ../crd\n- ../manager\n- ../webhook\n# To enable the certificates:\n#- ../certificates\n",
			theirs: "bases:\n- ../crd\n- ../manager\n#- ../webhook\n# To enable the certificates:\n- ../certificates\n",
			want:   "bases:\n- ../crd\n- ../manager\n- ../webhook\n# To enable the certificates:\n- ../certificates\n",
		},
		"elements of a list without any that each side uncommented": {
			base:   "patches:\n# To have a proxy:\n#- proxy.yaml\n\n# To have a webhook:\n#- webhook.yaml\n",
			ours:   "patches:\n# To have a proxy:\n#- proxy.yaml\n\n# To have a webhook:\n- webhook.yaml\n",
			theirs: "patches:\n# To have a proxy:\n- proxy.yaml\n\n# To have a webhook:\n#- webhook.yaml\n",
			want:   "patches:\n# To have a proxy:\n- proxy.yaml\n\n# To have a webhook:\n- webhook.yaml\n",
		},
		"two lists with equal elements, and each side commented out one": {
			base:   "prod:\n- crd\n- web\n- extra\ntest:\n- crd\n- web\n- extra\n",
			ours:   "prod:\n- crd\n#- web\n- extra\ntest:\n- crd\n- web\n- extra\n",
			theirs: "prod:\n- crd\n- web\n- extra\ntest:\n- crd\n#- web\n- extra\n",
			want:   "prod:\n- crd\n#- web\n- extra\ntest:\n- crd\n#- web\n- extra\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := gitdriver.Versions{Texts: [3][]byte{marker.Ours: []byte(test.ours), marker.Base: []byte(test.base), marker.Theirs: []byte(test.theirs)}}
			m, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(m.Text)); diff != "" || m.Fault != "" {
				t.Errorf("wrong at %q: %s", m.Fault, diff)
			}
		})
	}
}

// TestLostInFields merges versions whose lines collide. Where the merge of the fields would lack something of one side, git's markers
// stay (rules/git: never worse than git).
func TestLostInFields(t *testing.T) {
	list := func(resources ...string) string {
		return "kind: Kustomization\nresources:\n- " + strings.Join(resources, "\n- ") + "\n"
	}
	for name, test := range map[string]struct {
		base, ours, theirs, want, reason string
	}{
		"a comment beside an element, removed beside a change": {
			base: list("a # note", "b", "c"), ours: list("a # note", "bb", "c"), theirs: list("a", "b", "c"), want: list("a", "bb", "c"),
		},
		"a comment beside an element that changes, removed": {
			base: list("a # note", "b", "c"), ours: list("aa # note", "b", "c"), theirs: list("a", "b", "c"),
			reason: "the merge of its fields lacks a change of # note",
		},
		"a field that both add to an element, which one side gives another key, too": {
			base:   "kind: Chart\nmaintainers:\n- name: acme\n  email: a@acme.io\nversion: 1\n",
			ours:   "kind: Chart\nmaintainers:\n- name: acme\n  email: a@acme.io\n  url: https://acme.io\nversion: 1\n",
			theirs: "kind: Chart\nmaintainers:\n- name: Acme\n  email: a@acme.io\n  url: https://acme.io\nversion: 2\n",
			want:   "kind: Chart\nmaintainers:\n- name: Acme\n  email: a@acme.io\n  url: https://acme.io\nversion: 2\n",
		},
		"a comment that both add in places of their own": {
			base:   "a:\n  x: 1\nb:\n  x: 1\n",
			ours:   "a:\n  # todo\n  y: 1\n  x: 1\nb:\n  x: 2\n",
			theirs: "a:\n  x: 2\nb:\n  # todo\n  y: 1\n  x: 1\n",
			want:   "a:\n  # todo\n  y: 1\n  x: 2\nb:\n  # todo\n  y: 1\n  x: 2\n",
		},
		"a key with a question mark beside a change": {
			base: "a: 1\n? b c\n: 2\n", ours: "a: 2\n? b c\n: 2\n", theirs: "a: 1\nnew: 1\n? b c\n: 2\n", want: "a: 2\nnew: 1\n? b c\n: 2\n",
		},
		"a map under a key with a question mark": {
			base: "? b c\n: x: 1\n  y: 1\n", ours: "? b c\n: x: 2\n  y: 1\n", theirs: "? b c\n: x: 1\n  y: 2\n",
			want: "? b c\n: x: 2\n  y: 2\n",
		},
		"a list under a key with a question mark": {
			base: "a: 1\nb: 1\n? b c\n:   - name: x\n    -   name:   y # y\n", ours: "a: 2\nb: 1\n? b c\n:   - name: x\n    -   name:   y # y\n",
			theirs: "a: 1\nb: 2\n? b c\n:   -   name:   y # y\n", want: "a: 2\nb: 2\n? b c\n:   -   name:   y # y\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swapped := range [2]bool{false, true} {
				v := gitdriver.Versions{Path: "kustomization.yaml", Texts: [3][]byte{marker.Ours: []byte(test.ours), marker.Base: []byte(test.base), marker.Theirs: []byte(test.theirs)}}
				if swapped {
					v.Texts[marker.Ours], v.Texts[marker.Theirs] = v.Texts[marker.Theirs], v.Texts[marker.Ours]
				}
				m, err := gitdriver.Git{}.Merge(t.Context(), v, marker.Format{Style: marker.Merge})
				if err != nil {
					t.Fatal(err)
				}
				if m.Reason != test.reason || m.Conflicts > 0 != (test.reason != "") || test.want != "" && string(m.Text) != test.want {
					t.Errorf("swapped %v: %d conflicts, %q:\n%s", swapped, m.Conflicts, m.Reason, m.Text)
				}
			}
		})
	}
}

// TestAliased: a text with aliases is judged as it reads with the aliases written out. That both sides changed other fields of
// an element without a name is no collision; that ours changed a value, which theirs wrote out where there was an alias, is one.
func TestAliased(t *testing.T) {
	profiles := func(team, image, other string) string {
		return "profiles:\n- display: small\n  teams: &teams\n  - core\n" + team + "  image:\n    tag: " + image + "\n    size: 1\n- display: large\n  teams: " + other +
			"\n  image:\n    tag: \"1\"\n    size: 2\n"
	}
	base := profiles("", `"1"`, "*teams")
	for name, test := range map[string]struct {
		ours, theirs string
		clean        bool
	}{
		"other fields of one element": {profiles("", `"2"`, "*teams"), profiles("  - data\n", `"1"`, "*teams"), true},
		"an alias written out":        {profiles("  - data\n", `"1"`, "*teams"), profiles("", `"1"`, "\n  - core"), false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, sides := range [2][2]string{{test.ours, test.theirs}, {test.theirs, test.ours}} {
				v := gitdriver.Versions{Path: "values.yaml", Texts: [3][]byte{marker.Base: []byte(base), marker.Ours: []byte(sides[0]), marker.Theirs: []byte(sides[1])}}
				got, err := gitdriver.Git{}.Merge(context.Background(), v, marker.Format{})
				if err != nil {
					t.Fatal(err)
				}
				if clean := got.Fault == "" && got.Conflicts == 0; clean != test.clean {
					t.Errorf("clean %v, want %v; fault %q, %d conflicts:\n%s", clean, test.clean, got.Fault, got.Conflicts, got.Text)
				}
			}
		})
	}
}
