package review

import (
	"bytes"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// maxOverlays is the number of ways from a release to the kustomizations above it that are followed.
const maxOverlays = 200

// overlays are the kustomizations of a version of a repository, which may patch releases.
type overlays struct{ *kustomize.Graph }

// layered returns a release after the patches of each overlay, by the names of the patches, and those of all releases that have it as their
// base, by their names; by "" the release that nothing patches.
func (k overlays) layered(r *values.Release, all []*values.Release) map[string]*values.Release {
	found := map[string]*values.Release{}
	if !strings.HasPrefix(r.Name, "HelmRelease ") {
		found[""] = r
		for _, o := range all {
			if o.Base == r {
				found[o.Name] = o
			}
		}
		return found
	}
	above := k.Above()
	var climb func(dir, way string, r *values.Release, depth int)
	climb = func(dir, way string, r *values.Release, depth int) {
		if depth > kustomize.MaxDepth || len(found) >= maxOverlays {
			return
		}
		for _, p := range k.patchesOf(dir, r.Name, depth) {
			r, way = p.Over(r), way+"\x00"+p.File
		}
		if len(above[dir]) == 0 {
			found[way] = r
		}
		for _, in := range above[dir] {
			climb(in, way, r, depth+1)
		}
	}
	for _, in := range above[r.File] {
		climb(in, "", r, 0)
	}
	if len(found) == 0 {
		found[""] = r
	}
	return found
}

// patchesOf returns the patches of a HelmRelease in a kustomization and in its components.
func (k overlays) patchesOf(dir, name string, depth int) (found []*values.Release) {
	one, err := kustomize.Read(k.Files, dir)
	if err != nil || depth > kustomize.MaxDepth {
		return nil // what cannot be parsed patches nothing
	}
	for _, n := range one.Entries("components") {
		if !kustomize.IsRemote(n.Value) {
			found = append(found, k.patchesOf(path.Join(dir, n.Value), name, depth+1)...)
		}
	}
	for _, field := range []string{"patchesStrategicMerge", "patches"} {
		for _, entry := range one.Entries(field) {
			texts, _ := kustomize.PatchTexts(one, entry) // what cannot be parsed patches nothing
			for _, t := range texts {
				if m := yamlnode.MetaOf(t.Node); m.Kind != "HelmRelease" || "HelmRelease "+m.Name != name || t.IsFixed {
					continue
				}
				if data, err := k.Files.Read(t.File); err == nil {
					found = append(found, values.Patch(pkgmerge.File{Name: t.File, Data: data}, moved(t.Node, t.Shift, data)))
				}
			}
		}
	}
	return found
}

// moved returns a node of a text that begins below some lines of a file, with its lines and columns in the file.
func moved(n *yamlnodes.Node, shift int, data []byte) *yamlnodes.Node {
	indent := 0
	if shift > 0 {
		for line := range bytes.Lines(data[(&layerText{data: data}).lineStart(shift+1):]) {
			if indent = len(line) - len(bytes.TrimLeft(line, " ")); len(bytes.TrimSpace(line)) > 0 {
				break
			}
		}
	}
	out := yamlnode.Clone(n)
	yamlnode.Walk(out, func(is *yamlnodes.Node) { is.Line, is.Column = is.Line+shift, is.Column+indent })
	return out
}

// withBases returns names with those of the files that the kustomizations with patches of HelmReleases among them include.
func (k overlays) withBases(names []string) ([]string, error) {
	out := slices.Clone(names)
	for _, name := range names {
		if !k.Files.Has(name) {
			continue
		}
		data, err := k.Files.Read(name)
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(data, []byte("kind: HelmRelease")) || bytes.Contains(data, []byte("sourceRef:")) || bytes.Contains(data, []byte("chartRef:")) {
			continue // a release, and no patch of one
		}
		dir := path.Dir(name)
		for dir != "." && kustomize.FileOf(k.Files, dir) == "" {
			dir = path.Dir(dir)
		}
		for at := range k.Above() {
			if k.Files.Has(at) && slices.Contains(k.At(at), dir) {
				out = append(out, at)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
