package patchset

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// pair is a resource as a side has it and as the result does. Either may be nil.
type pair struct {
	was, is *yaml.Node
	change  *pkgmerge.Change
}

// pairs are the resources that may differ, in the order of the changes, and the documents that
// differ and that no patch finds.
func pairs(result *pkgmerge.Result, from identity.Side) (out []pair, left []*pkgmerge.Change, err error) {
	for _, c := range result.Changes {
		if c.Action == pkgmerge.Unchanged && from == identity.Local {
			continue
		}
		if !isAddressed(c, from) {
			differs, err := differs(c, from)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", c.Newest(), err)
			}
			if differs {
				left = append(left, c)
			}
			continue
		}
		versions, is, err := c.Contents()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", c.Newest(), err)
		}
		if was := versions[from]; was != nil || is != nil {
			out = append(out, pair{was, is, c})
		}
	}
	if result.Apply != nil { // a live object stays the one that it is
		return out, left, nil
	}
	return byName(out), left, nil
}

// byName pairs anew what the result calls otherwise than the side does: to whoever applies
// patches, who has the name is who is patched. What is then alone goes or comes.
func byName(pairs []pair) (out []pair) {
	renamed := map[patch.Target]*yaml.Node{}
	for _, p := range pairs {
		if p.is != nil && !p.keepsName() {
			renamed[patch.TargetOf(p.is)] = p.is
		}
	}
	isOf, paired := map[*yaml.Node]*yaml.Node{}, map[*yaml.Node]bool{}
	for _, p := range pairs {
		if is := renamed[patch.TargetOf(p.was)]; p.was != nil && !p.keepsName() && is != nil && !paired[is] {
			isOf[p.was], paired[is] = is, true
		}
	}
	for _, p := range pairs {
		if p.keepsName() {
			out = append(out, p)
			continue
		}
		if p.was != nil {
			out = append(out, pair{p.was, isOf[p.was], p.change})
		}
		if p.is != nil && !paired[p.is] {
			out = append(out, pair{nil, p.is, p.change})
		}
	}
	return out
}

// keepsName reports whether both are there and have one name, kind and apiVersion.
func (p pair) keepsName() bool {
	return p.was != nil && p.is != nil && patch.TargetOf(p.was) == patch.TargetOf(p.is)
}
