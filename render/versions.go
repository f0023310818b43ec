package render

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// hookAnnotation is the annotation of the resources that helm runs at a time of its own.
const hookAnnotation = "helm.sh/hook"

// Renders are the renders of two versions, to be merged into a copy.
type Renders struct {
	// Origin and Upstream are the versions as they are to be merged.
	Origin, Upstream pkgmerge.Package
	// Renames are the resources that upstream moved to another namespace.
	Renames []identity.Rename

	file  string // the name of the renders' one file
	hooks []string
	// crds are upstream's CustomResourceDefinitions, and gone are origin's that upstream lacks.
	crds, gone []string
	names      []renaming
	random     map[*pkgmerge.Resource][]randomField
}

// Versions renders the version from which a copy was made and a new one, each twice (rules/update: renders).
// o are the options of the merge.
func Versions(ctx context.Context, origin, upstream Program, local pkgmerge.Package, o pkgmerge.Options) (*Renders, error) {
	r := &Renders{file: fileOf(local), random: map[*pkgmerge.Resource][]randomField{}}
	var both [2]renderPair
	for i, program := range [2]Program{origin, upstream} {
		if i > 0 && slices.Equal(program.Arguments, origin.Arguments) {
			both[i] = both[0]
			continue
		}
		for n := range both[i] {
			if o.Progress != nil {
				o.Progress("renders", 2*i+n, len(both)*len(both[i]))
			}
			var err error
			if both[i][n], err = r.render(ctx, program); err != nil {
				return nil, err
			}
		}
	}
	if err := r.sameNames(&both, local); err != nil {
		return nil, err
	}
	r.Origin, r.Upstream = both[0][0], both[1][0]
	r.Renames = moves(r.Origin, r.Upstream)
	r.crds = definitions(r.Upstream)
	r.gone = slices.DeleteFunc(definitions(r.Origin), func(name string) bool { return slices.Contains(r.crds, name) })
	return r, r.keepRandom(ctx, both, local, o)
}

// render runs a program and reads its resources.
func (r *Renders) render(ctx context.Context, program Program) (p pkgmerge.Package, err error) {
	text, err := program.run(ctx)
	if err != nil {
		return p, err
	}
	if p, err = r.parse(text); err != nil {
		return p, program.fault(err, nil)
	}
	if p, err = r.withoutHooks(p); err != nil {
		return p, program.fault(err, nil)
	}
	return p, nil
}

// fileOf returns the file of local's resources if there is one alone: the renders are versions of it. Else it is a name of
// their own.
func fileOf(local pkgmerge.Package) (name string) {
	const other = "render.yaml"
	for _, r := range local.Resources {
		isYAML := path.Ext(r.File) == ".yaml" || path.Ext(r.File) == ".yml"
		switch {
		case r.Meta.Kind == "" || path.Base(r.File) == "Kptfile":
		case !isYAML || name != "" && name != r.File:
			return other
		default:
			name = r.File
		}
	}
	return cmp.Or(name, other)
}

// definitions returns the names of the CustomResourceDefinitions of a render.
func definitions(p pkgmerge.Package) (names []string) {
	for _, r := range p.Resources {
		if r.Meta.Kind == "CustomResourceDefinition" {
			names = append(names, r.Meta.Kind+" "+r.Meta.Name)
		}
	}
	return names
}

// renderPair has two renders of one version.
type renderPair [2]pkgmerge.Package

// parse reads a stream of resources. The items of a List are resources of their own.
func (r *Renders) parse(text []byte) (p pkgmerge.Package, err error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return p, errors.New("it wrote nothing")
	}
	if p, err = r.newPackage(text); err == nil {
		p, err = p.OnlyResources()
	}
	if err != nil {
		return p, fmt.Errorf("its output is no stream of resources: %w", err)
	}
	texts, hasLists, err := flattened(p.Resources)
	if err != nil {
		return p, err
	}
	if len(texts) == 0 {
		return p, errors.New("its output has no resource")
	}
	if hasLists {
		return r.newPackage(joined(texts))
	}
	return p, nil
}

