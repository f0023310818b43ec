package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// updateScenarios are the updates that TestUpdateCommand does.
func updateScenarios() []scenario {
	var all []scenario
	for _, some := range [][]scenario{versionScenarios(), resourceScenarios(), fileScenarios(), strategyScenarios(), kptfileScenarios(), refusedScenarios(), subpackageScenarios(), dependencyScenarios()} {
		all = append(all, some...)
	}
	return all
}

// cm is a ConfigMap.
func cm(name string, data ...string) string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\ndata:\n"
	for _, line := range data {
		text += "  " + line + "\n"
	}
	return text
}

// kf is a Kptfile.
func kf(name string, rest ...string) string {
	return "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name + "\n" + strings.Join(rest, "")
}

// shop returns versions of a package: each is the one before, with some files replaced.
func shop(versions ...tree) (all []tree) {
	last := tree{
		"pkg/Kptfile":    kf("shop", "info:\n  description: A shop.\n"),
		"pkg/web.yaml":   cm("web", "a: one", "b: one"),
		"pkg/db.yaml":    cm("db", "a: one", "b: one"),
		"pkg/README.md":  "# Shop\n\nOne.\n",
		"pkg/conf/c.txt": "one\n",
		"other/x.yaml":   cm("x", "a: one"),
	}
	for _, version := range versions {
		last = last.changed(version)
		all = append(all, last)
	}
	return all
}

// two are two versions that differ in a value.
func two() []tree { return shop(nil, tree{"pkg/web.yaml": cm("web", "a: two", "b: one")}) }

// refs runs git commands in the repository.
func refs(commands ...string) func(*testing.T, string) {
	return func(t *testing.T, repo string) {
		t.Helper()
		for _, command := range commands {
			git(t, repo, strings.Fields(command)...)
		}
	}
}

// versionScenarios are the ways to say which version is meant.
func versionScenarios() []scenario {
	return []scenario{
		{name: "a tag", versions: two()},
		{name: "a branch", versions: two(), refs: refs("branch stable v2"), version: "@stable"},
		{name: "a branch with a slash", versions: two(), refs: refs("branch release/2 v2"), version: "@release/2"},
		{name: "an annotated tag", versions: two(), refs: refs("tag --annotate --message=a noted v2"), version: "@noted"},
		{name: "from an annotated tag", versions: two(), refs: refs("tag --annotate --message=a noted v1"), get: "noted"},
		{name: "a tag of the directory", versions: two(), refs: refs("tag pkg/stable v2"), version: "@stable"},
		{name: "a tag of the directory by its full name", versions: two(), refs: refs("tag pkg/stable v2"), version: "@pkg/stable"},
		{name: "a full ref", versions: two(), refs: refs("branch stable v2"), version: "@refs/heads/stable"},
		{name: "the branch of the Kptfile, which moved", versions: two(), get: "stable", version: "none",
			refs: refs("branch stable v1"), more: refs("branch --force stable v2")},
		{name: "the tag of the Kptfile, which moved", versions: two(), get: "stable", version: "none",
			refs: refs("tag stable v1"), more: refs("tag --force stable v2")},
		{name: "a branch that was rebased", versions: two(), get: "stable", version: "none",
			refs: refs("branch stable v1"), more: refs("branch --force stable v2", "tag --delete v1")},
		{name: "the same version", versions: two(), version: "@v1"},
		{name: "back to an older version", versions: two(), get: "v2", version: "@v1", ends: true},
		{name: "the top of the repository", dir: "/", versions: []tree{
			{"web.yaml": cm("web", "a: one"), "Kptfile": kf("shop"), "deep/x.yaml": cm("x", "a: one")},
			{"web.yaml": cm("web", "a: two"), "Kptfile": kf("shop"), "deep/x.yaml": cm("x", "a: two")},
		}},
		{name: "a deep directory", dir: "/a/b", versions: []tree{
			{"a/b/web.yaml": cm("web", "a: one"), "a/Kptfile": kf("around")},
			{"a/b/web.yaml": cm("web", "a: two"), "a/Kptfile": kf("around")},
		}},
	}
}

