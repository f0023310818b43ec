package pkgmerge_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// sealed is a strategy for documents that have an id and a text in base64. It matches documents by their id, merges
// the texts line by line, and writes them in base64 again.
type sealed struct{ pkgmerge.ResourceMerge }

// Begin begins a merge of all resources of the versions.
func (sealed) Begin(versions [3]pkgmerge.Package) (pkgmerge.Run, [3]pkgmerge.Package, error) {
	return sealedRun{versions}, versions, nil
}

// sealedRun is one merge.
type sealedRun struct{ versions [3]pkgmerge.Package }

// Match matches documents with the same id.
func (s sealedRun) Match(known *schema.Schema) (pkgmerge.Matching, error) {
	out := pkgmerge.Matching{Packages: s.versions, Schema: known}
	of := map[string]*pkgmerge.Match{}
	for _, side := range [3]identity.Side{identity.Local, identity.Upstream, identity.Origin} {
		for _, r := range s.versions[side].Resources {
			var document struct{ ID string }
			tree, err := r.Tree()
			if err == nil {
				err = tree.Decode(&document)
			}
			if err != nil {
				return out, err
			}
			if of[document.ID] == nil {
				of[document.ID] = &pkgmerge.Match{ID: identity.ID{Name: document.ID}}
				out.Matches = append(out.Matches, of[document.ID])
			}
			of[document.ID].Versions[side] = r
		}
	}
	return out, nil
}

// Read opens the texts.
func (sealedRun) Read(_ *pkgmerge.Match, versions [3]*yaml.Node) (opened [3]*yaml.Node, warnings []string, err error) {
	for side, n := range versions {
		opened[side] = withText(n, func(text string) string {
			plain, wrong := base64.StdEncoding.DecodeString(text)
			if wrong != nil {
				err = wrong
			}
			return string(plain)
		})
	}
	return opened, nil, err
}

// Write seals the text.
func (sealedRun) Write(m *pkgmerge.Match, result merge.Outcome) (*pkgmerge.Resource, error) {
	result.Node = withText(result.Node, func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) })
	return m.Rewrite(result)
}

// Finish has no notices.
func (sealedRun) Finish([]*pkgmerge.Change) ([]pkgmerge.Notice, error) { return nil, nil }

// withText returns a document with another text in its field text.
func withText(n *yaml.Node, change func(string) string) *yaml.Node {
	if n == nil {
		return nil
	}
	out := *n
	out.Content = slices.Clone(n.Content)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "text" {
			out.Content[i+1] = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: change(n.Content[i+1].Value)}
		}
	}
	return &out
}

// A Driver is a Strategy that brings its own matching, reading and writing.
func ExampleDriver() {
	seal := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	var packages [3]pkgmerge.Package
	for side, text := range [3]string{
		identity.Origin:   "id: n1\nname: notes\ntext: " + seal("one\ntwo\nthree\nfour\n"),
		identity.Upstream: "id: n1\nname: all notes\ntext: " + seal("ONE\ntwo\nthree\nfour\n"),
		identity.Local:    "id: n1  # of mine\nname: notes\ntext: " + seal("one\ntwo\nthree\nFOUR\n"),
	} {
		packages[side] = must(pkgmerge.NewPackage([]pkgmerge.File{{Name: "notes.yaml", Mode: 0o644, Data: []byte(text + "\n")}}))
	}
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: sealed{}})
	if err != nil {
		log.Fatal(err)
	}
	merged := must(result.Files())[0].Data
	fmt.Printf("%s\n", merged)
	_, text, _ := strings.Cut(string(merged), "text: ")
	fmt.Printf("%s", must(base64.StdEncoding.DecodeString(strings.TrimSpace(text))))
	// Output:
	// id: n1  # of mine
	// name: all notes
	// text: T05FCnR3bwp0aHJlZQpGT1VSCg==
	//
	// ONE
	// two
	// three
	// FOUR
}
