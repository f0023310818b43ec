package values

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// maxCharts is the depth of charts within charts above which it is an error.
const maxCharts = 10

// maxSubcharts is the size of all files in archives of subcharts, in bytes, above which it is an error.
const maxSubcharts = 256 << 20

// Chart is a version of a Helm chart, or a plain values file in its place.
type Chart struct {
	// Name and Version are Chart.yaml's; Name is the file's for a plain values file.
	Name, Version string
	// isFile says that it is a plain values file, without templates.
	isFile bool

	values, schema []byte
	isLibrary      bool
	annotations    tree
	templates      []template
	texts          []string // of other files that may be templates
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
	if len(files) == 1 && files[0].Name == "Chart.yaml" && path.Base(name) == "Chart.yaml" {
		return nil, fmt.Errorf("%s: a Chart.yaml has no values: give the directory of the chart, or its values.yaml", name)
	}
	if len(files) == 1 && isValuesFile(name, files[0].Name) {
		return &Chart{Name: path.Base(name), isFile: true, values: files[0].Data}, nil
	}
	room := maxSubcharts
	c, err := readChart(files, maxCharts, &room)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c.files = files
	return c, nil
}

// isValuesFile reports whether the only file of a version is one of values, and not a README that is left of a chart.
func isValuesFile(version, name string) bool {
	return name != "Chart.yaml" && (path.Base(version) == name || slices.Contains([]string{"", ".yaml", ".yml", ".json"}, path.Ext(name)))
}

// readChart reads a chart and those below its directory charts. The files of archives there have room for some bytes together.
func readChart(files []pkgmerge.File, depth int, room *int) (*Chart, error) {
	if depth == 0 {
		return nil, fmt.Errorf("charts are nested more than %d times", maxCharts)
	}
	r := chartReader{chart: &Chart{}, room: room, below: map[string][]pkgmerge.File{}}
	for _, f := range files {
		if err := r.read(f); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	if !r.found {
		return nil, fmt.Errorf("no Chart.yaml: give a chart's directory or archive, or a values file")
	}
	c := r.chart
	c.Name, c.Version, c.isLibrary, c.dependencies = r.about.Name, r.about.Version, r.about.Type == "library", r.about.Dependencies
	c.annotations = r.about.Annotations
	for _, name := range slices.Sorted(maps.Keys(r.below)) {
		sub, err := readChart(r.below[name], depth-1, room)
		if err != nil {
			return nil, fmt.Errorf("charts/%s: %w", name, err)
		}
		c.subcharts = append(c.subcharts, sub)
	}
	return c, nil
}

// chartReader reads the files of a chart.
type chartReader struct {
	chart *Chart
	about struct {
		Name, Version, Type string
		Annotations         map[string]any
		Dependencies        []dependency
	}
	// found reports whether there is a Chart.yaml.
	found bool
	// below are the files of the subcharts, by the names of their directories or archives.
	below map[string][]pkgmerge.File
	// room is the number of bytes that the files of archives may still have.
	room *int
}

// read reads a file of the chart. A link is no file of it.
func (r *chartReader) read(f pkgmerge.File) error {
	top, rest, _ := strings.Cut(f.Name, "/")
	switch {
	case f.Mode&fs.ModeSymlink != 0:
	case f.Name == "Chart.yaml", f.Name == "requirements.yaml":
		r.found = r.found || f.Name == "Chart.yaml"
		return yaml.Unmarshal(f.Data, &r.about)
	case f.Name == "values.yaml":
		r.chart.values = f.Data
	case f.Name == "values.schema.json":
		r.chart.schema = f.Data
	case top == "templates":
		r.chart.templates = append(r.chart.templates, template{f.Name, string(f.Data)})
	case top == "charts" && source.IsArchive(rest) && !strings.Contains(rest, "/"):
		unpacked, err := source.Unpack(f.Data)
		for _, one := range unpacked {
			*r.room -= len(one.Data)
		}
		if err == nil && *r.room < 0 {
			err = fmt.Errorf("the archives of subcharts have more than %d MiB together", maxSubcharts>>20)
		}
		r.below[rest] = unpacked
		return err
	case top == "charts":
		r.readBelow(f, rest)
	case bytes.Contains(f.Data, []byte("{{")):
		r.chart.texts = append(r.chart.texts, string(f.Data))
	}
	return nil
}

// readBelow reads a file of a subchart by its name below charts. Helm leaves out directories with a dot or an underscore
// in front.
func (r *chartReader) readBelow(f pkgmerge.File, rest string) {
	if dir, name, is := strings.Cut(rest, "/"); is && !strings.HasPrefix(dir, ".") && !strings.HasPrefix(dir, "_") {
		f.Name = name
		r.below[dir] = append(r.below[dir], f)
	}
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