// resourceScenarios are updates of resources.
func resourceScenarios() []scenario {
	both := shop(nil, tree{"pkg/web.yaml": cm("web", "a: two", "b: one"), "pkg/db.yaml": cm("db", "a: one", "b: two")})
	deployment := func(image, replicas, more string) string {
		return "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: app\nspec:\n  replicas: " + replicas +
			"\n  template:\n    spec:\n      containers:\n      - name: app\n        image: " + image + "\n" + more
	}
	return []scenario{
		{name: "both changed something", versions: both, edit: replaces("web.yaml", "b: one", "b: ours")},
		{name: "both changed the same", versions: both, edit: replaces("web.yaml", "a: one", "a: ours")},
		{name: "a renamed resource", versions: both, edit: replaces("web.yaml", "name: web", "name: my-web")},
		{name: "a namespace for all", versions: both, edit: allEdits(
			replaces("web.yaml", "  name: web", "  name: web\n  namespace: shop"), replaces("db.yaml", "  name: db", "  name: db\n  namespace: shop"))},
		{name: "a resource of the copy's own", versions: both, edit: edits(tree{"mine.yaml": cm("own", "a: ours")})},
		{name: "a resource of the copy's own in a file of upstream's", versions: both,
			edit: replaces("web.yaml", "data:\n  a: one\n  b: one\n", "data:\n  a: one\n  b: one\n---\n"+cm("own", "a: ours"))},
		{name: "a resource added upstream", versions: shop(nil, tree{"pkg/new.yaml": cm("new", "a: two")})},
		{name: "resources of other groups and namespaces added upstream", versions: shop(nil, tree{
			"pkg/new.yaml": strings.Replace(cm("new", "a: two"), "name: new", "name: new\n  namespace: shop\n  annotations:\n    a: b", 1),
			"pkg/app.yaml": deployment("app:1", "1", ""),
		})},
		{name: "a resource added upstream to a file", versions: shop(nil, tree{"pkg/web.yaml": cm("web", "a: one", "b: one") + "---\n" + cm("new", "a: two")})},
		{name: "a resource deleted upstream", versions: shop(nil, tree{"pkg/db.yaml": ""})},
		{name: "a changed resource deleted upstream", versions: shop(nil, tree{"pkg/db.yaml": ""}), edit: replaces("db.yaml", "a: one", "a: ours"), want: []intended{
			{at: "db.yaml ConfigMap db", kpt: "{*}", ours: absent, why: "what upstream deleted goes, with a conflict if the copy had changed it (rules/resources: additions and deletions)"},
		}},
		{name: "a resource deleted in the copy", versions: both, edit: edits(tree{"db.yaml": ""})},
		{name: "a field deleted upstream", versions: shop(nil, tree{"pkg/web.yaml": cm("web", "a: one")})},
		{name: "a field deleted in the copy", versions: both, edit: replaces("db.yaml", "  a: one\n", "")},
		{name: "a container and its fields", versions: shop(tree{"pkg/app.yaml": deployment("app:1", "1", "")}, tree{"pkg/app.yaml": deployment("app:2", "1", "        args: [x]\n")}),
			edit: replaces("app.yaml", "replicas: 1", "replicas: 3", "image: app:1", "image: app:1\n      - name: sidecar\n        image: side:1")},
		{name: "a resource moved upstream", versions: shop(nil, tree{"pkg/db.yaml": "", "pkg/store.yaml": cm("db", "a: two", "b: one")})},
		{name: "a resource moved in the copy", versions: both, edit: func(t *testing.T, u updated) {
			t.Helper()
			if err := os.Rename(filepath.Join(u.dir, "db.yaml"), filepath.Join(u.dir, "store.yaml")); err != nil {
				t.Fatal(err)
			}
		}, ends: true, want: []intended{
			{at: "store.yaml ConfigMap db .data.b", kpt: `"one"`, ours: `"two"`,
				why: "a resource is who it is in any file; kpt takes the moved one for deleted, and for one of the copy's own, which gets no update any more (rules/identity: matched wherever it lies)"},
		}},
		{name: "comments", versions: shop(nil, tree{"pkg/web.yaml": "# Licence\n\n" + cm("web", "a: two # why", "b: one")}),
			edit: replaces("web.yaml", "b: one", "b: one # ours")},
	}
}

