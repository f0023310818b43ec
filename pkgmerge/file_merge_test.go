package pkgmerge_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// one returns a version of a file; nil is none.
func one(mode fs.FileMode, data string) *pkgmerge.File {
	return &pkgmerge.File{Name: "run.sh", Mode: mode, Data: []byte(data)}
}

func text(data string) *pkgmerge.File { return one(0o644, data) }

// The rows of rules/resources: additions and deletions for a file that does not merge
// by structure.
func TestFileRows(t *testing.T) {
	const lines = "a\nb\nc\nd\ne\n"
	changed := func(from, to string) *pkgmerge.File { return text(strings.ReplaceAll(lines, from, to)) }
	union, local := merge.PreferUnion, merge.PreferLocal
	for _, tt := range []struct {
		name        string
		o, u, l     *pkgmerge.File
		prefer      merge.Preference
		want        *pkgmerge.File
		conflict    merge.Kind
		wantChanges pkgmerge.Action
	}{
		{"only local", nil, nil, text("l"), 0, text("l"), "", pkgmerge.Unchanged},
		{"added", nil, one(0o755, "u"), nil, 0, one(0o755, "u"), "", pkgmerge.Added},
		{"added twice, alike", nil, text("u"), text("u"), 0, text("u"), "", pkgmerge.Unchanged},
		{"added twice", nil, text("u\n"), text("l\n"), 0, text("u\n"), merge.BothChanged, pkgmerge.Changed},
		{"deleted", text("o"), nil, text("o"), 0, nil, "", pkgmerge.Deleted},
		{"deleted, changed", text("o"), nil, text("l"), 0, nil, merge.UpstreamDeleted, pkgmerge.Deleted},
		{"deleted, changed, local preferred", text("o"), nil, text("l"), local, text("l"), merge.UpstreamDeleted, pkgmerge.Unchanged},
		{"deleted locally", text("o"), text("o"), nil, 0, nil, "", pkgmerge.Absent},
		{"deleted locally, changed", text("o"), text("u"), nil, 0, nil, "", pkgmerge.Absent},
		{"deleted by both", text("o"), nil, nil, 0, nil, "", pkgmerge.Absent},
		{"changed upstream", text("o"), text("u"), text("o"), 0, text("u"), "", pkgmerge.Changed},
		{"changed locally", text("o"), text("o"), text("l"), 0, text("l"), "", pkgmerge.Unchanged},
		{"changed alike", text("o"), text("x"), text("x"), 0, text("x"), "", pkgmerge.Unchanged},
		{"lines of both", text(lines), changed("a", "A"), changed("e", "E"), 0, text("A\nb\nc\nd\nE\n"), "", pkgmerge.Changed},
		{"one line", text(lines), changed("c", "U"), changed("c", "L"), 0, changed("c", "U"), merge.BothChanged, pkgmerge.Changed},
		{"one line, local preferred", text(lines), changed("c", "U"), changed("c", "L"), local, changed("c", "L"), merge.BothChanged, pkgmerge.Unchanged},
		{"one line, union", text(lines), changed("c", "U"), changed("c", "L"), union, changed("c", "U"), merge.BothChanged, pkgmerge.Changed},
		{"local has CRLF", text(lines), changed("a", "A"), text("a\r\nb\r\nc\r\nd\r\nE\r\n"), 0, text("A\r\nb\r\nc\r\nd\r\nE\r\n"), "", pkgmerge.Changed},
		{"lines of both, not UTF-8", text("\xe4\nb\nc\n"), text("\xf6\nb\nc\n"), text("\xe4\nb\n\xfc\n"), 0, text("\xf6\nb\n\xfc\n"), "", pkgmerge.Changed},
		{"one line, not UTF-8", text("a\n\xe4\nc\n"), text("a\n\xf6\nc\n"), text("a\n\xfc\nc\n"), 0, text("a\n\xf6\nc\n"), merge.BothChanged, pkgmerge.Changed},
		{"mode and text", text(lines), one(0o755, lines), changed("c", "L"), 0, one(0o755, "a\nb\nL\nd\ne\n"), "", pkgmerge.Changed},
		{"local's mode", text(lines), changed("c", "U"), one(0o755, lines), 0, one(0o755, "a\nb\nU\nd\ne\n"), "", pkgmerge.Changed},
		{"binary", text("o\x00"), text("u\x00"), text("l\x00"), 0, text("u\x00"), merge.BothChanged, pkgmerge.Changed},
		{"link", one(fs.ModeSymlink, "o"), one(fs.ModeSymlink, "u"), one(fs.ModeSymlink, "o"), 0, one(fs.ModeSymlink, "u"), "", pkgmerge.Changed},
		{"link on one side", text("o"), one(fs.ModeSymlink, "u"), text("l"), local, text("l"), merge.BothChanged, pkgmerge.Unchanged},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := mergeOne(t, tt.o, tt.u, tt.l, pkgmerge.Options{Policy: pkgmerge.Prefer(tt.prefer)})
			c := result.FileChanges[len(result.FileChanges)-1]
			if c.Action != tt.wantChanges || len(c.Conflicts) > 1 {
				t.Errorf("action %d, want %d; conflicts %v", c.Action, tt.wantChanges, c.Conflicts)
			}
			kind := merge.Kind("")
			if len(c.Conflicts) > 0 {
				kind = c.Conflicts[0].Kind
			}
			if kind != tt.conflict {
				t.Errorf("conflict %q, want %q", kind, tt.conflict)
			}
			files, err := result.Files()
			if err != nil {
				t.Fatal(err)
			}
			files = files[:len(files):len(files)]
			switch {
			case tt.want == nil && len(files) != 1:
				t.Errorf("the file is there: %q", files)
			case tt.want != nil && (len(files) != 2 || string(files[1].Data) != string(tt.want.Data) || files[1].Mode != tt.want.Mode):
				t.Errorf("got %q, want %q", files, tt.want)
			}
		})
	}
}

