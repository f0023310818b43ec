package patchset

import (
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Left are the documents that differ from a side's and that no patch finds: they have no
// name, or are Kptfiles, which are about the package that they lie in.
func Left(result *pkgmerge.Result, from identity.Side) (left []*pkgmerge.Change, err error) {
	for _, c := range result.Changes {
		if isAddressed(c, from) {
			continue
		}
		differs, err := differs(c, from)
		if err != nil {
			return nil, err
		}
		if differs {
			left = append(left, c)
		}
	}
	return left, nil
}

// isAddressed reports whether a patch finds a resource: it has a kind and a name. One that is
// new may have its name generated, as it comes out whole.
func isAddressed(c *pkgmerge.Change, from identity.Side) bool {
	it := c.Versions[from]
	if it == nil {
		it = c.Newest()
	}
	if it.Meta.APIVersion == "" || it.Meta.Kind == "" {
		return false
	}
	return it.Meta.Naming == identity.ByName || it.Meta.Naming == identity.ByGenerateName && c.Versions[from] == nil
}

// differs reports whether the result has another version of a document than a side.
func differs(c *pkgmerge.Change, from identity.Side) (bool, error) {
	versions, is, err := c.Contents()
	was := versions[from]
	if err != nil || was == nil || is == nil {
		return was != is, err
	}
	return !merge.Same(was, is), nil
}