// fileScenarios are updates of files that are no resources.
func fileScenarios() []scenario {
	return []scenario{
		{name: "a file changed upstream", versions: shop(nil, tree{"pkg/README.md": "# Shop\n\nTwo.\n"})},
		{name: "a file changed in the copy", versions: two(), edit: edits(tree{"README.md": "# Ours\n"})},
		{name: "a file changed by both", versions: shop(tree{"pkg/README.md": "one\n\ntwo\n"}, tree{"pkg/README.md": "one\n\nthree\n"}),
			edit: edits(tree{"README.md": "ours\n\ntwo\n"}), want: []intended{
				{at: "README.md", kpt: `"ours\n\ntwo\n"`, ours: `"ours\n\nthree\n"`, why: "text merges line by line; kpt keeps the copy's, and loses upstream's change (rules/files: text and other files)"},
			}},
		{name: "a file added upstream", versions: shop(nil, tree{"pkg/docs/new.md": "new\n"})},
		{name: "a file deleted upstream", versions: shop(nil, tree{"pkg/conf/c.txt": ""})},
		{name: "a changed file deleted upstream", versions: shop(nil, tree{"pkg/conf/c.txt": ""}), edit: edits(tree{"conf/c.txt": "ours\n"}), want: []intended{
			{at: "conf/c.txt", kpt: "*", ours: absent, why: "what upstream deleted goes, with a conflict if the copy had changed it (rules/resources: additions and deletions)"},
		}},
		{name: "a file deleted in the copy", versions: two(), edit: edits(tree{"conf/c.txt": ""}), want: []intended{
			{at: "conf/c.txt", kpt: "*", ours: absent, why: "what the copy deleted stays deleted; kpt brings it back (rules/resources: removed on purpose)"},
		}},
		{name: "a file of the copy's own", versions: two(), edit: edits(tree{"notes.md": "ours\n"})},
		{name: "a file that is no resource but YAML", versions: shop(tree{"pkg/values.yaml": "a: 1\nb: 1\n"}, tree{"pkg/values.yaml": "a: 2\nb: 1\n"}),
			edit: replaces("values.yaml", "b: 1", "b: 3")},
		{name: "a chart's template", versions: shop(tree{"pkg/templates/x.yaml": "{{ if a }}\na: 1\n{{ end }}\n"}, tree{"pkg/templates/x.yaml": "{{ if a }}\na: 2\n{{ end }}\n"}), kptFails: true, has: tree{"templates/x.yaml": "{{ if a }}\na: 2\n{{ end }}\n"}},
		{name: "a binary", versions: shop(tree{"pkg/logo.png": "\x89PNG\x00one"}, tree{"pkg/logo.png": "\x89PNG\x00two"})},
	}
}

// strategyScenarios are the strategies.
func strategyScenarios() []scenario {
	mine := allEdits(replaces("web.yaml", "b: one", "b: ours"), edits(tree{"mine.yaml": cm("own", "a: ours"), "notes.md": "ours\n"}))
	return []scenario{
		{name: "resource-merge", versions: two(), edit: mine, args: []string{"--strategy=resource-merge"}},
		{name: "fast-forward", versions: two(), args: []string{"--strategy=fast-forward"}},
		{name: "fast-forward refused", versions: two(), edit: mine, args: []string{"--strategy=fast-forward"}, refused: "cannot fast-forward", kptRefuses: true},
		{name: "force-delete-replace", versions: two(), edit: mine, args: []string{"--strategy=force-delete-replace"}},
		{name: "copy-merge", versions: shop(nil, tree{"pkg/web.yaml": cm("web", "a: two", "b: one"), "pkg/db.yaml": ""}), edit: mine, args: []string{"--strategy=copy-merge"}},
		{name: "the Kptfile's strategy", versions: two(), edit: allEdits(mine, replaces("Kptfile", "resource-merge", "copy-merge")), want: []intended{
			{at: "Kptfile Kptfile copy .upstream.updateStrategy", kpt: `"resource-merge"`, ours: `"copy-merge"`,
				why: "the Kptfile keeps the strategy; kpt's flag has a default, which overrides the Kptfile's on every update (rules/update: strategy)"},
			{at: "web.yaml ConfigMap web .data.b", kpt: `"ours"`, ours: `"one"`, why: "the same"},
		}},
		{name: "an unknown strategy", versions: two(), args: []string{"--strategy=other"}, refused: `"other" is not allowed`, kptRefuses: true},
	}
}

