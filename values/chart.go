package values

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// maxCharts is the depth of charts within charts above which it is an error.
const maxCharts = 10

// Chart is a version of a Helm chart, or a plain values file in its place.
type Chart struct {
	// Name and Version are Chart.yaml's; Name is the file's for a plain values file.
	Name, Version string
	// isFile says that it is a plain values file, without templates.
	isFile bool

	values, schema []byte
	isLibrary      bool
	templates      []template
	dependencies   []dependency
	subcharts      []*Chart
	files          []pkgmerge.File
}

// template is a template of a chart, also NOTES.txt.
type template struct{ name, text string }

// dependency is an entry of the dependencies in Chart.yaml.
type dependency struct {
	Name         string
	Alias        string
	Condition    string
	Tags         []string
	ImportValues []any `json:"import-values"`
}

// key is the field of the values that the dependency reads.
func (d dependency) key() string { return cmp.Or(d.Alias, d.Name) }

// NewChart returns the chart that consists of files: its directory, or one values file. name names it in errors.
func NewChart(name string, files []pkgmerge.File) (*Chart, error) {
	if len(files) == 1 && files[0].Name != "Chart.yaml" {
		return &Chart{Name: path.Base(name), isFile: true, values: files[0].Data}, nil
	}
	c, err := readChart(files, maxCharts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.files = files
	return c, nil
}

// readChart reads a chart and those below its directory charts.
func readChart(files []pkgmerge.File, depth int) (*Chart, error) {
	if depth == 0 {
		return nil, fmt.Errorf("charts are nested more than %d times", maxCharts)
	}
	var about struct {
		Name, Version, Type string
		Dependencies        []dependency
	}
	c := &Chart{}
	below := map[string][]pkgmerge.File{}
	found := false
	for _, f := range files {
		top, rest, _ := strings.Cut(f.Name, "/")
		switch {
		case f.Mode&fs.ModeSymlink != 0:
		case f.Name == "Chart.yaml", f.Name == "requirements.yaml":
			found = found || f.Name == "Chart.yaml"
			if err := yaml.Unmarshal(f.Data, &about); err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
		case f.Name == "values.yaml":
			c.values = f.Data
		case f.Name == "values.schema.json":
			c.schema = f.Data
		case top == "templates":
			c.templates = append(c.templates, template{f.Name, string(f.Data)})
		case top == "charts" && source.IsArchive(rest) && !strings.Contains(rest, "/"):
			unpacked, err := source.Unpack(f.Data)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.Name, err)
			}
			below[rest] = unpacked
		case top == "charts":
			if dir, name, is := strings.Cut(rest, "/"); is && !strings.HasPrefix(dir, ".") && !strings.HasPrefix(dir, "_") {
				f.Name = name
				below[dir] = append(below[dir], f)
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("no Chart.yaml: give a chart's directory or archive, or a values file")
	}
	c.Name, c.Version, c.isLibrary, c.dependencies = about.Name, about.Version, about.Type == "library", about.Dependencies
	names := make([]string, 0, len(below))
	for name := range below {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		sub, err := readChart(below[name], depth-1)
		if err != nil {
			return nil, fmt.Errorf("charts/%s: %w", name, err)
		}
		c.subcharts = append(c.subcharts, sub)
	}
	return c, nil
}

// child is a subchart as one field of the values reads it.
type child struct {
	key string
	dependency
	chart *Chart
}

// children returns the subcharts by the keys of their values, each alias on its own, and keys of dependencies whose
// chart is not there.
func (c *Chart) children() (found []child, missing []string) {
	named := map[*Chart]bool{}
	for _, d := range c.dependencies {
		at := slices.IndexFunc(c.subcharts, func(s *Chart) bool { return s.Name == d.Name })
		if at < 0 {
			missing = append(missing, d.key())
			continue
		}
		named[c.subcharts[at]] = true
		found = append(found, child{d.key(), d, c.subcharts[at]})
	}
	for _, s := range c.subcharts {
		if !named[s] {
			found = append(found, child{s.Name, dependency{Name: s.Name}, s})
		}
	}
	return found, missing
}
