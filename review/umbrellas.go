package review

import (
	"fmt"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

// umbrella is a chart of the user whose dependencies are other people's charts. Its values files are layers over theirs.
type umbrella struct {
	dir          string
	in           kustomize.Files
	dependencies []dependency
}

// dependency is an entry of the dependencies in Chart.yaml.
type dependency struct{ Name, Alias, Version, Repository string }

// dependenciesOf returns the entries of the dependencies in a Chart.yaml or its lock.
func dependenciesOf(data []byte) []*yamlnodes.Node {
	all, _ := yamlnode.Documents(data) // what cannot be parsed has none
	if len(all) == 0 {
		return nil
	}
	return yamlnode.Elements(yamlnode.Field(all[0], "dependencies"))
}

// readUmbrella reads a chart of a directory with the versions of its lock, nil if there is none with dependencies.
func readUmbrella(in kustomize.Files, dir string) *umbrella {
	read := func(name string) (all []dependency) {
		if name = path.Join(dir, name); !in.Has(name) {
			return nil
		}
		data, _ := in.Read(name) // what cannot be read has no dependencies
		for _, n := range dependenciesOf(data) {
			all = append(all, dependency{yamlnode.TextAt(n, "name"), yamlnode.TextAt(n, "alias"), yamlnode.TextAt(n, "version"), yamlnode.TextAt(n, "repository")})
		}
		return all
	}
	u := &umbrella{dir: dir, in: in, dependencies: read("Chart.yaml")}
	locked := read("Chart.lock")
	for i, d := range u.dependencies {
		if len(locked) == len(u.dependencies) && locked[i].Name == d.Name && locked[i].Repository == d.Repository {
			u.dependencies[i].Version = locked[i].Version
		}
	}
	if len(u.dependencies) == 0 {
		return nil
	}
	return u
}

// findUmbrellas returns the bumps of dependencies of charts (rules/review: bumps).
func findUmbrellas(old, now kustomize.Files, names []string) (found []*Bump, err error) {
	var dirs []string
	for _, name := range names {
		if base := path.Base(name); base == "Chart.yaml" || base == "Chart.lock" {
			dirs = append(dirs, path.Dir(name))
		}
	}
	for _, dir := range slices.Compact(dirs) {
		was, is := readUmbrella(old, dir), readUmbrella(now, dir)
		if was == nil || is == nil {
			continue
		}
		b := &Bump{Name: "chart " + path.Base(dir), File: path.Join(dir, "Chart.yaml")}
		var before, after, bumped []string
		for _, d := range is.dependencies {
			at := slices.IndexFunc(was.dependencies, func(o dependency) bool { return o.Name == d.Name && o.Alias == d.Alias })
			if at >= 0 && was.dependencies[at] != d {
				before, after, bumped = append(before, d.Name+" "+was.dependencies[at].Version), append(after, d.Name+" "+d.Version), append(bumped, d.Name)
			}
		}
		if len(before) == 0 {
			continue
		}
		b.Old, b.New = strings.Join(before, ", "), strings.Join(after, ", ")
		variants, err := is.variants(b)
		if err != nil {
			return nil, err
		}
		if len(variants) == 0 {
			continue
		}
		found = append(found, valuesBump(b, variants, nil, func(_ variant, from Upstream) (origin, upstream *values.Chart, err error) {
			if origin, err = was.chart(from, bumped); err != nil {
				return nil, nil, err
			}
			upstream, err = is.chart(from, bumped)
			return origin, upstream, err
		}))
	}
	return found, nil
}

// isValues reports whether a file of the chart is one of values, such as values.yaml or values-prod.yaml.
func (u *umbrella) isValues(name string) bool {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return path.Dir(name) == u.dir && kustomize.IsYAML(name) && (strings.HasPrefix(base, "values") || strings.HasSuffix(base, "values"))
}

// variants are values.yaml alone, or with each other values file of the chart above it.
func (u *umbrella) variants(b *Bump) (all []variant, err error) {
	names := []string{""}
	for name := range u.in.IDs {
		if u.isValues(name) && path.Base(name) != "values.yaml" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		files, err := readFiles(u.in, []string{path.Join(u.dir, "values.yaml"), name})
		if err != nil {
			return nil, err
		}
		if len(files) > 0 {
			r := values.NewRelease(b.Name, b.File, files)
			all = append(all, variant{r, r})
		}
	}
	return all, nil
}

// chart returns the chart with its dependencies, without its own values: these are the layer. A dependency may be missing if it is not
// bumped.
func (u *umbrella) chart(from Upstream, bumped []string) (*values.Chart, error) {
	files, err := u.files(u.dir)
	if err != nil {
		return nil, err
	}
	c, err := values.NewChart(u.dir, slices.DeleteFunc(files, func(f pkgmerge.File) bool { return u.isValues(path.Join(u.dir, f.Name)) }))
	if err != nil {
		return nil, err
	}
	var below []*values.Chart
	for i, d := range u.dependencies {
		if slices.ContainsFunc(u.dependencies[:i], func(o dependency) bool { return o.Name == d.Name && o.Version != d.Version }) {
			return nil, fmt.Errorf("two versions of the chart %s are dependencies", d.Name)
		}
		var sub *values.Chart
		switch dir, isLocal := strings.CutPrefix(d.Repository, "file://"); {
		case d.Repository == "", slices.ContainsFunc(u.dependencies[:i], func(o dependency) bool { return o.Name == d.Name }):
			continue // in the directory charts, or above
		case isLocal:
			files, err := u.files(path.Join(u.dir, dir))
			if err != nil {
				return nil, err
			}
			if sub, err = values.NewChart(dir, files); err != nil {
				return nil, err
			}
		default:
			r := values.Release{Name: "chart " + d.Name, File: path.Join(u.dir, "Chart.yaml"), Repository: d.Repository, Chart: d.Name, Version: d.Version}
			if sub, err = from.Charts(&r); err != nil && slices.Contains(bumped, d.Name) {
				return nil, err
			} else if err != nil {
				continue
			}
		}
		below = append(below, sub)
	}
	return c.With(below...), nil
}

// files returns the files of a directory's chart, those of charts below it only where they have no other place.
func (u *umbrella) files(dir string) (files []pkgmerge.File, err error) {
	var names []string
	prefix := strings.TrimPrefix(dir+"/", "./")
	for name := range u.in.IDs {
		rest, is := strings.CutPrefix(name, prefix)
		fetched := slices.ContainsFunc(u.dependencies, func(d dependency) bool {
			return d.Repository != "" && (strings.HasPrefix(rest, "charts/"+d.Name+"/") || strings.HasPrefix(rest, "charts/"+d.Name+"-"))
		})
		if is && !(dir == u.dir && fetched) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	files, err = readFiles(u.in, names)
	for i := range files {
		files[i].Name = strings.TrimPrefix(files[i].Name, prefix)
	}
	return files, err
}
