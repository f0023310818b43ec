package gitdriver

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// hasAliases reports whether a text may have aliases, which repeat a change elsewhere, and anchors for them.
func hasAliases(text []byte) bool {
	has := func(sign string) bool {
		return bytes.Contains(text, []byte(": "+sign)) || bytes.Contains(text, []byte("- "+sign))
	}
	return has("*") && has("&")
}

// mayMisplaceAliased is mayMisplace for texts with their aliases written out: a change of one side to a value with an anchor
// is also one at each alias, which the other side may have changed. It is true if a text with aliases cannot be read.
func (v Versions) mayMisplaceAliased(merged []byte) bool {
	texts := append(slices.Clone(v.Texts[:]), merged)
	if !slices.ContainsFunc(texts, hasAliases) {
		return false
	}
	var expanded [4][]byte
	for i, text := range texts {
		var err error
		if expanded[i], err = expandAliases(text); err != nil {
			return true
		}
	}
	copy(v.Texts[:], expanded[:3])
	return v.mayMisplace(expanded[3])
}

// expandAliases returns a text with its aliases and merge keys written out.
func expandAliases(text []byte) (expanded []byte, err error) {
	defer yamlnode.Recover(&err)
	var out bytes.Buffer
	from, to := yaml.NewDecoder(bytes.NewReader(text)), yaml.NewEncoder(&out)
	for {
		var document yaml.Node
		if err := from.Decode(&document); errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		} else if err != nil {
			return nil, err
		}
		if document.Kind != yaml.DocumentNode || len(document.Content) == 0 {
			continue
		}
		n, err := merge.Expand(document.Content[0])
		if err != nil {
			return nil, err
		}
		if err := to.Encode(n); err != nil {
			return nil, err
		}
	}
}

// findMisplaced reports whether a merge of the lines has another line at some place than the merge of the fields, or decided what
// collides there, and names the place.
func (v Versions) findMisplaced(lines []byte, fields marker.Pieces) (where string, found bool) {
	sides := [2][]byte{}
	for i, side := range [2]marker.Side{marker.Ours, marker.Theirs} {
		sides[i] = fields.Resolve(func(int) marker.Side { return side })
	}
	seed := maphash.MakeSeed()
	if !fields.Conflict() && countPaths(lines, seed, nil).equal(countPaths(sides[0], seed, nil)) {
		return "", false
	}
	for _, side := range sides {
		if where := v.findDifference(side, lines); where != "" {
			return where, true
		}
	}
	return "its comments or its order", true
}

// findDifference names the first field in which the documents of two merges differ; it is "" if none does.
func (v Versions) findDifference(fields, lines []byte) string {
	known := schema.New(nil, nil, true)
	var documents [2]map[identity.ID]*pkgmerge.Resource
	var order []*pkgmerge.Resource
	for i, text := range [2][]byte{fields, lines} {
		p, err := v.packageOf(text)
		if err != nil {
			return ""
		}
		documents[i] = map[identity.ID]*pkgmerge.Resource{}
		for _, r := range p.Resources {
			documents[i][r.ID()] = r
		}
		order = append(order, p.Resources...)
	}
	for _, r := range order {
		from, to := documents[0][r.ID()], documents[1][r.ID()]
		if from == nil || to == nil {
			return describe(r, nil)
		}
		old, err := from.Tree()
		if err != nil {
			continue
		}
		tree, err := to.Tree()
		if err != nil {
			continue
		}
		if all, err := merge.Differences(old, tree, schemaOf(r, known)); err == nil && len(all) > 0 {
			return describe(r, all[0].Path)
		}
	}
	return ""
}

// describe names a field of a document in a message.
func describe(r *pkgmerge.Resource, at *merge.Path) string {
	field := at.String()
	switch {
	case isNameless(r) || r.Meta.Kind == "":
		return field
	case field == "":
		return r.Meta.Kind + " " + r.Meta.Name
	}
	return field + " of " + r.Meta.Kind + " " + r.Meta.Name
}

func isNameless(r *pkgmerge.Resource) bool { return r.Meta.Naming == identity.ByPath }
