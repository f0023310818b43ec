package main

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/values"
)

// renderRelease renders the chart of a bump's release with its values, which a file must be among: patches of overlays are not.
func renderRelease(u *upstreams, b *review.Bump, in review.Files, file string) ([]byte, error) {
	if path.Base(b.File) == "Chart.yaml" {
		return renderUmbrella(u, b, in, file)
	}
	var files []pkgmerge.File
	for name := range in.IDs {
		if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
			continue
		}
		isNear := path.Dir(name) == path.Dir(b.File) || slices.ContainsFunc(b.Lines, func(l *review.Line) bool { return l.File == name })
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		isSource := strings.Contains(string(data), "kind: HelmRepository") || strings.Contains(string(data), "kind: OCIRepository") || strings.Contains(string(data), "kind: GitRepository")
		if strings.HasSuffix(name, "ml") && (isNear || isSource) {
			if _, err := values.Releases([]pkgmerge.File{{Name: name, Data: data}}); err == nil {
				files = append(files, pkgmerge.File{Name: name, Data: data})
			}
		}
	}
	slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	releases, err := values.Releases(files)
	if err != nil {
		return nil, err
	}
	for _, r := range releases {
		if r.Name != b.Name || r.File != b.File {
			continue
		}
		if !slices.Contains(r.Files(), file) {
			return nil, errors.New("the line is not in the release's own values")
		}
		chart, err := u.chart(r)
		if err != nil {
			return nil, err
		}
		return render(u.files[chart], r.Values())
	}
	return nil, errors.New("no such release")
}

// renderUmbrella renders a chart with the dependencies that have clones, its values.yaml, and one more values file above it.
func renderUmbrella(u *upstreams, b *review.Bump, in review.Files, file string) ([]byte, error) {
	var files, user []pkgmerge.File
	common := path.Join(path.Dir(b.File), "values.yaml")
	for name := range in.IDs {
		rest, is := strings.CutPrefix(name, path.Dir(b.File)+"/")
		if !is {
			continue
		}
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		switch {
		case name == common || name == file:
			user = append(user, pkgmerge.File{Name: name, Data: data})
		case strings.Contains(rest, "/") || rest == "Chart.yaml":
			files = append(files, pkgmerge.File{Name: rest, Data: data})
		}
	}
	slices.SortFunc(user, func(a, b pkgmerge.File) int {
		switch common {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return render(u.withDependencies(files, nil), user)
}

// render renders a chart with values files, by helm's own engine.
func render(files, user []pkgmerge.File) ([]byte, error) {
	var buffered []*archive.BufferedFile
	for _, f := range files {
		buffered = append(buffered, &archive.BufferedFile{Name: f.Name, Data: f.Data})
	}
	chart, err := loader.LoadFiles(buffered)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, f := range user {
		one := map[string]any{}
		if err := yaml.Unmarshal(f.Data, &one); err != nil {
			return nil, err
		}
		all = loader.MergeMaps(all, one)
	}
	if err := chartutil.ProcessDependencies(chart, all); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	rendering, err := util.ToRenderValuesWithSchemaValidation(chart, all, release, nil, true)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(chart, rendering)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		fmt.Fprintf(&b, "---\n# Source: %s\n%s\n", name, rendered[name])
	}
	return []byte(b.String()), nil
}
