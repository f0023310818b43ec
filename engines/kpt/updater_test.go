package kpt

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// config is a ConfigMap with kpt's merge comment.
func config(name string, data ...string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /" + name + "\n  name: " + name +
		"\ndata:\n  " + strings.Join(data, "\n  ") + "\n"
}

// kptfile is a Kptfile that says where its package is from, if ref is not empty.
func kptfile(name, ref string) string {
	text := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n"
	if ref != "" {
		text += "upstream:\n  type: git\n  git:\n    repo: https://example.com/" + name + "\n    directory: /\n    ref: " + ref + "\n  updateStrategy: resource-merge\n"
	}
	return text
}

// theirs is kpt's type Options, as kpt declares it.
type theirs struct {
	// RelPackagePath is as in kpt.
	RelPackagePath string
	LocalPath      string
	OriginPath     string
	UpdatedPath    string
	IsRoot         bool
}

// An Updater is kpt's interface, whose Options are of another package.
var _ interface{ Update(theirs) error } = Updater[theirs]{}

func TestUpdate(t *testing.T) {
	origin := tree{"Kptfile": kptfile("shop", ""), "web.yaml": config("web", "a: one", "b: one", "c: one"), "notes.txt": "one\n"}
	updated := origin.and(tree{"web.yaml": config("web", "a: two", "b: one", "c: one"), "notes.txt": "two\n"})
	local := origin.and(tree{"Kptfile": kptfile("mine", "v2"), "web.yaml": config("web", "a: one", "b: one", "c: ours")})
	want := local.and(tree{"web.yaml": config("web", "a: two", "b: one", "c: ours"), "notes.txt": "two\n"})
	db := func(data ...string) string { return config("db", data...) }
	sub := func(ref string, data ...string) tree {
		return tree{"db/Kptfile": kptfile("db", ref), "db/db.yaml": db(data...)}
	}
	for name, test := range map[string]struct {
		options                      theirs
		origin, updated, local, want tree
	}{
		"a package": {theirs{IsRoot: true}, origin, updated, local, want},
		"a package without a Kptfile in its repository": {theirs{IsRoot: true},
			origin.and(tree{"Kptfile": ""}), updated.and(tree{"Kptfile": ""}), local, want},
		"a package that lost its Kptfile": {theirs{IsRoot: true}, origin, updated.and(tree{"Kptfile": ""}), local, want},
		"no origin": {theirs{IsRoot: true}, tree{}, updated, local,
			local.and(tree{"web.yaml": config("web", "a: two", "b: one", "c: one"), "notes.txt": "two\n"})},
		"no directory of an origin": {theirs{IsRoot: true}, nil, updated, local,
			local.and(tree{"web.yaml": config("web", "a: two", "b: one", "c: one"), "notes.txt": "two\n"})},
		"a subpackage of its own merges": {theirs{IsRoot: true},
			origin.and(sub("", "a: one", "b: one")), updated.and(sub("", "a: two", "b: one")), local.and(sub("", "a: one", "b: ours")),
			want.and(sub("", "a: two", "b: ours"))},
		"a subpackage from elsewhere is kpt's business": {theirs{IsRoot: true},
			origin.and(sub("v1", "a: one")), updated.and(sub("v2", "a: two")), local.and(sub("v1", "a: one")), want.and(sub("v1", "a: one"))},
		"so is one that is new": {theirs{IsRoot: true}, origin, updated.and(sub("v2", "a: two")), local, want},
		"a package of nothing but these": {theirs{IsRoot: true},
			sub("v1", "a: one"), sub("v2", "a: two"), sub("v1", "a: one").and(tree{"Kptfile": kptfile("mine", "v2")}),
			sub("v1", "a: one").and(tree{"Kptfile": kptfile("mine", "v2")})},
		"one in another subpackage merges": {theirs{IsRoot: true},
			origin.and(tree{"in/Kptfile": kptfile("in", ""), "in/db/Kptfile": kptfile("db", "v1"), "in/db/db.yaml": db("a: one")}),
			updated.and(tree{"in/Kptfile": kptfile("in", ""), "in/db/Kptfile": kptfile("db", "v2"), "in/db/db.yaml": db("a: two")}),
			local.and(tree{"in/Kptfile": kptfile("in", ""), "in/db/Kptfile": kptfile("db", "v1"), "in/db/db.yaml": db("a: one")}),
			want.and(tree{"in/Kptfile": kptfile("in", ""), "in/db/Kptfile": kptfile("db", "v2"), "in/db/db.yaml": db("a: two")})},
		"a subpackage that kpt asks for": {theirs{RelPackagePath: "db"},
			tree{"Kptfile": kptfile("db", "v1"), "db.yaml": db("a: one", "b: one")},
			tree{"Kptfile": kptfile("db", "v2"), "db.yaml": db("a: two", "b: one")},
			tree{"Kptfile": kptfile("db", "v1"), "db.yaml": db("a: one", "b: ours")},
			tree{"Kptfile": kptfile("db", "v2"), "db.yaml": db("a: two", "b: ours")}},
		"one that the user took elsewhere": {theirs{RelPackagePath: "/"},
			tree{"Kptfile": kptfile("db", "v1"), "db.yaml": db("a: one")},
			tree{"Kptfile": kptfile("db", "v2"), "db.yaml": db("a: two")},
			tree{"Kptfile": kptfile("db", "v7"), "db.yaml": db("a: one")},
			tree{"Kptfile": kptfile("db", "v7"), "db.yaml": db("a: one")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := test.options
			o.OriginPath, o.UpdatedPath, o.LocalPath = test.origin.write(t), test.updated.write(t), test.local.write(t)
			if err := (Updater[theirs]{}).Update(o); err != nil {
				t.Fatal(err)
			}
			test.want.check(t, o.LocalPath)
		})
	}
}