// flattened returns the texts of resources, with the items of Lists in place of the Lists, and whether there are some.
func flattened(resources []*pkgmerge.Resource) (texts [][]byte, hasLists bool, err error) {
	for _, resource := range resources {
		if resource.Meta.Kind == "" {
			return nil, false, fmt.Errorf("its output is no stream of resources: the document in line %d has no kind", resource.Item().Line)
		}
		all := []*pkgmerge.Resource{resource}
		if resource.Meta.Kind == "List" && resource.Meta.APIVersion == "v1" {
			hasLists = true
			if all, err = itemsOf(resource); err != nil {
				return nil, false, err
			}
		}
		for _, one := range all {
			text, err := one.YAML()
			if err != nil {
				return nil, false, err
			}
			texts = append(texts, text)
		}
	}
	return texts, hasLists, nil
}

func itemsOf(list *pkgmerge.Resource) (items []*pkgmerge.Resource, err error) {
	tree, err := list.Tree()
	if err != nil {
		return nil, err
	}
	for i, item := range yamlnode.Elements(yamlnode.Field(tree, "items")) {
		items = append(items, pkgmerge.NewResource(list.File, i, item))
	}
	return items, nil
}

func (r *Renders) newPackage(text []byte) (pkgmerge.Package, error) {
	p, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: r.file, Mode: 0o644, Data: text}})
	p.IsStream = true
	return p, err
}

func joined(texts [][]byte) []byte {
	return append([]byte("---\n"), bytes.Join(texts, []byte("---\n"))...)
}

// withoutHooks returns a render without the hooks of helm, whose names it notes, and without a resource that
// equals one before it.
func (r *Renders) withoutHooks(p pkgmerge.Package) (pkgmerge.Package, error) {
	var texts [][]byte
	before := map[identity.ID]*pkgmerge.Resource{}
	for _, resource := range p.Resources {
		if isSame(before[resource.ID()], resource) {
			continue
		}
		before[resource.ID()] = resource
		if when := resource.Item().Annotation(hookAnnotation); when != "" {
			if hook := fmt.Sprintf("%s %s (%s)", resource.Meta.Kind, resource.Meta.Name, when); !slices.Contains(r.hooks, hook) {
				r.hooks = append(r.hooks, hook)
			}
			continue
		}
		text, err := resource.YAML()
		if err != nil {
			return p, err
		}
		texts = append(texts, text)
	}
	switch len(texts) {
	case len(p.Resources):
		return p, nil
	case 0:
		return p, errors.New("its output has hooks alone")
	}
	return r.newPackage(joined(texts))
}

// Notices returns notices about the renders for the result of their merge.
func (r *Renders) Notices(result *pkgmerge.Result) (notices []pkgmerge.Notice, err error) {
	notices = append(listed("hooks of helm, left out: ", r.hooks), listed("definitions of the render, to apply first: ", r.crds)...)
	for _, n := range listed("definitions that the new render lacks, whose objects go with them: ", r.gone) {
		n.Warning = true
		notices = append(notices, n)
	}
	for _, n := range r.names {
		notices = append(notices, pkgmerge.Notice{Text: n.String()})
	}
	for _, c := range result.Changes {
		for _, field := range r.fieldsOf(c) {
			if c.Has(identity.Local) || c.Result != nil {
				notices = append(notices, pkgmerge.Notice{Change: c, Text: field.String()})
			}
		}
	}
	checksums, err := r.checksums(result)
	return append(notices, checksums...), err
}

// isSame reports whether two resources are equal. The first may be nil.
func isSame(a, b *pkgmerge.Resource) bool {
	if a == nil {
		return false
	}
	x, err := a.Tree()
	y, wrong := b.Tree()
	return err == nil && wrong == nil && merge.Same(x, y)
}

// listed returns notices with a list of names, each as long as a report shows it.
func listed(what string, names []string) (notices []pkgmerge.Notice) {
	const most = 150
	for at := 0; at < len(names); {
		text := what + names[at]
		for at++; at < len(names) && len(text)+len(names[at]) < most; at++ {
			text += ", " + names[at]
		}
		notices = append(notices, pkgmerge.Notice{Text: text})
	}
	return notices
}

// fieldsOf returns the fields of a resource that two renders of one version have differently.
func (r *Renders) fieldsOf(c *pkgmerge.Change) []randomField {
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if fields := r.random[c.Versions[side]]; fields != nil && c.Versions[side] != nil {
			return fields
		}
	}
	return nil
}

// clone returns a copy of a resource's tree.
func clone(r *pkgmerge.Resource) (*yaml.Node, error) {
	tree, err := r.Tree()
	if err != nil {
		return nil, err
	}
	return yamlnode.Clone(tree), nil
}
