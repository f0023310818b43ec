package overlay

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// pair is a resource as the base has it and as the fork does. Either may be nil.
type pair struct {
	base, fork *yaml.Node
	// source is what patches make of base before the transformers make fork of it.
	source *yaml.Node
	// anew says that the base's resource is deleted, and the fork's is a file.
	anew bool
	// called are the names by which kustomize knows it.
	called []string
	change *pkgmerge.Change
	// versions are what the overlay was made of.
	versions [3]*yaml.Node
}

// target names the resource as kustomize knows it: as the base does.
func (p *pair) target() patch.Target {
	if p.base != nil {
		return patch.TargetOf(p.base)
	}
	return patch.TargetOf(p.fork)
}

// byName pairs resources anew of which the fork calls one as the base calls another: kustomize
// has no two of one name, so who has the name is who is patched.
func byName(pairs []*pair) []*pair {
	taken := map[patch.Target]*pair{}
	for _, p := range pairs {
		if p.base != nil {
			taken[patch.TargetOf(p.base)] = p
		}
	}
	free := map[*pair]*yaml.Node{}
	for _, p := range pairs {
		if p.fork == nil {
			continue
		}
		if other := taken[patch.TargetOf(p.fork)]; other != nil && other != p {
			free[other], p.fork = p.fork, nil
		}
	}
	for _, p := range pairs {
		if fork := free[p]; fork != nil && p.fork == nil {
			p.fork = fork
		}
	}
	return pairs
}

// withoutMergeComment is a resource without the comment by which a merge knows it again.
func withoutMergeComment(n *yaml.Node) *yaml.Node {
	key, metadata := yamlnode.Entry(n, "metadata")
	if key == nil {
		return n
	}
	if _, err := identity.ParseComment(key.LineComment); err != nil {
		return n
	}
	out := yamlnode.WithField(n, "metadata", metadata)
	for i, k := range out.Content {
		if k == key {
			plain := *key
			plain.LineComment = ""
			out.Content[i] = &plain
		}
	}
	return out
}

// isBuilt reports whether the overlay has the resource.
func (p *pair) isBuilt() bool { return p.fork != nil && !p.isDead() }

// isPatched reports whether the overlay makes the resource of the base's.
func (p *pair) isPatched() bool {
	if p.base == nil || p.fork == nil || p.anew {
		return false
	}
	was, is := patch.TargetOf(p.base), patch.TargetOf(p.fork)
	return was.APIVersion == is.APIVersion && was.Kind == is.Kind
}

// patchedBase is the base's resource if the fork's is made of it, else nil.
func (p *pair) patchedBase() *yaml.Node {
	if p.isPatched() {
		return p.base
	}
	return nil
}

// isDead reports whether upstream dropped a resource that the fork changed.
func (p *pair) isDead() bool {
	return p.base == nil && p.versions[identity.Origin] != nil && p.versions[identity.Local] != nil
}

// same reports whether the base has the resource as the fork does.
func (p *pair) same() bool { return p.base != nil && p.fork != nil && merge.Same(p.base, p.source) }