// mergeOne merges versions of one file beside an unchanged one.
func mergeOne(t *testing.T, o, u, l *pkgmerge.File, options pkgmerge.Options) *pkgmerge.Result {
	t.Helper()
	var packages [3]pkgmerge.Package
	for side, f := range [3]*pkgmerge.File{o, u, l} {
		files := []pkgmerge.File{{Name: "README", Mode: 0o644, Data: []byte("x")}}
		if f != nil {
			files = append(files, *f)
		}
		p, err := pkgmerge.NewPackage(files)
		if err != nil {
			t.Fatal(err)
		}
		packages[side] = p
	}
	result, err := pkgmerge.Merge(context.Background(), packages, options)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestFileStrategies checks the results of each strategy for files that do not merge by structure (rules/strategies:
// the strategies).
func TestFileStrategies(t *testing.T) {
	origin := tree{"both": "o", "dropped": "o", "dropped, changed": "o"}
	upstream := tree{"both": "u", "added": "u"}
	local := tree{"both": "l", "dropped": "o", "dropped, changed": "l", "own": "l"}
	for _, tt := range []struct {
		strategy pkgmerge.Strategy
		want     tree
	}{
		{pkgmerge.ResourceMerge{}, tree{"both": "u", "added": "u", "own": "l"}},
		{strategyNamed(t, "force-delete-replace"), tree{"both": "u", "added": "u"}},
		{strategyNamed(t, "copy-merge"), tree{"both": "u", "added": "u", "own": "l"}},
	} {
		t.Run(tt.strategy.Name(), func(t *testing.T) {
			got, _ := mergedFiles(t, origin, upstream, local, pkgmerge.Options{Strategy: tt.strategy})
			check(t, got, tt.want)
		})
	}
	packages := [3]pkgmerge.Package{packageOf(t, origin), packageOf(t, upstream), packageOf(t, local)}
	_, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: strategyNamed(t, "fast-forward")})
	const want = "cannot fast-forward: your copy differs from origin and from upstream in 3 files: both; dropped, changed; own"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A file that does not merge by structure on one side is text on all (rules/files: text
// and other files).
func TestFileIsTextOnAllSides(t *testing.T) {
	deployment := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  replicas: 1\n  paused: false\n"
	change := func(from, to string) string { return strings.ReplaceAll(deployment, from, to) }
	for _, tt := range []struct {
		name                          string
		origin, upstream, local, want string
	}{
		{"a template", deployment, change("replicas: 1", "replicas: {{ .Values.n }}"), change("paused: false\n", "paused: false\n  x: 1\n"),
			change("replicas: 1\n  paused: false\n", "replicas: {{ .Values.n }}\n  paused: false\n  x: 1\n")},
		{"a key twice locally", deployment, change("replicas: 1", "replicas: 2"), deployment + "  replicas: 1\n", change("replicas: 1", "replicas: 2") + "  replicas: 1\n"},
		{"markers of a conflict", deployment, change("paused: false", "paused: true"), "<<<<<<< a\n=======\n>>>>>>> b\n" + deployment,
			"<<<<<<< a\n=======\n>>>>>>> b\n" + change("paused: false", "paused: true")},
		{"a list", deployment, change("paused: false", "paused: true"), "- a\n" + deployment, "- a\n" + change("paused: false", "paused: true")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, result := mergedFiles(t, tree{"a.yaml": tt.origin}, tree{"a.yaml": tt.upstream}, tree{"a.yaml": tt.local}, pkgmerge.Options{})
			check(t, got, tree{"a.yaml": tt.want})
			if len(result.Notices) != 1 || result.Notices[0].File != "a.yaml" || len(result.Changes) != 0 {
				t.Errorf("notices %v, %d resources", result.Notices, len(result.Changes))
			}
		})
	}
}

// strategyNamed is pkgmerge.StrategyNamed for tests.
func strategyNamed(t *testing.T, name string) pkgmerge.Strategy {
	t.Helper()
	s, err := pkgmerge.StrategyNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An unreadable document is found before the merge: its file merges as text if the merge needs the document, and the
// first such document of the file gives the reason.
func TestUnreadableDocument(t *testing.T) {
	twice := func(name, value string) string {
		return "kind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n  a: x\n  a: " + value + "\n"
	}
	const join = "---\n"
	origin := map[string]string{"a.yaml": twice("one", "1") + join + twice("two", "1") + join + configMap("three", "1"), "b.yaml": configMap("b", "1")}
	upstream := map[string]string{"a.yaml": twice("one", "2") + join + twice("two", "2") + join + configMap("three", "1"), "b.yaml": configMap("b", "2")}
	local := map[string]string{"a.yaml": twice("one", "1") + join + twice("two", "1") + join + configMap("three", "1") + "  own: 1\n", "b.yaml": configMap("b", "1")}
	for range 10 {
		files, result := mergedFiles(t, origin, upstream, local, pkgmerge.Options{})
		check(t, files, map[string]string{"a.yaml": upstream["a.yaml"] + "  own: 1\n", "b.yaml": upstream["b.yaml"]})
		if len(result.Notices) != 1 || !strings.Contains(result.Notices[0].Text, `origin's a.yaml:6: key "a" is there twice; the file is merged by lines`) {
			t.Fatal(result.Notices)
		}
	}
	upstream["a.yaml"] = twice("one", "1") + join + twice("two", "1") + join + configMap("three", "2")
	files, result := mergedFiles(t, origin, upstream, local, pkgmerge.Options{})
	check(t, files, map[string]string{"a.yaml": upstream["a.yaml"] + "  own: 1\n", "b.yaml": upstream["b.yaml"]})
	if len(result.Notices) != 0 {
		t.Error("a document that nobody changed is read:", result.Notices)
	}
}

// An unreadable document is an error if a version is not made of files: there is no other way to merge it.
func TestUnreadableDocumentOutsideOfFiles(t *testing.T) {
	var packages [3]pkgmerge.Package
	for side := range packages {
		packages[side] = packageOf(t, map[string]string{"a.yaml": configMap("a", "1") + fmt.Sprintf("  k0: %d\n", side)})
	}
	packages[2] = pkgmerge.Package{Resources: packages[2].Resources}
	_, err := pkgmerge.Merge(t.Context(), packages, pkgmerge.Options{})
	if err == nil || !strings.Contains(err.Error(), `a.yaml: line 7: duplicate key "k0"`) {
		t.Error(err)
	}
}
