package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/values"
)

// foundReleases are the releases in the files of --local, and the files that they may be in or refer to.
type foundReleases struct {
	releases []*values.Release
	files    []pkgmerge.File
}

// findReleases returns the releases in the files of --local, nil if there is none. The files beside a manifest are read for the
// objects that it names.
func (v *valuesRun) findReleases(ctx context.Context, s streams) (*foundReleases, error) {
	if slices.Contains(v.local, "-") {
		return nil, nil
	}
	found, given, isDirectory := foundReleases{}, map[string]bool{}, false
	for _, name := range v.local {
		info, err := os.Stat(name)
		if err != nil {
			return nil, nil //nolint:nilerr // the file is read as values, with its own error
		}
		dir := name
		if isDirectory = isDirectory || info.IsDir(); !info.IsDir() {
			dir = filepath.Dir(name)
			given[name] = true
		}
		names, err := yamlFiles(dir, info.IsDir())
		if err != nil {
			return nil, err
		}
		if !info.IsDir() && !slices.Contains(names, filepath.Clean(name)) {
			names = append(names, name)
		}
		for _, file := range names {
			if !info.IsDir() && filepath.Clean(name) == file {
				file = name
			}
			given[file] = given[file] || info.IsDir()
			if slices.ContainsFunc(found.files, func(f pkgmerge.File) bool { return filepath.Clean(f.Name) == filepath.Clean(file) }) {
				continue
			}
			data, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			found.files = append(found.files, pkgmerge.File{Name: file, Data: data})
		}
	}
	releases, err := values.Releases(found.files)
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	found.releases = slices.DeleteFunc(releases, func(r *values.Release) bool { return !given[r.File] })
	switch {
	case len(found.releases) > 0:
		return &found, nil
	case isDirectory && len(v.local) > 1:
		return nil, fmt.Errorf("local: none of %s has a release of a chart; the versions of a chart are --origin and --upstream", strings.Join(v.local, ", "))
	case isDirectory:
		return nil, fmt.Errorf("local: %s is a directory, and no file of it has a release of a chart; name a file in it", strings.Join(v.local, ", "))
	}
	return nil, nil
}

// yamlFiles returns the YAML files of a directory, and with all those below it.
func yamlFiles(dir string, all bool) (names []string, err error) {
	err = filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		isHidden := strings.HasPrefix(entry.Name(), ".") && name != dir
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != dir && (!all || isHidden):
			return filepath.SkipDir
		case entry.Type().IsRegular() && !isHidden && slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(strings.TrimSuffix(name, ".gotmpl"))):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// runReleases compares the values of releases with the versions of their charts.
func (v *valuesRun) runReleases(ctx context.Context, found *foundReleases, outputs []reportfile.Output, s streams) error {
	if v.to != "" && v.upstream != "" {
		return misuse("--to and --upstream exclude each other")
	}
	charts := chartReader{v: v, s: s, read: map[string]*values.Chart{}}
	if err := v.chooseReleases(ctx, found, &charts); err != nil {
		return err
	}
	line := progress.New(s.err)
	defer line.Clear()
	compared, kept, versions := map[*values.Release]*values.Result{}, map[*values.Finding]bool{}, map[*values.Release]string{}
	for _, r := range found.releases {
		origin, upstream, version, err := charts.of(ctx, r)
		if err != nil {
			return err
		}
		if compared[r], err = r.Compare(origin, upstream); err != nil {
			return err
		}
		own, err := v.prove(ctx, compared[r])
		if err != nil {
			return err
		}
		maps.Copy(kept, own)
		versions[r] = version
	}
	for _, r := range found.releases {
		if compared[r.Base] != nil {
			r.Inherit(compared[r], compared[r.Base], kept)
		}
	}
	var results []*values.Result
	var changes []values.Replacement
	for _, r := range found.releases {
		edited, err := compared[r].Edits(v.prune, func(f *values.Finding) bool { return kept[f] })
		if err != nil {
			return err
		}
		own, err := r.Replacements(edited, versions[r])
		if err != nil && (v.write || v.diff || v.dir != "") {
			return err
		}
		r.Locate(compared[r])
		results, changes = append(results, compared[r]), append(changes, own...)
	}
	line.Clear()
	return v.writeReleases(ctx, found, results, changes, outputs, s)
}

// writeReleases writes the manifests and the reports.
func (v *valuesRun) writeReleases(ctx context.Context, found *foundReleases, results []*values.Result, changes []values.Replacement, outputs []reportfile.Output, s streams) error {
	var locals []localPackage
	var files, edited []pkgmerge.File
	for _, f := range found.files {
		if !slices.ContainsFunc(found.releases, func(r *values.Release) bool { return slices.Contains(r.Files(), f.Name) }) {
			continue
		}
		if lines := markerLines(f); lines != nil {
			return fmt.Errorf("%s:%d: the file has conflict markers of an earlier merge; settle and commit them first", f.Name, lines[0])
		}
		local, err := findLocal(ctx, source.File(f.Name), &v.output, s.err)
		if err != nil {
			return err
		}
		is, err := values.Replace(f, changes)
		if err != nil {
			return err
		}
		locals, files, edited = append(locals, local), append(files, f), append(edited, is)
	}
	if v.dir != "" && len(files) > 1 {
		return misuse("-o is for one file, and the release has %s; use --write or --diff", wording.Plural(len(files), "file"))
	}
	for _, r := range results {
		locate(r, files, locals)
	}
	return v.finish(ctx, results, locals, files, edited, outputs, s)
}

