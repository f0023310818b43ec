package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// laws are the three laws of overlays on three versions of a package (rules/overlay:
// overlays).
type laws struct {
	packages [3]pkgmerge.Package
	// tried is the number of an overlay's patches that are left out, one after the other.
	tried int
}

// errIdle says that a law says nothing about the versions: kustomize or the merge cannot
// have one of them.
var errIdle = errors.New("no law")

func idle(why string, err error) error { return fmt.Errorf("%w: %s: %w", errIdle, why, err) }

// made is an overlay over a base, in kustomize's file system.
type made struct {
	*overlay.Overlay
	tree tree
}

// make makes the overlay over a version.
func (l laws) make(base identity.Side) (made, error) {
	packages := l.packages
	packages[identity.Upstream] = packages[base]
	out, err := overlay.Make(context.Background(), packages, overlay.Options{Resources: "../base"})
	if err != nil {
		return made{}, idle("no overlay", err)
	}
	if slices.ContainsFunc(out.Unexpressed, isAboutValues) {
		err = idle("something is not expressed", errors.New(fmt.Sprint(out.Unexpressed)))
	}
	m := made{out, tree{}}
	m.tree.put("base", packages[base].Files)
	m.tree.put("overlay", out.Files)
	if out.Base != nil {
		m.tree["base/kustomization.yaml"] = out.Base
	}
	return m, err
}

// isAboutValues reports whether something that the overlay cannot express may make other values. A file that
// is YAML by its name may have resources, though it was merged as text.
func isAboutValues(unexpressed string) bool {
	subject, text, _ := strings.Cut(unexpressed, ": ")
	if path.Ext(subject) == ".yaml" && strings.Contains(text, "is not a resource") {
		return true
	}
	for _, harmless := range []string{"in another order", "its comments", "before the overlay's patches", "is not a resource", "no such document"} {
		if strings.Contains(text, harmless) {
			return false
		}
	}
	return true
}

// listed builds a version as it is.
func listed(p pkgmerge.Package) (built, error) {
	out, err := overlay.Make(context.Background(), [3]pkgmerge.Package{p, p, p}, overlay.Options{Resources: "../base"})
	if err != nil {
		return nil, err
	}
	t := tree{}
	t.put("base", p.Files)
	if out.Base != nil {
		t["base/kustomization.yaml"] = out.Base
	}
	return t.build("base")
}

// overOrigin checks the first and the second law: over origin the overlay builds local, and
// without any one patch it does not.
func (l laws) overOrigin() (made, error) {
	want, err := listed(l.packages[identity.Local])
	if err != nil {
		return made{}, idle("local", err)
	}
	if _, err := listed(l.packages[identity.Origin]); err != nil {
		return made{}, idle("origin", err)
	}
	m, err := l.make(identity.Origin)
	if err != nil {
		return m, err
	}
	got, err := m.tree.build("overlay")
	if err != nil {
		return m, fmt.Errorf("kustomize: %w", err)
	}
	if err := want.differs(got); err != nil {
		return m, err
	}
	return m, m.minimal(want, l.tried)
}

// minimal finds a patch that the overlay does not need.
func (m made) minimal(want built, tried int) error {
	patches := m.tree.patches()
	for _, i := range rand.Perm(len(patches))[:min(len(patches), tried)] {
		if got, err := m.tree.withoutPatch(i).build("overlay"); err == nil && want.differs(got) == nil {
			return fmt.Errorf("it needs no patch %v", patches[i])
		}
	}
	return nil
}

// overUpstream checks the third law: over upstream the overlay builds the merge that prefers
// local, but for resources that upstream dropped.
func (l laws) overUpstream() (made, error) {
	if _, err := listed(l.packages[identity.Upstream]); err != nil {
		return made{}, idle("upstream", err)
	}
	m, err := l.make(identity.Upstream)
	if err != nil {
		return m, err
	}
	result, err := pkgmerge.Merge(context.Background(), l.packages,
		pkgmerge.Options{Policy: pkgmerge.Prefer(merge.PreferLocal), MergeComments: pkgmerge.CommentNever, NullIsValue: true})
	if err != nil {
		return m, idle("no merge", err)
	}
	files, err := result.Files()
	if err != nil {
		return m, idle("no merge", err)
	}
	merged, err := pkgmerge.NewPackage(files)
	if err != nil {
		return m, idle("no merge", err)
	}
	want, err := listed(merged)
	if err != nil {
		return m, idle("the merge", err)
	}
	got, err := m.tree.build("overlay")
	if err != nil {
		return m, fmt.Errorf("kustomize: %w", err)
	}
	want = maps.Clone(want)
	for _, s := range m.Changes {
		if s.Status == overlay.Dead {
			want.drop(s.Resource)
		}
	}
	return m, want.differs(got)
}
