package pkgmerge

import (
	"slices"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/sibling"
)

// place gives what was added or moved its index and returns what the result has,
// in its order (design 1.2): local's resources in local's order; each added one
// after its nearest upstream predecessor that is there, else first in its file,
// else first of all.
func (m *merger) place(changes []*Change) ([]*Change, error) {
	of := make(map[*Resource]*Change, len(changes))
	for _, c := range changes {
		for _, r := range c.Versions {
			if r != nil {
				of[r] = c
			}
		}
	}
	var upstream []*Change
	for _, r := range m.packages[identity.Upstream].Resources {
		upstream = append(upstream, of[r])
	}
	if m.cluster == nil {
		if err := m.placeAdded(changes, upstream).listFiles(changes); err != nil {
			return nil, err
		}
	}
	number(changes, upstream)
	var present []*Change
	for _, r := range m.packages[identity.Local].Resources {
		if of[r].stays() {
			present = append(present, of[r])
		}
	}
	if m.options.LocalFirst {
		upstream = sibling.Behind(present, upstream, (*Change).isLocals)
	}
	return arrange(present, upstream), nil
}

// isLocals reports whether local alone added the resource.
func (c *Change) isLocals() bool { return !c.Has(identity.Origin) && !c.Has(identity.Upstream) }

// number gives what was added or moved its index: after the last resource of its
// file. upstream is in the order of the upstream side.
func number(changes, upstream []*Change) {
	next := map[string]int{}
	for _, c := range changes {
		if c.stays() && !c.Moved {
			next[c.file] = max(next[c.file], c.Result.Index+1)
		}
	}
	for _, c := range upstream {
		if c.Action == Added || c.Moved {
			c.Result.Index = next[c.file]
			next[c.file]++
		}
	}
}

// arrange orders the result: present in its order, and each added resource where
// it belongs.
func arrange(present, upstream []*Change) []*Change {
	files := make(map[string]bool, len(present))
	for _, c := range present {
		files[c.file] = true
	}
	placed := slices.DeleteFunc(slices.Clone(upstream), func(c *Change) bool { return !c.stays() && c.Action != Added })
	alone, after := sibling.Place(placed, (*Change).stays)
	var first []*Change
	inFile := map[string][]*Change{}
	for _, c := range alone {
		if files[c.file] {
			inFile[c.file] = append(inFile[c.file], c)
		} else {
			first = append(first, c)
		}
	}
	out := first
	for _, c := range present {
		out = append(out, inFile[c.file]...)
		delete(inFile, c.file)
		out = append(append(out, c), after[c]...)
	}
	return out
}