// kptfileScenarios are updates of Kptfiles.
func kptfileScenarios() []scenario {
	pipeline := func(image string, more string) string {
		return kf("shop", "info:\n  description: Ours.\npipeline:\n  mutators:\n  - image: "+image+"\n    configMap:\n      a: b\n"+more)
	}
	return []scenario{
		{name: "no Kptfile upstream", versions: shop(tree{"pkg/Kptfile": ""}, tree{"pkg/web.yaml": cm("web", "a: two", "b: one")})},
		{name: "a Kptfile added upstream", versions: shop(tree{"pkg/Kptfile": ""}, tree{"pkg/Kptfile": kf("shop", "info:\n  description: New.\n")})},
		{name: "a Kptfile deleted upstream", versions: shop(nil, tree{"pkg/Kptfile": "", "pkg/web.yaml": cm("web", "a: two", "b: one")}), want: []intended{
			{at: "Kptfile Kptfile copy .info", kpt: "{}", ours: absent, why: "a map that upstream removed is not there; kpt leaves an empty one (rules/fields: maps)"},
		}},
		{name: "a pipeline", versions: shop(tree{"pkg/Kptfile": pipeline("example.com/fn:v1", "")}, tree{"pkg/Kptfile": pipeline("example.com/fn:v2", "  - image: example.com/new:v1\n")}),
			edit: replaces("Kptfile", "a: b", "a: ours")},
		{name: "a name of the copy's own", versions: shop(nil, tree{"pkg/Kptfile": kf("other", "info:\n  description: Two.\n")}),
			edit: replaces("Kptfile", "name: copy", "name: mine")},
		{name: "no lock", versions: two(), edit: func(t *testing.T, u updated) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(u.dir, "Kptfile"))
			if err != nil {
				t.Fatal(err)
			}
			before, rest, _ := strings.Cut(string(data), "upstreamLock:\n")
			_, after, _ := strings.Cut(rest, "info:")
			edits(tree{"Kptfile": before + "info:" + after})(t, u)
		}},
	}
}

// refusedScenarios are updates that end in an error.
func refusedScenarios() []scenario {
	return []scenario{
		{name: "an unknown version", versions: two(), version: "@v9", refused: `no branch, tag or commit "v9"`, kptRefuses: true},
		{name: "a version that looks like an option", versions: two(), version: "@--upload-pack=x", refused: "looks like an option", kptRefuses: true},
		{name: "two versions", versions: two(), version: "@v1@v2", refused: "at most 1 version", kptRefuses: true},
		{name: "no Kptfile", versions: two(), edit: edits(tree{"Kptfile": ""}), refused: "no Kptfile", kptRefuses: true},
		{name: "no upstream", versions: two(), edit: edits(tree{"Kptfile": kf("mine")}), refused: "must have an upstream reference", kptRefuses: true},
		{name: "an old Kptfile", versions: two(), edit: replaces("Kptfile", "kpt.dev/v1", "kpt.dev/v1alpha2"), refused: "must be Kptfile of kpt.dev/v1", kptRefuses: true},
		{name: "a directory that is gone upstream", versions: shop(nil, tree{
			"pkg/Kptfile": "", "pkg/web.yaml": "", "pkg/db.yaml": "", "pkg/README.md": "", "pkg/conf/c.txt": "",
		}), refused: "no such directory", kptRefuses: true},
		{name: "a repository that is gone", versions: two(), more: func(t *testing.T, repo string) {
			t.Helper()
			if err := os.RemoveAll(repo); err != nil {
				t.Fatal(err)
			}
		}, refused: "does not appear to be a git repository", kptRefuses: true},
		{name: "an uncommitted change", versions: two(), edit: func(t *testing.T, u updated) {
			t.Helper()
			commitAll(t, u.dir)
			replaces("web.yaml", "b: one", "b: ours")(t, u)
		}, uncommitted: true, refused: `uncommitted changes: "web.yaml"`},
		{name: "an untracked file", versions: two(), edit: func(t *testing.T, u updated) {
			t.Helper()
			commitAll(t, u.dir)
			edits(tree{"new.yaml": cm("new", "a: ours")})(t, u)
		}, uncommitted: true, refused: `uncommitted changes: "new.yaml"`},
	}
}

