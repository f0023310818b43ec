package review

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/values"
)

// Renderer returns the resources of a release's chart with the release's values, as helm template writes them.
type Renderer func(r *values.Release, c *values.Chart, name, namespace string) ([]byte, error)

// layerFields are the fields of a kustomization that are layers.
func layerFields() []string {
	return []string{"patches", "patchesStrategicMerge", "patchesJson6902", "images", "replicas", "replacements"}
}

// hasLayers reports whether a kustomization has a field that is a layer.
func hasLayers(k kustomize.Kustomization) bool {
	return slices.ContainsFunc(layerFields(), func(field string) bool { return len(k.Entries(field)) > 0 })
}

// objectOf returns the object of a kind and name in a file, nil if there is none.
func objectOf(in kustomize.Files, file, kind, name string) *yamlnodes.Node {
	all, _ := kustomize.Parse(in, file) // a file that cannot be parsed has no objects
	for _, n := range all {
		if m := yamlnode.MetaOf(n); m.Kind == kind && m.Name == name {
			return n
		}
	}
	return nil
}

// rendered is what lies over the render of a release's chart, and the name and namespace for the render.
type rendered struct {
	name, namespace string
	// postRenderers lie over the render, one over the other; roots are the directories that build it, where a kustomization has the chart.
	postRenderers []kustomize.Kustomization
	roots         []string
}

// renderedOf returns the layers over the render of a release's chart: the postRenderers of a HelmRelease, or those of the kustomization with
// the chart and of all that include it.
func renderedOf(in kustomize.Files, r *values.Release) (over rendered) {
	if kustomize.FileOf(in, path.Dir(r.File)) == r.File {
		graph := kustomize.Graph{Files: in}
		for _, dir := range graph.At(path.Dir(r.File)) {
			if k, err := kustomize.Read(in, dir); err == nil && (hasLayers(k) || len(k.Entries("components")) > 0) {
				over.roots = graph.Roots(path.Dir(r.File))
			}
		}
		k, _ := kustomize.Read(in, path.Dir(r.File)) // what cannot be parsed has no releases
		for _, n := range chartsIn(k, r) {
			over.name, over.namespace = yamlnode.TextAt(n, "releaseName"), yamlnode.TextAt(n, "namespace")
		}
		return over
	}
	called, isRelease := strings.CutPrefix(r.Name, "HelmRelease ")
	object := objectOf(in, r.File, "HelmRelease", called)
	if !isRelease || object == nil {
		return over
	}
	for _, n := range yamlnode.Elements(yamlnode.Lookup(object, "spec", "postRenderers")) {
		k := kustomize.Kustomization{File: r.File, Dir: path.Dir(r.File), Node: yamlnode.Field(n, "kustomize"), Tree: in, IsOwn: true}
		if k.Node != nil && hasLayers(k) {
			over.postRenderers = append(over.postRenderers, k)
		}
	}
	over.namespace = yamlnode.TextAt(object, "spec", "targetNamespace")
	over.name = cmp.Or(yamlnode.TextAt(object, "spec", "releaseName"), strings.TrimPrefix(over.namespace+"-"+called, "-"))
	over.namespace = cmp.Or(over.namespace, yamlnode.TextAt(object, "metadata", "namespace"))
	return over
}

// chartsIn returns the entries of a kustomization's helmCharts that are a release's chart.
func chartsIn(k kustomize.Kustomization, r *values.Release) []*yamlnodes.Node {
	return slices.DeleteFunc(slices.Clone(k.Entries("helmCharts")), func(n *yamlnodes.Node) bool { return yamlnode.TextAt(n, "name") != r.Chart })
}

// compareRendered judges the layers over what a release's chart renders to.
func (b *Bump) compareRendered(is *values.Release, charts [2]*values.Chart, from Upstream) error {
	over := renderedOf(b.now, is)
	if len(over.postRenderers)+len(over.roots) == 0 {
		return nil
	}
	if from.Render == nil {
		b.Notes = append(b.Notes, "the patches over the render of the chart are not judged: give --render, and have helm in PATH")
		return nil
	}
	return b.judge(from, func(on *kustomize.Builder) error {
		text, err := from.Render(is, charts[on.Side], over.name, over.namespace)
		if err != nil {
			return err
		}
		nodes, err := yamlnode.Documents(text)
		if err != nil {
			return fmt.Errorf("the render of the chart: %w", err)
		}
		items := kustomize.Items(nodes)
		for _, i := range items {
			i.IsBumped = true
		}
		on.Charts = func(k kustomize.Kustomization) ([]*kustomize.Item, int, error) {
			if k.File != is.File {
				return nil, 0, nil
			}
			return items, len(chartsIn(k, is)), nil
		}
		for _, k := range over.postRenderers {
			if items, err = on.Transform(k, items); err != nil {
				return err
			}
		}
		return on.Directories(b.now, over.roots)
	})
}

