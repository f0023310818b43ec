package gitdriver_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/marker"
)

// files joins documents of a file.
func files(documents ...string) string { return strings.Join(documents, "---\n") }

// TestRenamedDocuments merges documents to which a side gave another name, namespace or kind (rules/git: renamed documents). A merge
// without conflicts is the same with the sides swapped, and with conflicts they are as many.
func TestRenamedDocuments(t *testing.T) {
	a, b := settings("a", "info", "x"), settings("b", "info", "y")
	secret := func(name, text string) string {
		return swap(text, "kind: ConfigMap\nmetadata:\n  name: "+name, "kind: Secret\nmetadata:\n  name: "+name)
	}
	in := func(namespace, text string) string {
		return swap(text, "\ndata:", "\n  namespace: "+namespace+"\ndata:")
	}
	for name, test := range map[string]struct {
		base, ours, theirs, want string
		conflicts                int
		toGit                    bool
	}{
		"two renamed by one change, one of them deleted": {
			base: files(a, b), ours: files(settings("app-a", "info", "x"), settings("app-b", "info", "y")), theirs: files(a),
			conflicts: 1,
		},
		"two renamed by one change, both changed": {
			base: files(a, b), ours: files(settings("app-a", "info", "x"), settings("app-b", "info", "y")),
			theirs: files(settings("a", "debug", "x"), settings("b", "info", "z")),
			want:   files(settings("app-a", "debug", "x"), settings("app-b", "info", "z")),
		},
		"two renamed in one place without one change, both changed": {
			base: files(a, b), ours: files(settings("front", "info", "x"), settings("back", "info", "y")),
			theirs: files(settings("a", "debug", "x"), settings("b", "warn", "y")),
			want:   files(settings("front", "debug", "x"), settings("back", "warn", "y")),
		},
		"two renamed by both sides in two ways": {
			base: files(a, b), ours: files(settings("app-a", "info", "x"), settings("app-b", "info", "y")),
			theirs:    files(settings("web-a", "info", "x"), settings("web-b", "info", "y")),
			conflicts: 2,
		},
		"two in another namespace, one of them deleted": {
			base: files(in("old", a), in("old", b)), ours: files(in("new", a), in("new", b)), theirs: files(in("old", b)),
			conflicts: 1,
		},
		"renamed and changed, and deleted": {
			base: files(a, b), ours: files(a, settings("other", "debug", "y")), theirs: files(a),
			conflicts: 1,
		},
		"of another kind, and deleted": {
			base: files(a, b), ours: files(a, secret("b", b)), theirs: files(a),
			conflicts: 1,
		},
		"of another kind, and changed": {
			base: files(a, b), ours: files(a, secret("b", b)), theirs: files(a, settings("b", "info", "z")),
			want: files(a, secret("b", settings("b", "info", "z"))),
		},
		"both renamed by theirs, a field changed by ours": {
			base: files(a, b), ours: files(settings("a", "debug", "x"), b),
			theirs: files(settings("app-a", "info", "x"), settings("app-b", "info", "y")),
			want:   files(settings("app-a", "debug", "x"), settings("app-b", "info", "y")),
		},
		"one deleted and the other renamed, which may be either": {
			base: files(a, settings("b", "info", "x")), ours: files(settings("other", "info", "x")), theirs: files(settings("a", "debug", "x"), settings("b", "warn", "x")),
			conflicts: 1, toGit: true,
		},
		"another document in its place, and deleted": {
			base: files(a, b), ours: files(a, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  other: x\n"), theirs: files(a),
			conflicts: 1, toGit: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swapped := range [2]bool{false, true} {
				v := gitdriver.Versions{Texts: [3][]byte{marker.Ours: []byte(test.ours), marker.Base: []byte(test.base), marker.Theirs: []byte(test.theirs)}}
				if swapped {
					v.Texts[marker.Ours], v.Texts[marker.Theirs] = v.Texts[marker.Theirs], v.Texts[marker.Ours]
				}
				f := marker.Format{Labels: [3]string{"ours", "base", "theirs"}, Style: marker.Merge}
				m, err := gitdriver.Git{}.Merge(t.Context(), v, f)
				if err != nil {
					t.Fatal(err)
				}
				if m.Conflicts != test.conflicts || (m.Reason != "") != test.toGit || m.Fault != "" {
					t.Errorf("swapped %v: %d conflicts, %q, %q:\n%s", swapped, m.Conflicts, m.Reason, m.Fault, m.Text)
				}
				if diff := cmp.Diff(test.want, string(m.Text)); diff != "" && test.conflicts == 0 {
					t.Errorf("swapped %v: %s", swapped, diff)
				}
			}
		})
	}
}