// subpackageScenarios are updates of subpackages.
func subpackageScenarios() []scenario {
	sub := tree{"pkg/sub/Kptfile": kf("sub", "info:\n  description: Sub.\n"), "pkg/sub/s.yaml": cm("s", "a: one", "b: one"), "pkg/sub/t.txt": "one\n"}
	gone := tree{"pkg/sub/Kptfile": "", "pkg/sub/s.yaml": "", "pkg/sub/t.txt": "", "pkg/web.yaml": cm("web", "a: two", "b: one")}
	return []scenario{
		{name: "a subpackage changed by both", versions: shop(sub, tree{"pkg/sub/s.yaml": cm("s", "a: two", "b: one"), "pkg/sub/t.txt": "two\n"}),
			edit: replaces("sub/s.yaml", "b: one", "b: ours")},
		{name: "a subpackage added upstream", versions: shop(nil, sub)},
		{name: "a subpackage deleted upstream", versions: shop(sub, gone)},
		{name: "a changed subpackage deleted upstream", versions: shop(sub, gone), edit: replaces("sub/s.yaml", "b: one", "b: ours"), want: []intended{
			{at: "sub/*", kpt: "*", ours: absent, why: "what upstream deleted goes, with a conflict if the copy had changed it (rules/kptfiles: subpackages)"},
		}},
		{name: "a subpackage deleted in the copy", versions: shop(sub, tree{"pkg/sub/s.yaml": cm("s", "a: two", "b: one"), "pkg/web.yaml": cm("web", "a: two", "b: one")}),
			edit: edits(tree{"sub": ""})},
		{name: "a subpackage of the copy's own", versions: two(), edit: edits(tree{"mine/Kptfile": kf("mine"), "mine/m.yaml": cm("own", "a: ours")})},
		{name: "a subpackage added by both", versions: shop(nil, sub), edit: edits(tree{"sub/Kptfile": kf("sub"), "sub/m.yaml": cm("own", "a: ours")}),
			refused: "was added both upstream and locally", kptRefuses: true},
	}
}

// emptyInfo is the empty map that kpt leaves where upstream removed a map.
func emptyInfo() intended {
	return intended{at: "sub/Kptfile Kptfile sub .info", kpt: "{}", ours: absent, why: "a map that upstream removed is not there; kpt leaves an empty one (rules/fields: maps)"}
}

// named is the Kptfile of a subpackage that its package names only: kpt fetches it.
func named(repo, dir, ref string) string {
	return kf("sub", "upstream:\n  type: git\n  git:\n    repo: file://"+repo+"\n    directory: "+dir+"\n    ref: "+ref+"\n  updateStrategy: resource-merge\n")
}

// fetched is the Kptfile of a subpackage that its package has with its files.
func fetched(ref string) string {
	return named("@DEP@", "/dep", ref) + "upstreamLock:\n  type: git\n  git:\n    repo: file://@DEP@\n    directory: /dep\n    ref: " + ref + "\n    commit: @DEP" + ref + "@\n"
}

