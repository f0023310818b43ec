package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/values"
)

// countLayers judges each line of the layers over a base by kustomize's own library: it builds the new version with and without the line.
func (t *tally) countLayers(u *upstreams, b *review.Bump, now review.Files, id string, verbose bool) {
	say := func(how string, l *review.Line, err error) {
		t.layers[how+" "+string(l.Class)]++
		if verbose || how == "WRONG" {
			fmt.Printf("  %s %s %s %s -> %s: %s %s:%d %s %s %v; %s; %.200v\n", how, id, b.Name, b.Old, b.New, l.Class, l.File, l.Number, l.Resource, l.Path, hidden(l.Value), l.Note, err)
		}
	}
	r, err := newRendering(u, b, now)
	if err != nil {
		r = nil
	}
	moved, ownErr := b.Without(nil)
	var want map[string]string
	if err = cmp.Or(err, ownErr); err == nil {
		want, err = r.build(moved)
	}
	for _, l := range b.Lines {
		changes, ownErr := b.Without(l)
		isIdle := l.Class == review.Dead || l.Class == review.Redundant
		switch {
		case r != nil && l.Class == review.Refused:
			say(map[bool]string{true: "proved", false: "WRONG"}[err != nil], l, err)
		case len(want) == 0 || ownErr != nil:
			say("not built", l, cmp.Or(ownErr, err))
		case strings.HasPrefix(l.Note, "not judged"):
			say("not judged", l, nil)
		case l.Class == review.Renamed || len(changes) == len(moved):
			say("not edited", l, nil)
		default:
			is, err := r.build(changes)
			isSame := true
			for root, text := range want {
				isSame = isSame && is[root] == text
			}
			switch {
			case isSame == isIdle:
				say("proved", l, err)
			case isSame && err != nil: // the render that it changes cannot be built
				say("not built", l, err)
			default:
				say("WRONG", l, err)
			}
		}
	}
}

// rendering is a version of a repository, with the remote bases of some of its kustomizations beside it.
type rendering struct {
	u     *upstreams
	in    review.Files
	files filesys.FileSystem
	// roots are the directories that are built. local has the directories of remote entries.
	roots []string
	local map[string]string
	seen  map[string]bool
}

// newRendering writes the new version of a bump of a base, with the bases that have clones.
func newRendering(u *upstreams, b *review.Bump, in review.Files) (*rendering, error) {
	if kustomize.FileOf(in, path.Dir(b.File)) != b.File {
		return nil, errors.New("the base is of no kustomization")
	}
	graph := kustomize.Graph{Files: in}
	r := &rendering{u: u, in: in, files: filesys.MakeFsInMemory(), roots: graph.Roots(path.Dir(b.File)), local: map[string]string{}, seen: map[string]bool{}}
	for _, root := range r.roots {
		top, _, _ := strings.Cut(root, "/")
		if err := r.write("/repo/", in, top); err != nil {
			return nil, err
		}
		if err := r.visit("/repo/", in, root); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// write writes the files below a directory, none twice.
func (r *rendering) write(at string, in review.Files, dir string) error {
	if r.seen[at+" "+dir] {
		return nil
	}
	r.seen[at+" "+dir] = true
	for name := range in.IDs {
		if dir != "." && name != dir && !strings.HasPrefix(name, dir+"/") || path.Ext(name) == ".go" || strings.Contains(name, " ") {
			continue
		}
		data, err := in.Read(name)
		if err == nil {
			err = r.files.WriteFile(at+name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit writes the bases of a kustomization and of those below it, and replaces their entries. Of a base without a clone there is nothing.
func (r *rendering) visit(at string, in review.Files, dir string) error {
	k, err := kustomize.Read(in, dir)
	if err != nil || r.seen[at+dir] {
		return nil // a file, or what kustomize refuses
	}
	r.seen[at+dir] = true
	isChanged := false
	for _, field := range []string{"resources", "bases", "components"} {
		for _, n := range k.Entries(field) {
			if !kustomize.IsRemote(n.Value) {
				if err := r.visit(at, in, path.Join(dir, n.Value)); err != nil {
					return err
				}
				continue
			}
			isChanged = true
			if r.local[n.Value] != "" {
				continue
			}
			place := fmt.Sprintf("/bases/%d/", len(r.local))
			base, name, err := r.u.base(n.Value)
			if err != nil {
				name = "missing"
				base = review.Files{IDs: map[string]string{"missing/kustomization.yaml": ""}, Read: func(string) ([]byte, error) { return []byte("kind: Component\nnamePrefix: \"\"\n"), nil }}
				if field != "components" {
					base = review.Files{IDs: map[string]string{"missing": ""}, Read: func(string) ([]byte, error) { return []byte("# nothing\n"), nil }}
				}
			}
			r.local[n.Value] = place + name
			top, _, _ := strings.Cut(name, "/")
			if err := r.write(place, base, top); err != nil {
				return err
			}
			if err := r.visit(place, base, name); err != nil {
				return err
			}
		}
	}
	if !isChanged && len(k.Entries("helmCharts")) == 0 {
		return nil
	}
	data, err := in.Read(k.File)
	if err != nil {
		return err
	}
	return r.files.WriteFile(at+k.File, r.withLocal(at+k.File, data))
}

// withLocal returns a kustomization with the directories of its remote entries, and without charts.
func (r *rendering) withLocal(name string, data []byte) []byte {
	var pairs []string
	for _, entry := range slices.Backward(slices.Sorted(maps.Keys(r.local))) { // a longer one first
		pairs = append(pairs, entry, strings.Repeat("../", strings.Count(name, "/")-1)+strings.TrimPrefix(r.local[entry], "/"))
	}
	out := []byte(strings.NewReplacer(pairs...).Replace(string(data)))
	var fields map[string]any
	if !bytes.Contains(out, []byte("\nhelmCharts:")) || yaml.Unmarshal(out, &fields) != nil {
		return out
	}
	delete(fields, "helmCharts") // whose resources are none of the base's
	out, err := yaml.Marshal(fields)
	if err != nil {
		return data
	}
	return out
}

// build returns what kustomize builds of each root after some edits, without the roots that it refuses. The error is that of one of these.
func (r *rendering) build(changes []values.Replacement) (map[string]string, error) {
	var failed error
	for _, c := range changes {
		data, err := r.in.Read(c.File)
		if err != nil {
			return nil, err
		}
		defer func() {
			failed = cmp.Or(failed, r.files.WriteFile("/repo/"+c.File, r.withLocal("/repo/"+c.File, data)))
		}()
		f, err := values.Replace(pkgmerge.File{Name: c.File, Data: data}, changes)
		if err != nil {
			return nil, err
		}
		if err := r.files.WriteFile("/repo/"+c.File, r.withLocal("/repo/"+c.File, f.Data)); err != nil {
			return nil, err
		}
	}
	out := map[string]string{}
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = 0
	for _, root := range r.roots {
		built, err := krusty.MakeKustomizer(options).Run(r.files, "/repo/"+root)
		var text []byte
		if err == nil {
			text, err = built.AsYaml()
		}
		if err != nil {
			failed = err
			continue
		}
		out[root] = string(text)
	}
	return out, failed
}
