package pkgmerge

import (
	"errors"
	"slices"
	"sync"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// versions are the versions of the package and how to merge them, before anything is decided.
type versions struct {
	options  Options
	packages [3]Package
	strategy Strategy
	schema   *schema.Schema
	// crds are the CRDs of the schema, and defining their resources.
	crds     []schema.CRD
	defining []*Resource
	// patches finds the files that a kustomization of any side uses as patches.
	patches func() map[string]bool
	// secretFiles finds the files that a kustomization of any side makes Secrets of.
	secretFiles func() map[string]bool
	// driven is the run of a strategy that is a Driver, else nil.
	driven Run
	// ofFiles reports whether all packages are made of files.
	ofFiles bool
}

// newVersions returns the versions of a package with the options of their merge and the strategy.
func newVersions(packages [3]Package, o Options) (*versions, error) {
	m := &versions{options: o, packages: packages, ofFiles: true}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		m.packages[side] = packages[side].WithoutIgnored(packages[identity.Local])
	}
	for _, p := range packages {
		m.ofFiles = m.ofFiles && p.contents != nil
	}
	m.setDefaults()
	return m, m.chooseStrategy()
}

// setDefaults sets the policy and the bookkeeping where the options have none, and the options that a profile decides.
func (v *versions) setDefaults() {
	if v.options.Policy == nil {
		v.options.Policy = Rules{}
	}
	if rules, is := v.options.Policy.(Rules); is {
		v.options.Policy = rules.indexed()
	}
	if v.options.Profile != Copy {
		v.options.MergeComments, v.options.Adopt, v.options.NullIsValue = CommentNever, []Adoption{}, true
		v.options.Bookkeeping = func(string) bool { return false }
	}
	if v.options.Bookkeeping == nil {
		v.options.Bookkeeping = bookkeeping.Is
	}
}

// chooseStrategy takes the strategy of the options, else local's own.
func (v *versions) chooseStrategy() (err error) {
	if v.strategy = v.options.Strategy; v.strategy == nil {
		v.strategy, err = DefaultStrategy(v.packages[identity.Local])
	}
	return err
}

// prepare checks that the strategy has the sides that it needs, and reads the schemas.
func (v *versions) prepare() (err error) {
	if v.isEmpty(identity.Upstream) {
		return errors.New("upstream has no resources: to take it for the new version would delete the package")
	}
	if driver, is := v.strategy.(Driver); is {
		v.options.MergeComments = CommentNever
		if v.driven, v.packages, err = driver.Begin(v.packages); err != nil {
			return err
		}
	}
	if v.isEmpty(identity.Origin) && !v.options.NoOrigin && v.strategy.Name() != replaceAll && v.driven == nil {
		return errors.New("origin has no resources: every difference would be a conflict; if there is no origin, say so with sources: {origin: {none: true}} in the config")
	}
	if err := v.checkSkipped(); err != nil {
		return err
	}
	v.patches = sync.OnceValue(func() map[string]bool { return findPatches(v.packages) })
	v.secretFiles = sync.OnceValue(func() map[string]bool { return findSecretFiles(v.packages) })
	v.schema, err = v.newSchema()
	return err
}

// isEmpty reports whether a side has neither resources nor files.
func (v *versions) isEmpty(side identity.Side) bool {
	p := v.packages[side]
	return len(p.Resources) == 0 && len(p.Files) == 0
}

// hasStream reports whether a version was read as one stream, in which files have no meaning.
func (v *versions) hasStream() bool {
	return slices.ContainsFunc(v.packages[:], func(p Package) bool { return p.IsStream })
}

// resources returns the resources of all sides.
func (v *versions) resources() []*Resource {
	var all []*Resource
	for _, p := range v.packages {
		all = append(all, p.Resources...)
	}
	return all
}

// items returns the identities of the resources in a List.
func (v *versions) items(side identity.Side, at int) []identity.ID {
	tree, err := v.packages[side].Resources[at].Tree()
	if err != nil {
		return nil
	}
	var out []identity.ID
	for _, n := range yamlnode.Elements(yamlnode.Field(tree, "items")) {
		out = append(out, identity.ReadMeta(n).PlainID())
	}
	return out
}

// entries returns the resources of each side for matching, and the packages that contain them.
func (v *versions) entries() (entries [3][]identity.Entry, packages [3][]string) {
	for _, side := range identity.Sides() {
		packages[side] = findPackages(v.packages[side].Resources)
		entries[side] = make([]identity.Entry, 0, len(packages[side]))
		for i, r := range v.packages[side].Resources {
			if r.Was != nil {
				r = r.Was
			}
			entries[side] = append(entries[side], r.entry(packages[side][i], v.schema))
		}
	}
	return entries, packages
}

// keepsAnnotation reports whether an annotation is bookkeeping that stays on local's resources.
func (v *versions) keepsAnnotation(annotation string) bool {
	return annotation != bookkeeping.MergeSource && v.options.Bookkeeping(annotation)
}