// chooseReleases leaves those releases that the new version is for. --to is for one chart.
func (v *valuesRun) chooseReleases(ctx context.Context, found *foundReleases, charts *chartReader) error {
	if v.upstream != "" && len(found.releases) > 1 {
		upstream, err := charts.chart(ctx, "upstream", v.upstream)
		if err != nil {
			return err
		}
		found.releases = slices.DeleteFunc(found.releases, func(r *values.Release) bool {
			name := path.Base(r.Chart)
			if dir := chartDirectory(r); dir != "" {
				chart, err := charts.chart(ctx, r.Name, dir)
				return err != nil || chart.Name != upstream.Name
			}
			return name != upstream.Name
		})
		if len(found.releases) == 0 {
			return misuse("--upstream: no release is of the chart %s", upstream.Name)
		}
	}
	var names []string
	for _, r := range found.releases {
		if !slices.Contains(names, r.Chart) {
			names = append(names, r.Chart)
		}
	}
	if v.to != "" && len(names) > 1 {
		return misuse("--to: the files have releases of several charts (%s); name a file of one", strings.Join(names, ", "))
	}
	return nil
}

// chartReader reads the charts of releases, each once.
type chartReader struct {
	v    *valuesRun
	s    streams
	read map[string]*values.Chart
}

// of returns the two versions of a release's chart, and the version to write, "" for none.
func (c *chartReader) of(ctx context.Context, r *values.Release) (origin, upstream *values.Chart, version string, err error) {
	if c.v.origin != "" {
		origin, err = c.chart(ctx, "origin", c.v.origin)
	} else if origin, err = c.version(ctx, r, r.Version); errors.Is(err, errNoRepository) && c.v.upstream != "" {
		if origin, err = c.chart(ctx, "upstream", c.v.upstream); err == nil {
			fmt.Fprintf(c.s.err, "%s: the repository of its chart is not in the files beside it, so the values are compared with --upstream alone\n", r.Name)
		}
		return origin, origin, "", err
	}
	if err != nil {
		return nil, nil, "", err
	}
	dir := chartDirectory(r)
	switch {
	case c.v.upstream != "":
		if upstream, err = c.chart(ctx, "upstream", c.v.upstream); err != nil {
			return nil, nil, "", err
		}
		if dir != "" { // which has its own version
			return origin, upstream, "", nil
		}
		return origin, upstream, upstream.Version, nil
	case c.v.to != "" && dir != "":
		return nil, nil, "", misuse("--to: %s: its chart is the directory %s, which has one version; give the new one with --upstream instead", r.Name, dir)
	case c.v.to != "":
		upstream, err = c.version(ctx, r, c.v.to)
		return origin, upstream, c.v.to, err
	}
	return origin, origin, "", nil
}

// chart reads a chart that a flag names.
func (c *chartReader) chart(ctx context.Context, side, text string) (*values.Chart, error) {
	if c.read[text] == nil {
		chart, err := readChart(ctx, side, text, c.s)
		if err != nil {
			return nil, err
		}
		c.read[text] = chart
	}
	return c.read[text], nil
}

// version reads a version of the chart of a release.
func (c *chartReader) version(ctx context.Context, r *values.Release, version string) (*values.Chart, error) {
	key := strings.Join([]string{r.Repository, r.Chart, version, chartDirectory(r)}, " ")
	if chart := c.read[key]; chart != nil {
		return chart, nil
	}
	from, err := chartSource(r, version)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	p, err := from.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	chart, err := values.NewChart(r.Chart, p.Files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	c.read[key] = chart
	return chart, nil
}

// errNoRepository means that the manifests name no repository of a chart.
var errNoRepository = errors.New("not in the files beside it")

// chartDirectory returns the directory of a release's chart, "" if the chart is in a repository.
func chartDirectory(r *values.Release) string {
	dir := filepath.Join(filepath.Dir(r.File), r.Repository, r.Chart)
	if info, err := os.Stat(dir); strings.Contains(r.Repository, "://") || r.IsGit || r.Chart == "" || err != nil || !info.IsDir() {
		return ""
	}
	return dir
}

// chartSource returns where a version of a release's chart is.
func chartSource(r *values.Release, version string) (source.Source, error) {
	if dir := chartDirectory(r); dir != "" {
		return source.Dir(dir), nil
	}
	switch {
	case !strings.Contains(r.Repository, "://") && !r.IsGit:
		return nil, fmt.Errorf("the repository of the chart %q is %w; give the charts with --origin and --upstream", cmp.Or(r.Chart, r.Repository), errNoRepository)
	case version == "":
		return nil, fmt.Errorf("the manifest has no version of the chart %s; give it with --origin", r.Chart)
	case strings.ContainsAny(version, "*<>^~ ,|") || strings.HasSuffix(version, ".x"):
		return nil, fmt.Errorf("%q is a range of versions of the chart %s; give the version that is installed with --origin", version, r.Chart)
	case r.IsGit:
		return source.Parse(strings.TrimSuffix(r.Repository, "/")+"//"+strings.TrimPrefix(path.Clean(r.Chart), "/")+"@"+version, nil)
	}
	return source.HelmChart{Repository: r.Repository, Name: r.Chart, Version: version}, nil
}