// findSources returns the bumps of sources of Flux Kustomizations and of Applications that are no charts, with layers over them.
func findSources(old, now kustomize.Files, names []string) (found []*Bump, err error) {
	all, err := beside(now, names, sources(now, names))
	if err != nil {
		return nil, err
	}
	before, after := virtuals(old, all), virtuals(now, all)
	for at, is := range after {
		was, found1 := before[at]
		if !found1 || was.entry == is.entry || !hasLayers(is.k) {
			continue
		}
		b := &Bump{Name: is.name, File: is.k.File, Old: was.version, New: is.version}
		if was.version == is.version { // another repository or directory
			b.Old, b.New = was.entry, is.entry
		}
		b.compare = func(from Upstream) error {
			return b.judge(from, func(on *kustomize.Builder) error {
				on.Version = func(kustomize.Kustomization, string) (string, bool) {
					return [2]string{was.entry, is.entry}[on.Side], true
				}
				_, err := on.Over(is.k, is.entry)
				return err
			})
		}
		found = append(found, b)
	}
	slices.SortFunc(found, func(a, b *Bump) int { return strings.Compare(a.File+a.Name, b.File+b.Name) })
	return found, nil
}

// virtual is an object that builds a base of another repository, and has the fields of a kustomization.
type virtual struct {
	name, version, entry string
	versionAt            *yamlnodes.Node
	k                    kustomize.Kustomization
}

// virtuals returns the Flux Kustomizations and Applications in some files that build a base of a repository, by their files and names.
func virtuals(in kustomize.Files, names []string) map[string]virtual {
	out := map[string]virtual{}
	sources := map[[2]string]*yamlnodes.Node{}
	var objects []virtual
	for _, name := range names {
		if !in.Has(name) {
			continue
		}
		all, _ := kustomize.Parse(in, name) // what cannot be parsed is named with its releases
		for _, n := range all {
			m := yamlnode.MetaOf(n)
			sources[[2]string{m.Kind, m.Name}] = n
			objects = append(objects, virtual{name: m.Kind + " " + m.Name, k: kustomize.Kustomization{File: name, Dir: path.Dir(name), Node: n, Tree: in, IsOwn: true}})
		}
	}
	for _, v := range objects {
		n := v.k.Node
		switch m := yamlnode.MetaOf(n); {
		case m.Kind == "Kustomization" && m.Group() == "kustomize.toolkit.fluxcd.io":
			v.k.Node = yamlnode.Field(n, "spec")
			v.setSource(sources[[2]string{yamlnode.TextAt(n, "spec", "sourceRef", "kind"), yamlnode.TextAt(n, "spec", "sourceRef", "name")}])
			v.add(out, 0)
		case (m.Kind == "Application" || m.Kind == "ApplicationSet") && m.Group() == "argoproj.io":
			spec := yamlnode.Field(n, "spec")
			if template := yamlnode.Lookup(spec, "template", "spec"); template != nil {
				spec = template
			}
			for i, source := range append([]*yamlnodes.Node{yamlnode.Field(spec, "source")}, yamlnode.Elements(yamlnode.Field(spec, "sources"))...) {
				if field := yamlnode.Field(source, "kustomize"); field != nil {
					v.setVersion(yamlnode.Field(source, "targetRevision"))
					v.k.Node = kustomize.OfApplication(field)
					v.entry = remoteEntry(yamlnode.TextAt(source, "repoURL"), yamlnode.TextAt(source, "path"), v.version)
					v.add(out, i)
				}
			}
		}
	}
	return out
}

// versionsOf returns the versions of repositories in the Applications and sources of Flux in a file.
func versionsOf(in kustomize.Files, name string) (at []*yamlnodes.Node) {
	for _, v := range virtuals(in, []string{name}) {
		if strings.HasPrefix(v.name, "Application") {
			at = append(at, v.versionAt)
		}
	}
	all, _ := kustomize.Parse(in, name) // what cannot be parsed is named with its releases
	for _, n := range all {
		var v virtual
		if v.setSource(n); v.versionAt != nil {
			at = append(at, v.versionAt)
		}
	}
	return at
}

// add adds a virtual kustomization, the one of a number in its object, if its version is known.
func (v virtual) add(to map[string]virtual, number int) {
	if v.version != "" {
		to[fmt.Sprint(v.k.File, "\x00", v.name, "\x00", number)] = v
	}
}

func (v *virtual) setVersion(at *yamlnodes.Node) { v.version, v.versionAt = yamlnode.Text(at), at }

// setSource sets the base of a Kustomization of Flux, with the version that wins in Flux's order. A range of versions is none.
func (v *virtual) setSource(source *yamlnodes.Node) {
	base := yamlnode.TextAt(source, "spec", "url")
	ref := yamlnode.Lookup(source, "spec", "ref")
	dir := strings.Trim(path.Clean("/"+yamlnode.TextAt(v.k.Node, "path")), "/")
	switch kind := yamlnode.MetaOf(source).Kind; {
	case kind != "GitRepository" && kind != "OCIRepository":
	case yamlnode.TextAt(ref, "semver") != "" && yamlnode.TextAt(ref, "commit")+yamlnode.TextAt(ref, "digest") == "":
	case kind == "OCIRepository":
		v.setVersion(cmp.Or(yamlnode.Field(ref, "digest"), yamlnode.Field(ref, "tag")))
		v.entry = base + map[bool]string{true: "@", false: ":"}[yamlnode.TextAt(ref, "digest") != ""] + v.version + "//" + dir
	default:
		v.setVersion(cmp.Or(yamlnode.Field(ref, "commit"), yamlnode.Field(ref, "tag"), yamlnode.Field(ref, "branch")))
		v.entry = remoteEntry(base, dir, v.version)
	}
}

// remoteEntry returns a directory of a repository as an entry of a kustomization's resources.
func remoteEntry(repository, dir, version string) string {
	return strings.TrimSuffix(repository, "/") + "//" + strings.Trim(path.Clean("/"+dir), "/") + "?ref=" + url.QueryEscape(version)
}