// dependencyScenarios are updates of subpackages that have an upstream of their own.
func dependencyScenarios() []scenario {
	dep := []tree{
		{"dep/Kptfile": kf("dep", "info:\n  description: One.\n"), "dep/d.yaml": cm("d", "a: one", "b: one"), "dep/t.txt": "one\n"},
		{"dep/Kptfile": kf("dep", "info:\n  description: Two.\n"), "dep/d.yaml": cm("d", "a: two", "b: one"), "dep/t.txt": "two\n"},
	}
	web := tree{"pkg/web.yaml": cm("web", "a: two", "b: one")}
	on := func(ref string) tree { return tree{"pkg/sub/Kptfile": named("@DEP@", "/dep", ref)} }
	withFiles := func(ref string, version tree) tree {
		return tree{"pkg/sub/Kptfile": fetched(ref), "pkg/sub/d.yaml": version["dep/d.yaml"], "pkg/sub/t.txt": version["dep/t.txt"]}
	}
	update := func(arg string) func(*testing.T, updated) {
		return func(t *testing.T, u updated) {
			t.Helper()
			commitAll(t, u.dir)
			succeed(t, u.dir, "", "kpt", "pkg", "update", arg)
		}
	}
	return []scenario{
		{name: "a dependency at another version", dep: dep, versions: shop(on("v1"), on("v2"))},
		{name: "a changed dependency at another version", dep: dep, versions: shop(on("v1"), on("v2")),
			edit: allEdits(replaces("sub/d.yaml", "b: one", "b: ours"), edits(tree{"sub/own.txt": "ours\n"}))},
		{name: "a dependency on a branch that moved", dep: dep, depRefs: refs("branch stable v1"), versions: shop(on("stable"), web), moreDep: refs("branch --force stable v2")},
		{name: "a dependency that stays", dep: dep, versions: shop(on("v1"), web)},
		{name: "a dependency added upstream", dep: dep, versions: shop(nil, on("v1"))},
		{name: "a dependency deleted upstream", dep: dep, versions: shop(on("v1"), tree{"pkg/sub/Kptfile": "", "pkg/web.yaml": web["pkg/web.yaml"]}), want: []intended{
			{at: "sub/*", kpt: "*", ours: absent, why: "what upstream deleted goes; kpt compares with the Kptfile alone, and takes all that it has fetched for a change (rules/kptfiles: subpackages)"},
		}},
		{name: "a dependency deleted in the copy", dep: dep, versions: shop(on("v1"), on("v2")), edit: edits(tree{"sub": ""})},
		{name: "a dependency that the user updated", dep: dep, versions: shop(on("v1"), web), edit: update("sub@v2"), ends: true, want: []intended{
			{at: "sub/*", kpt: "*", ours: "*", why: "what the user updated from its own upstream is left alone; kpt takes it back to the version that the package names (rules/kptfiles: subpackages)"},
		}},
		{name: "a dependency of the copy's own", dep: dep, depRefs: refs("branch stable v1"), versions: two(), moreDep: refs("branch --force stable v2"),
			edit: func(t *testing.T, u updated) {
				t.Helper()
				succeed(t, u.dir, "", "kpt", "pkg", "get", "file://"+u.dep+"/dep@stable", "mine")
			}},
		{name: "a dependency with its files", dep: dep, versions: shop(withFiles("v1", dep[0]), withFiles("v2", dep[1])), want: []intended{emptyInfo()}},
		{name: "a changed dependency with its files", dep: dep, versions: shop(withFiles("v1", dep[0]), withFiles("v2", dep[1])),
			edit: replaces("sub/d.yaml", "b: one", "b: ours"), want: []intended{emptyInfo()}},
		{name: "a dependency with its files, of another strategy", dep: dep, versions: shop(withFiles("v1", dep[0]), withFiles("v2", dep[1])),
			edit: allEdits(replaces("sub/d.yaml", "b: one", "b: ours"), replaces("sub/Kptfile", "resource-merge", "force-delete-replace")), want: []intended{emptyInfo()}},
		{name: "a dependency that refuses a fast-forward", dep: dep, versions: shop(on("v1"), on("v2")),
			edit: allEdits(replaces("sub/d.yaml", "b: one", "b: ours"), replaces("sub/Kptfile", "resource-merge", "fast-forward")), ends: true, want: []intended{
				{at: "sub/*", kpt: "*", ours: "*", why: "an upstream that the user changed, its strategy too, is left alone; kpt takes the package's (rules/kptfiles: subpackages)"},
			}},
		{name: "a dependency in the same repository", versions: shop(
			tree{"pkg/sub/Kptfile": named("@REPO@", "/pkg/../dep", "v1"), "dep/d.yaml": cm("d", "a: one")},
			tree{"dep/d.yaml": cm("d", "a: two"), "pkg/web.yaml": web["pkg/web.yaml"]})},
		{name: "a dependency below the same directory", versions: shop(
			tree{"pkg/sub/Kptfile": named("@REPO@", "/pkg-dep", "v1"), "pkg-dep/d.yaml": cm("d", "a: one")},
			tree{"pkg-dep/d.yaml": cm("d", "a: two"), "pkg/web.yaml": web["pkg/web.yaml"]})},
		{name: "a dependency alone", dep: dep, versions: shop(on("v1"), web), pkg: "sub", ends: true},
		{name: "a dependency of a subpackage", dep: dep, versions: shop(
			tree{"pkg/in/Kptfile": kf("in"), "pkg/in/i.yaml": cm("i", "a: one"), "pkg/in/sub/Kptfile": named("@DEP@", "/dep", "v1")},
			tree{"pkg/in/sub/Kptfile": named("@DEP@", "/dep", "v2"), "pkg/in/i.yaml": cm("i", "a: two")}), ends: true, want: []intended{
			{at: "in/sub/*", kpt: "*", ours: "*", why: "the merge takes the version that upstream names now; kpt never looks at what subpackages of a subpackage depend on (rules/kptfiles: subpackages)"},
		}},
	}
}
