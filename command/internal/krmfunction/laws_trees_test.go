package krmfunction

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// tree is a package with one name in several directories, as kustomize has
// them: of each side the documents by directory.
type tree [3]map[string]string

func treeDirs() []string {
	return []string{"base", "overlays/dev", "overlays/eu", "overlays/prod"}
}

// drawTree draws a tree. Every document of local's has a mark of its own, which
// outlives a merge. Where moved is given, local's copies are in that namespace.
func drawTree(t *rapid.T, moved string) tree {
	var out tree
	for side := range out {
		out[side] = map[string]string{}
		for _, dir := range treeDirs() {
			if !rapid.Bool().Draw(t, fmt.Sprint(side, " has ", dir)) {
				continue
			}
			doc := "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
			if side == 2 && moved != "" {
				doc += "  namespace: " + moved + "\n"
			} else if moved != "" {
				doc += "  namespace: shop\n"
			}
			doc += "  annotations:\n"
			if side < 2 {
				doc += "    config.kubernetes.io/merge-source: " + []string{"origin", "upstream"}[side] + "\n"
			} else {
				doc += "    mark: " + dir + "\n"
			}
			doc += "    internal.config.kubernetes.io/path: " + dir + "/w.yaml\n"
			doc += "spec:\n"
			for _, field := range []string{"replicas", "minReadySeconds", "revisionHistoryLimit"} {
				if v := rapid.IntRange(0, 2).Draw(t, field); v > 0 {
					doc += fmt.Sprintf("  %s: %d\n", field, v)
				}
			}
			out[side][dir] = doc + "  paused: false\n"
		}
	}
	// A resource that all have keeps the sides from being empty.
	for side := range out {
		mark := ""
		if side < 2 {
			mark = "\n    config.kubernetes.io/merge-source: " + []string{"origin", "upstream"}[side]
		}
		out[side]["z"] = "apiVersion: v1\nkind: ConfigMap\nmetadata: # kpt-merge: /z\n  name: z\n  annotations:\n    internal.config.kubernetes.io/path: z.yaml" + mark + "\n"
	}
	return out
}

func (tr tree) docs(side int) []string {
	var out []string
	for _, dir := range append(treeDirs(), "z") {
		if doc := tr[side][dir]; doc != "" {
			out = append(out, doc)
		}
	}
	return out
}

// addedBeside reports whether both sides added a file and upstream dropped
// another. Once the other is gone from local too, the added one looks as if both
// had moved it, and has an origin that it had not before.
func (tr tree) addedBeside() bool {
	added, dropped := false, false
	for _, dir := range treeDirs() {
		added = added || tr[0][dir] == "" && tr[1][dir] != "" && tr[2][dir] != ""
		dropped = dropped || tr[0][dir] != "" && tr[1][dir] == ""
	}
	return added && dropped
}

// treeList is a ResourceList of documents.
func treeList(docs ...[]string) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, doc := range slices.Concat(docs...) {
		b.WriteString("- " + strings.TrimSuffix(strings.ReplaceAll(doc, "\n", "\n  "), "  "))
	}
	return b.Bytes()
}

func runTree(t *rapid.T, docs ...[]string) []string {
	in := treeList(docs...)
	out, err := Run(in, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, in)
	}
	text := outItems(t, out)
	var items []string
	for _, item := range strings.Split("\n"+text, "\n- ")[1:] {
		items = append(items, strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n  ", "\n")+"\n")
	}
	return items
}

// The laws of matching (rules/identity: matching) over trees with one name in several
// directories: no panic, no local resource disappears unless upstream deleted what
// origin has at its path, and in whatever order the items come the result has the same
// resources. A second run changes nothing, unless addedBeside.
func TestLawTrees(t *testing.T) {
	for _, moved := range []string{"", "edge"} {
		rapid.Check(t, func(t *rapid.T) {
			tr := drawTree(t, moved)
			o, u, l := tr.docs(0), tr.docs(1), tr.docs(2)
			items := runTree(t, l, o, u)
			all := strings.Join(items, "---\n")
			for dir := range tr[2] {
				if dir != "z" && !strings.Contains(all, "mark: "+dir+"\n") && (tr[0][dir] == "" || tr[1][dir] != "") {
					t.Fatalf("%s of local's is gone\n--- origin\n%s--- upstream\n%s--- local\n%s--- result\n%s", dir, o, u, l, all)
				}
			}
			if again := runTree(t, items, o, u); !tr.addedBeside() && !slices.Equal(again, items) {
				t.Fatalf("--- origin\n%s--- upstream\n%s--- local\n%s--- first\n%s--- again\n%s",
					strings.Join(o, ""), strings.Join(u, ""), strings.Join(l, ""), all, strings.Join(again, "---\n"))
			}
			shuffled := runTree(t, rapid.Permutation(l).Draw(t, "l"), rapid.Permutation(u).Draw(t, "u"), rapid.Permutation(o).Draw(t, "o"))
			if a, b := unordered(items), unordered(shuffled); !slices.Equal(a, b) {
				t.Fatalf("--- in order\n%s--- shuffled\n%s", strings.Join(a, "---\n"), strings.Join(b, "---\n"))
			}
		})
	}
}

// unordered is items sorted, without their index.
func unordered(items []string) []string {
	var out []string
	for _, item := range items {
		out = append(out, regexp.MustCompile(`(?m)^.*kubernetes.io/index:.*\n`).ReplaceAllString(item, ""))
	}
	slices.Sort(out)
	return out
}
