package e2e

import (
	"path/filepath"
	"testing"
)

// The tests of this file are about kpt, not about the function: they hold what
// rules/function: failure takes for granted. If one fails, kpt is another, and that
// rule has to be looked at. The functions in them are sed scripts.

// withoutIDs is a sed script that takes the ids off every item.
const withoutIDs = "/^      internal.config.kubernetes.io.id:/d\n/^      config.k8s.io.id:/d\n"

// swapIDs is a sed script that gives item 2 the ids of item 1.
const swapIDs = "/kubernetes.io.id:/s/'2'/'1'/\n/k8s.io.id:/s/'2'/'1'/\n"

// evalScript runs a sed script as a function over one file, and checks what
// kpt makes of it.
func evalScript(t *testing.T, script, file, want string) {
	t.Helper()
	dir := evalFiles(t, script, tree{"a.yaml": file})
	tree{"a.yaml": want}.check(t, dir)
}

func evalFiles(t *testing.T, script string, files tree) (dir string) {
	t.Helper()
	dir = files.write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", sed(t, script))
	return dir
}

// sed is the command line of a function that is a sed script.
func sed(t *testing.T, script string) string {
	t.Helper()
	return "sed -f " + filepath.Join(tree{"script": script}.write(t), "script")
}

const listFile = `apiVersion: example.com/v1
kind: List
metadata:
  name: list
spec:
  - name: web # first
    image: web:1 # kpt-set: web
`

// insert is a sed script that puts an element before the one in listFile.
const insert = `s/^  - name: web.*/  - image: new:1\n    zone: a\n    name: new\n&/
`

// TestKptListsByIndex: of an item with ids, kpt copies comments to the element
// at the same index and gives it the order of keys of the one that was there;
// new keys come last.
func TestKptListsByIndex(t *testing.T) {
	evalScript(t, insert, listFile, `apiVersion: example.com/v1
kind: List
metadata:
  name: list
spec:
  - name: new # first
    image: new:1 # kpt-set: web
    zone: a
  - name: web # first
    image: web:1 # kpt-set: web
`)
}

// TestKptListsWithoutIDs: without ids kpt leaves the function's output as it is.
func TestKptListsWithoutIDs(t *testing.T) {
	evalScript(t, insert+withoutIDs, listFile, `apiVersion: example.com/v1
kind: List
metadata:
  name: list
spec:
  - image: new:1
    zone: a
    name: new
  - name: web # first
    image: web:1 # kpt-set: web
`)
}

const layoutFile = `# Licence.

# About it.
apiVersion: v1
kind: ConfigMap
metadata:
  name: layout

data:
  folded: >-
    one
    two
  literal: |
    one

    two
`

// TestKptLayout: kpt takes out empty lines, also of items that no function
// touched; and of items with ids it quotes folded scalars.
func TestKptLayout(t *testing.T) {
	evalScript(t, "", layoutFile, `# Licence.
# About it.
apiVersion: v1
kind: ConfigMap
metadata:
  name: layout
data:
  folded: "one two"
  literal: |
    one

    two
`)
}

// TestKptLayoutWithoutIDs: kpt does not send a comment at the top that an empty
// line follows, and only items with ids get it back. Folded scalars stay.
func TestKptLayoutWithoutIDs(t *testing.T) {
	evalScript(t, withoutIDs, layoutFile, `# About it.
apiVersion: v1
kind: ConfigMap
metadata:
  name: layout
data:
  folded: >-
    one two
  literal: |
    one

    two
`)
}

// TestKptForeignIDs: an item may have the ids of any item that was sent, and
// gets its comments and header from that one; several may have the same.
func TestKptForeignIDs(t *testing.T) {
	one := "# Licence of 1.\n\napiVersion: v1\nkind: ConfigMap # from 1\nmetadata:\n  name: "
	two := "# Licence of 2.\n\napiVersion: v1\nkind: ConfigMap\nmetadata: # from 2\n  name: "
	dir := evalFiles(t, swapIDs, tree{"a.yaml": one + "a\n", "b.yaml": two + "b\n"})
	tree{
		"a.yaml": "# Licence of 1.\napiVersion: v1\nkind: ConfigMap # from 1\nmetadata:\n  name: a\n",
		"b.yaml": "# Licence of 1.\napiVersion: v1\nkind: ConfigMap # from 1\nmetadata: # from 2\n  name: b\n",
	}.check(t, dir)
}

// TestKptSequenceIndentation: the seqindent annotation decides, with and
// without ids; without one sequences are compact.
func TestKptSequenceIndentation(t *testing.T) {
	const head = "apiVersion: example.com/v1\nkind: List\nmetadata:\n  name: list\nspec:\n"
	const compact, wide = head + "- a\n", head + "  - a\n"
	const forget = "/seqindent/d\n"
	evalScript(t, "", wide, wide)
	evalScript(t, withoutIDs, wide, wide)
	evalScript(t, forget, wide, compact)
	evalScript(t, forget+withoutIDs, wide, compact)
	evalScript(t, "s/seqindent: 'compact'/seqindent: 'wide'/\n", compact, wide)
}

// TestKptKinds: kpt fails where a node of an item with ids has another kind than
// the node that it sent.
func TestKptKinds(t *testing.T) {
	files := tree{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kinds\ndata:\n  a: {b: c}\n"}
	dir := files.write(t)
	fail(t, "wrong node kind", dir, "kpt", "fn", "eval", ".", "--exec", sed(t, "s/a: {b: c}/a: b/"))
	files.check(t, dir)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", sed(t, withoutIDs+"s/a: {b: c}/a: b/"))
}