// collision is a package in which both sides changed a value, and one of a Secret.
func collision(t *testing.T) theirs {
	t.Helper()
	version := func(value string) tree {
		return tree{
			"Kptfile":     kptfile("shop", ""),
			"web.yaml":    config("web", "a: "+value),
			"secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: key\nstringData:\n  token: hidden-" + value + "\n",
		}
	}
	return theirs{IsRoot: true, OriginPath: version("one").write(t), UpdatedPath: version("two").write(t), LocalPath: version("ours").write(t)}
}

// A conflict takes upstream's value, and whoever wants to know it is told.
func TestConflictIsReported(t *testing.T) {
	var said strings.Builder
	o := collision(t)
	if err := (Updater[theirs]{Report: Print(&said)}).Update(o); err != nil {
		t.Fatal(err)
	}
	want := "[warning] Secret key stringData.token: both sides changed it; upstream's was taken\n" +
		"[warning] ConfigMap web data.a: upstream set it to \"two\", you to \"ours\"; upstream's was taken\n"
	if said.String() != want {
		t.Errorf("said\n%s", said.String())
	}
	if text, err := os.ReadFile(filepath.Join(o.LocalPath, "web.yaml")); err != nil || !strings.Contains(string(text), "a: two") {
		t.Errorf("%v\n%s", err, text)
	}
}

// What ends an update changes no file.
func TestErrors(t *testing.T) {
	stop := errors.New("stop")
	done, cancel := context.WithCancel(context.Background())
	cancel()
	for name, test := range map[string]struct {
		updater Updater[theirs]
		is      func(error) bool
	}{
		"a conflict that is to fail": {
			Updater[theirs]{Merge: pkgmerge.Options{Policy: pkgmerge.Prefer(merge.PreferFail)}},
			func(err error) bool {
				var failed *ConflictError
				return errors.As(err, &failed) && len(failed.Conflicts) == 2 && !strings.Contains(err.Error(), "hidden-")
			},
		},
		"a report that fails": {
			Updater[theirs]{Report: func(Options, *pkgmerge.Result) error { return stop }},
			func(err error) bool { return errors.Is(err, stop) },
		},
		"a context that ended": {
			Updater[theirs]{Context: done},
			func(err error) bool { return errors.Is(err, context.Canceled) },
		},
		"a copy that does not fast-forward": {
			Updater[theirs]{Merge: pkgmerge.Options{Strategy: strategyNamed(t, "fast-forward")}},
			func(err error) bool { return strings.HasSuffix(err.Error(), "; use a different update --strategy") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := collision(t)
			before := tree{}
			for _, file := range []string{"Kptfile", "web.yaml", "secret.yaml"} {
				text, err := os.ReadFile(filepath.Join(o.LocalPath, file))
				if err != nil {
					t.Fatal(err)
				}
				before[file] = string(text)
			}
			if err := test.updater.Update(o); err == nil || !test.is(err) {
				t.Errorf("got %v", err)
			}
			before.check(t, o.LocalPath)
		})
	}
}

// What is not there is an error that says where it was looked for.
func TestNoDirectory(t *testing.T) {
	there := tree{"web.yaml": config("web", "a: one")}.write(t)
	for _, o := range []theirs{
		{IsRoot: true, OriginPath: there, UpdatedPath: there, LocalPath: filepath.Join(there, "none")},
		{IsRoot: true, OriginPath: there, UpdatedPath: filepath.Join(there, "none"), LocalPath: there},
	} {
		if err := (Updater[theirs]{}).Update(o); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
}

// copy-merge copies what is in subpackages from elsewhere too, as kpt's does.
func TestCopyMerge(t *testing.T) {
	o := theirs{
		IsRoot:      true,
		OriginPath:  tree{"db/Kptfile": kptfile("db", "v1"), "db/db.yaml": config("db", "a: one")}.write(t),
		UpdatedPath: tree{"db/Kptfile": kptfile("db", "v1"), "db/db.yaml": config("db", "a: two")}.write(t),
		LocalPath:   tree{"db/Kptfile": kptfile("db", "v1"), "db/db.yaml": config("db", "a: ours")}.write(t),
	}
	if err := (Updater[theirs]{Merge: pkgmerge.Options{Strategy: strategyNamed(t, "copy-merge")}}).Update(o); err != nil {
		t.Fatal(err)
	}
	tree{"db/Kptfile": kptfile("db", "v1"), "db/db.yaml": config("db", "a: two")}.check(t, o.LocalPath)
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
