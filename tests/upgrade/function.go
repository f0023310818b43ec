package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/command"
)

// mergeByFunction has the function merge the list that kpt would send: read by
// kyaml from a package with origin and upstream in it, and written by kyaml.
func mergeByFunction(v versions, dir string) (outcome, error) {
	var o outcome
	before, err := sent(v, v.local.files, filepath.Join(dir, "first"))
	if err != nil {
		return o, err
	}
	if o.before, err = passed(localOnly(before), filepath.Join(dir, "before")); err != nil {
		return o, err
	}
	after, results, err := runFunction(before)
	if err != nil {
		o.failure = err.Error()
		return o, nil
	}
	if o.files, err = written(after, filepath.Join(dir, "result")); err != nil {
		return o, err
	}
	o.told = conflictsOf(results)
	again, err := sent(v, o.files, filepath.Join(dir, "second"))
	if err != nil {
		return o, err
	}
	o.unstable, err = changesAgain(again, dir)
	return o, err
}

// changesAgain reports whether a second merge changes the result of the first. kyaml by
// itself is no measure of that: it moves comments that end a map and drops an empty
// line among them each time that it reads and writes a file. So the merge is compared
// with kyaml's own output for the same files.
func changesAgain(items []*kyaml.RNode, dir string) (bool, error) {
	alone, err := passed(localOnly(items), filepath.Join(dir, "alone"))
	if err != nil {
		return false, err
	}
	after, _, err := runFunction(items)
	if err != nil {
		return true, nil
	}
	twice, err := written(after, filepath.Join(dir, "again"))
	return !maps.Equal(twice, alone), err
}

// passed returns kyaml's own output for items that went through a list.
func passed(items []*kyaml.RNode, dir string) (tree, error) {
	list, err := listOf(items)
	if err != nil {
		return nil, err
	}
	out, _, err := itemsOf(list)
	if err != nil {
		return nil, err
	}
	return written(out, dir)
}

// sent is the package as kpt reads it.
func sent(v versions, local tree, dir string) ([]*kyaml.RNode, error) {
	if err := v.origin.under("origin").and(v.upstream.under("upstream")).and(local).write(dir); err != nil {
		return nil, err
	}
	return kio.LocalPackageReader{
		PackagePath: dir, PackageFileName: "Kptfile", MatchFilesGlob: append([]string{"Kptfile"}, kio.DefaultMatch...),
		IncludeSubpackages: true, PreserveSeqIndent: true, WrapBareSeqNode: true,
	}.Read()
}

// localOnly are the items of the fork.
func localOnly(items []*kyaml.RNode) []*kyaml.RNode {
	var out []*kyaml.RNode
	for _, n := range items {
		path := n.GetAnnotations()[kioutil.PathAnnotation]
		if !strings.HasPrefix(path, "origin/") && !strings.HasPrefix(path, "upstream/") {
			out = append(out, n)
		}
	}
	return out
}

// runFunction runs the function over a ResourceList.
func runFunction(items []*kyaml.RNode) ([]*kyaml.RNode, framework.Results, error) {
	in, err := listOf(items)
	if err != nil {
		return nil, nil, err
	}
	out, err := command.Function(in)
	if err != nil {
		return nil, nil, err
	}
	return itemsOf(out)
}

// listOf is the ResourceList of items.
func listOf(items []*kyaml.RNode) ([]byte, error) {
	var b bytes.Buffer
	err := kio.ByteWriter{
		Writer: &b, KeepReaderAnnotations: true,
		WrappingKind: kio.ResourceListKind, WrappingAPIVersion: kio.ResourceListAPIVersion,
	}.Write(items)
	return b.Bytes(), err
}

// itemsOf are the items and results of a ResourceList.
func itemsOf(list []byte) ([]*kyaml.RNode, framework.Results, error) {
	reader := &kio.ByteReader{Reader: bytes.NewReader(list), OmitReaderAnnotations: true, WrapBareSeqNode: true}
	nodes, err := reader.Read()
	if err != nil {
		return nil, nil, fmt.Errorf("the list that came out: %w", err)
	}
	var results framework.Results
	if reader.Results != nil {
		err = reader.Results.YNode().Decode(&results)
	}
	return nodes, results, err
}

// written is the files that kyaml writes of items. It changes the items, so
// copies of them are written.
func written(items []*kyaml.RNode, dir string) (tree, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var copies []*kyaml.RNode
	for _, n := range items {
		copies = append(copies, n.Copy())
	}
	if err := (kio.LocalPackageWriter{PackagePath: dir}).Write(copies); err != nil {
		return nil, err
	}
	return readTree(dir)
}

// conflictsOf are the conflicts among results. What is told as information is none: no
// side lost anything (rules/conflicts: results).
func conflictsOf(results framework.Results) []conflict {
	var out []conflict
	for _, r := range results {
		if r.Tags["conflict"] == "" || r.Severity == framework.Info || r.ResourceRef == nil {
			continue
		}
		c := conflict{kind: r.Tags["conflict"], message: r.Message}
		if r.Field != nil {
			c.path = r.Field.Path
		}
		if r.File != nil {
			c.file = r.File.Path
		}
		ref := r.ResourceRef
		c.id = id{kind: ref.Kind, namespace: ref.Namespace, name: ref.Name}
		if group, _, found := strings.Cut(ref.APIVersion, "/"); found {
			c.id.group = group
		}
		out = append(out, c)
	}
	return out
}
