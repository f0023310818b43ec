package update

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

const lockless = `# The fork of the shop.
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
    name: shop   # ours
upstream:
    type: git
    git:
        repo: https://example.com/shop   # mirrored
        directory: /deploy
        ref: 'v1'
info:
    description: A shop.
`

// TestKptfileWith changes only the lines of changed fields, and adds fields where kpt adds them,
// with the indentation of the file.
func TestKptfileWith(t *testing.T) {
	upstream := reference{repo: "https://example.com/shop", directory: "/deploy", ref: "v2"}
	lock := upstream
	lock.ref, lock.commit = "deploy/v2", "0123"
	want := `# The fork of the shop.
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
    name: shop   # ours
upstream:
    type: git
    git:
        repo: https://example.com/shop   # mirrored
        directory: /deploy
        ref: 'v2'
    updateStrategy: fast-forward
upstreamLock:
    type: git
    git:
        repo: https://example.com/shop
        directory: /deploy
        ref: deploy/v2
        commit: "0123"
info:
    description: A shop.
`
	k, err := readKptfile(pkgmerge.File{Name: "Kptfile", Data: []byte(lockless)})
	if err != nil {
		t.Fatal(err)
	}
	got, err := k.withUpstream(upstream, lock, "fast-forward")
	if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
		t.Fatalf("%v (-want +got):\n%s", err, diff)
	}
	if k, err = readKptfile(pkgmerge.File{Name: "Kptfile", Data: got}); err != nil {
		t.Fatal(err)
	}
	if *k.lock != lock || *k.upstream != upstream || k.strategy != "fast-forward" || k.name != "shop" {
		t.Errorf("read again: %v %v %q", k.upstream, k.lock, k.strategy)
	}
	again, err := k.withUpstream(upstream, lock, "fast-forward")
	if string(again) != string(got) || err != nil {
		t.Errorf("%v; nothing was to change:\n%s", err, again)
	}
}

func TestKptfileStyles(t *testing.T) {
	for name, test := range map[string][2]string{
		"flow": {
			"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\nupstream: {type: git, git: {repo: r, directory: /, ref: v1}, updateStrategy: resource-merge}\nupstreamLock: {type: git, git: {repo: r, directory: /, ref: v1, commit: abc}}\n",
			"apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\nupstream: {type: git, git: {repo: r, directory: /, ref: v2}, updateStrategy: resource-merge}\nupstreamLock: {type: git, git: {repo: r, directory: /, ref: v2, commit: def}}\n",
		},
		"CRLF, no line break at the end": {
			"apiVersion: kpt.dev/v1\r\nkind: Kptfile\r\nmetadata:\r\n  name: a\r\nupstreamLock:\r\n  type: git\r\n  git:\r\n    repo: r\r\n    directory: /\r\n    ref: v1\r\n    commit: abc\r\nupstream:\r\n  type: git\r\n  git:\r\n    repo: r\r\n    directory: /\r\n    ref: \"v1\"\r\n  updateStrategy: resource-merge",
			"apiVersion: kpt.dev/v1\r\nkind: Kptfile\r\nmetadata:\r\n  name: a\r\nupstreamLock:\r\n  type: git\r\n  git:\r\n    repo: r\r\n    directory: /\r\n    ref: v2\r\n    commit: def\r\nupstream:\r\n  type: git\r\n  git:\r\n    repo: r\r\n    directory: /\r\n    ref: \"v2\"\r\n  updateStrategy: resource-merge",
		},
		"a marker, and a version that is a number": {
			"---\n\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\nupstream:\n  type: git\n  git:\n    repo: r\n    directory: /\n    ref: 1\n  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: r\n    directory: /\n    ref: v2\n    commit: def\n",
			"---\n\napiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: a\nupstream:\n  type: git\n  git:\n    repo: r\n    directory: /\n    ref: v2\n  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n    repo: r\n    directory: /\n    ref: v2\n    commit: def\n",
		},
	} {
		k, err := readKptfile(pkgmerge.File{Name: "Kptfile", Data: []byte(test[0])})
		if err != nil {
			t.Fatal(err)
		}
		got, err := k.withUpstream(reference{"r", "/", "v2", ""}, reference{"r", "/", "v2", "def"}, "resource-merge")
		if diff := cmp.Diff(test[1], string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// TestReferenceBelow ignores slashes around a directory. A directory that leads out of the
// repository is refused on reading.
func TestReferenceBelow(t *testing.T) {
	for directory, want := range map[string]string{
		"/": "", "": "", ".": "", "/deploy": "deploy", "deploy/": "deploy", "./a//b": "a/b", "a.": "a.",
		"/../..": "../..", "a/../../b": "../b",
	} {
		if got := (reference{directory: directory}).path(); got != want {
			t.Errorf("%q: %q, want %q", directory, got, want)
		}
	}
}
