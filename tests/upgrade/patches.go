package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/tests/applier"
)

// patchTally counts what became of the patches of a form.
type patchTally struct{ made, lines, unsaid int }

// cell says how many patches were made, how many lines they have, and how many could not.
func (t *patchTally) cell() string {
	switch {
	case t == nil:
		return "0"
	case t.unsaid > 0:
		return fmt.Sprintf("%d (%d), %d not", t.made, t.lines, t.unsaid)
	}
	return fmt.Sprintf("%d (%d)", t.made, t.lines)
}

// patches makes of every package the patch of each form that makes upstream's version of a
// resource of origin's, and applies it as its readers do: strategic ones where the Go type of
// the kind is at hand. It prints a table, and with verbose each patch. A patch that makes
// something else is an error.
func (o options) patches(w, stderr io.Writer, packages []pkg) error {
	var b strings.Builder
	head := []string{"package", "resources that differ", "their lines"}
	for _, form := range patch.Forms() {
		head = append(head, string(form))
	}
	writeRow(&b, head)
	b.WriteString("|---|---:|---:|" + strings.Repeat("---:|", len(patch.Forms())) + "\n")
	by, err := applier.Start()
	if err != nil {
		return err
	}
	defer by.Close()
	for _, p := range packages {
		cells, err := o.patchesOf(p, by, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		writeRow(&b, cells)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// patchesOf is the row of a package.
func (o options) patchesOf(p pkg, by *applier.Applier, stderr io.Writer) ([]string, error) {
	pairs, err := p.pairs()
	if err != nil {
		return nil, err
	}
	tallies, lines := map[patch.Form]*patchTally{}, 0
	for _, pair := range pairs {
		text, err := yaml.Marshal(pair[1].value)
		if err != nil {
			return nil, err
		}
		lines += bytes.Count(text, []byte("\n"))
		for _, form := range patch.Forms() {
			if tallies[form] == nil {
				tallies[form] = &patchTally{}
			}
			said, err := tallies[form].try(form, pair, by)
			if err != nil {
				return nil, fmt.Errorf("%s in %s: form %s: %w", pair[0].id, pair[0].file, form, err)
			}
			if o.verbose && said != "" {
				fmt.Fprintf(stderr, "# %s: %s in %s, form %s\n%s", p.name, pair[0].id, pair[0].file, form, said)
			}
		}
	}
	cells := []string{p.name, fmt.Sprint(len(pairs)), fmt.Sprint(lines)}
	for _, form := range patch.Forms() {
		cells = append(cells, tallies[form].cell())
	}
	return cells, nil
}

// pairs are the resources that differ, as origin and as upstream has them in the same file.
func (p pkg) pairs() (out [][2]*resource, err error) {
	var versions [2]map[string]*resource
	var names []string
	for i, revision := range [2]string{p.origin, p.upstream} {
		files, err := checkout(p.repo, revision, p.dir)
		if err != nil {
			return nil, err
		}
		versions[i] = map[string]*resource{}
		for _, file := range files.names() {
			found, err := readFile(file, files[file])
			if !isYAML(file) || err != nil {
				continue // a template, or no YAML
			}
			for _, r := range found {
				name := r.file + ": " + r.id.group + "/" + r.version + " " + r.id.String()
				if i == 0 && versions[0][name] == nil {
					names = append(names, name)
				}
				versions[i][name] = r
			}
		}
	}
	for _, name := range names {
		from, to := versions[0][name], versions[1][name]
		if to != nil && from.id.kind != "" && !reflect.DeepEqual(from.value, to.value) {
			out = append(out, [2]*resource{from, to})
		}
	}
	return out, nil
}

// try makes the patch of a form and applies it. It returns the patch's text, or why there is
// none.
func (t *patchTally) try(form patch.Form, pair [2]*resource, by *applier.Applier) (string, error) {
	from, err := pair[0].node()
	if err != nil {
		return "", err
	}
	to, err := pair[1].node()
	if err != nil {
		return "", err
	}
	made, differs, err := patch.New(patch.Options{Form: form}).Make(from, to)
	switch {
	case errors.Is(err, patch.ErrInexpressible):
		t.unsaid++
		return err.Error() + "\n", nil
	case err != nil:
		return "", err
	case !differs:
		return "", nil
	}
	text, err := made.YAML()
	if err != nil {
		return "", err
	}
	t.made, t.lines = t.made+1, t.lines+bytes.Count(text, []byte("\n"))
	read, err := k8syaml.YAMLToJSON(text)
	if err != nil {
		return "", err
	}
	before, after, err := inJSON(pair)
	if err != nil {
		return "", err
	}
	target := made.Target
	got, applied, err := by.Apply(applier.Request{Form: made.Form, APIVersion: target.APIVersion, Kind: target.Kind, Resource: before, Patch: read})
	if err != nil {
		return "", fmt.Errorf("%w: the patch\n%s", err, text)
	}
	if applied && !sameJSON(made.Form, got, after) {
		return "", fmt.Errorf("the patch\n%sgives\n%s\nwant\n%s", text, got, after)
	}
	return string(text), nil
}

// node is a resource with its comments.
func (r *resource) node() (*yaml.Node, error) {
	var document yaml.Node
	if r.text == nil {
		return &document, document.Encode(r.value)
	}
	err := yaml.Unmarshal([]byte(r.text.text), &document)
	return document.Content[0], err
}

// inJSON are the resources of a pair as their readers have them.
func inJSON(pair [2]*resource) (before, after []byte, err error) {
	var out [2][]byte
	for i, r := range pair {
		n, err := r.node()
		if err != nil {
			return nil, nil, err
		}
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, nil, err
		}
		if out[i], err = json.Marshal(stringKeys(v)); err != nil {
			return nil, nil, err
		}
	}
	return out[0], out[1], nil
}

// sameJSON reports whether two resources in JSON are the same, for kustomize but for the order
// of lists.
func sameJSON(form patch.Form, x, y []byte) bool {
	var v, w any
	if json.Unmarshal(x, &v) != nil || json.Unmarshal(y, &w) != nil {
		return false
	}
	if form == patch.Kustomize {
		v, w = unordered(v), unordered(w)
	}
	return reflect.DeepEqual(v, w)
}

// unordered is a value whose lists are sorted.
func unordered(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			v[name] = unordered(v[name])
		}
	case []any:
		for i := range v {
			v[i] = unordered(v[i])
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	}
	return v
}
