package main

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/values"
)

// upstreams reads charts and bases from clones.
type upstreams struct {
	clones string
	open   map[string]*clone
	charts map[string]*values.Chart
	files  map[*values.Chart][]pkgmerge.File
	bases  map[string]review.Files
	// bumped is the name of the bump that is reviewed.
	bumped string
	// last and lastFile are the bump and the file of values that were rendered last, before the render, and failed its error.
	last     *review.Bump
	lastFile string
	before   []byte
	failed   error
}

func (u *upstreams) clone(name string) (*clone, error) {
	if u.open[name] == nil {
		dir := filepath.Join(u.clones, strings.ReplaceAll(name, "/", "+"), "repo")
		if owner, rest, _ := strings.Cut(name, "/"); owner == "redhat-appstudio" { // whose repositories moved
			if _, err := os.Stat(dir); err != nil {
				dir = filepath.Join(u.clones, "konflux-ci+"+rest, "repo")
			}
		}
		if _, err := os.Stat(dir); err != nil {
			return nil, errors.New("no clone of " + name)
		}
		c, err := open(dir)
		if err != nil {
			return nil, err
		}
		u.open[name] = c
	}
	return u.open[name], nil
}

// chartPlace is where a repository of charts is made: the clone, the directory of a chart, and the tag of a version.
type chartPlace struct{ url, clone, dir, tag string }

func chartPlaces() []chartPlace {
	return []chartPlace{
		{"prometheus-community", "prometheus-community/helm-charts", "charts/CHART", "CHART-VERSION"},
		{"grafana", "grafana/helm-charts", "charts/CHART", "CHART-VERSION"},
		{"argoproj", "argoproj/argo-helm", "charts/CHART", "CHART-VERSION"},
		{"bitnami", "bitnami/charts", "bitnami/CHART", "CHART/VERSION"},
		{"bjw-s", "bjw-s/helm-charts", "charts/other/CHART", "CHART-VERSION"},
		{"bjw-s", "bjw-s/helm-charts", "charts/library/CHART", "CHART-VERSION"},
		{"kubernetes.github.io/ingress-nginx", "kubernetes/ingress-nginx", "charts/ingress-nginx", "helm-chart-VERSION"},
		{"ingress-nginx", "kubernetes/ingress-nginx", "charts/ingress-nginx", "CHART-VERSION"},
		{"jetstack", "cert-manager/cert-manager", "deploy/charts/cert-manager", "vVERSION"},
		{"traefik", "traefik/traefik-helm-chart", "traefik", "vVERSION"},
		{"metrics-server", "kubernetes-sigs/metrics-server", "charts/metrics-server", "metrics-server-helm-chart-VERSION"},
		{"rook", "rook/rook", "deploy/charts/CHART", "vVERSION"},
		{"longhorn", "longhorn/longhorn", "chart", "vVERSION"},
		{"metallb", "metallb/metallb", "charts/metallb", "vVERSION"},
		{"external-secrets", "external-secrets/external-secrets", "deploy/charts/CHART", "helm-chart-VERSION"},
		{"external-dns", "kubernetes-sigs/external-dns", "charts/external-dns", "external-dns-helm-chart-VERSION"},
		{"ictoria", "VictoriaMetrics/helm-charts", "charts/CHART", "CHART-VERSION"},
		{"falco", "falcosecurity/charts", "charts/CHART", "CHART-VERSION"},
		{"stakater", "stakater/Reloader", "deployments/kubernetes/chart/reloader", "vVERSION"},
		{"stakater", "stakater/Reloader", "deployments/kubernetes/chart/reloader", "chart-vVERSION"},
		{"cloudnative-pg", "cloudnative-pg/charts", "charts/CHART", "CHART-vVERSION"},
		{"library-charts.k8s-at-home", "k8s-at-home/library-charts", "charts/stable/CHART", "CHART-VERSION"},
		{"k8s-at-home", "k8s-at-home/charts", "charts/stable/CHART", "CHART-VERSION"},
		{"k8s-at-home", "k8s-at-home/charts", "charts/incubator/CHART", "CHART-VERSION"},
		{"bjw-s", "bjw-s-labs/helm-charts", "charts/other/CHART", "CHART-VERSION"},
		{"bjw-s", "bjw-s-labs/helm-charts", "charts/library/CHART", "CHART-VERSION"},
		{"goauthentik", "goauthentik/helm", "charts/CHART", "CHART-VERSION"},
		{"nextcloud", "nextcloud/helm", "charts/CHART", "CHART-VERSION"},
		{"gabe565", "gabe565/charts", "charts/CHART", "CHART-VERSION"},
		{"fluxcd-community", "fluxcd-community/helm-charts", "charts/CHART", "CHART-VERSION"},
		{"kyverno", "kyverno/kyverno", "charts/CHART", "CHART-chart-VERSION"},
		{"cilium", "cilium/charts", "CHART-VERSION.tgz", "HEAD"},
		{"controlplaneio", "controlplaneio-fluxcd/charts", "charts/CHART", "vVERSION"},
		{"coredns", "coredns/helm", "charts/CHART", "CHART-VERSION"},
		{"open-telemetry", "open-telemetry/opentelemetry-helm-charts", "charts/CHART", "CHART-VERSION"},
		{"vector", "vectordotdev/helm-charts", "charts/CHART", "CHART-VERSION"},
	}
}

// chart returns the chart of a release.
func (u *upstreams) chart(r *values.Release) (*values.Chart, error) {
	key := r.Repository + " " + r.Chart + " " + r.Version
	if c, found := u.charts[key]; found {
		if c == nil {
			return nil, errors.New("no clone of the chart")
		}
		return c, nil
	}
	u.charts[key] = nil
	for _, p := range chartPlaces() {
		if !strings.Contains(r.Repository, p.url) {
			continue
		}
		c, err := u.clone(p.clone)
		if err != nil {
			continue
		}
		version := c.greatest(p.tag, r.Chart, strings.TrimPrefix(r.Version, "v"))
		replace := strings.NewReplacer("CHART", r.Chart, "VERSION", version)
		dir, tag := replace.Replace(p.dir), replace.Replace(p.tag)
		if strings.Contains(r.Version, "CHART") || strings.Contains(dir, "..") {
			continue
		}
		files, err := c.chart(tag, dir)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue
		}
		files = u.withDependencies(files, func(name string) ([]pkgmerge.File, error) { return c.chart(tag, path.Join(dir, name)) })
		slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
		chart, err := values.NewChart(r.Chart, files)
		if err != nil {
			return nil, err
		}
		u.charts[key], u.files[chart] = chart, files
		return chart, nil
	}
	return nil, errors.New("no clone of the chart")
}

// greatest returns the greatest version of a chart that is in a range and has a tag, the range itself if it is a version or has none.
func (c *clone) greatest(pattern, chart, constraint string) string {
	if _, err := semver.StrictNewVersion(constraint); err == nil {
		return constraint
	}
	in, err := semver.NewConstraint(constraint)
	if err != nil {
		return constraint
	}
	if c.tags == nil {
		out, _ := c.git("tag") // a clone without tags has no versions
		c.tags = strings.Fields(out)
	}
	before, after, _ := strings.Cut(strings.ReplaceAll(pattern, "CHART", chart), "VERSION")
	var greatest *semver.Version
	for _, tag := range c.tags {
		text, isBefore := strings.CutPrefix(tag, before)
		text, isAfter := strings.CutSuffix(text, after)
		if v, err := semver.StrictNewVersion(text); isBefore && isAfter && err == nil && in.Check(v) && (greatest == nil || v.GreaterThan(greatest)) {
			greatest = v
		}
	}
	if greatest == nil {
		return constraint
	}
	return greatest.Original()
}

// chart returns the files of a directory or an archive with a chart at a revision, none if there are none.
func (c *clone) chart(revision, dir string) (files []pkgmerge.File, err error) {
	in, err := c.files(revision, dir)
	if err != nil {
		return nil, nil // no such version
	}
	for name := range in.IDs {
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		if name == dir { // an archive
			return source.Unpack(data)
		}
		name = strings.Replace(strings.TrimPrefix(name, dir+"/"), "Chart.template.yaml", "Chart.yaml", 1) // cert-manager's
		files = append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: data})
	}
	return files, nil
}

// withDependencies returns the files of a chart with those of its dependencies that have clones, as archives of charts have them. A dependency
// with a range has its greatest version, and beside reads one in the same repository.
func (u *upstreams) withDependencies(files []pkgmerge.File, beside func(name string) ([]pkgmerge.File, error)) []pkgmerge.File {
	var about struct {
		Dependencies []struct{ Name, Version, Repository string }
	}
	for _, f := range files {
		if f.Name == "Chart.yaml" && yaml.Unmarshal(f.Data, &about) != nil {
			return files
		}
	}
	for _, d := range about.Dependencies {
		below := "charts/" + d.Name + "/"
		if slices.ContainsFunc(files, func(f pkgmerge.File) bool { return strings.HasPrefix(f.Name, below) }) {
			continue
		}
		var its []pkgmerge.File
		if name, isBeside := strings.CutPrefix(d.Repository, "file://"); isBeside && beside != nil {
			its, _ = beside(name) // what cannot be read is missing, and the chart does not render
		} else if sub, err := u.chart(&values.Release{Repository: d.Repository, Chart: d.Name, Version: d.Version}); err == nil {
			its = u.files[sub]
		}
		for _, f := range its {
			files = append(files, pkgmerge.File{Name: below + f.Name, Mode: f.Mode, Data: f.Data})
		}
	}
	return files
}

// base returns a remote base of GitHub. A file of a release of another repository than the bumped one, such as definitions that a base names, is
// empty, since no clone has it.
func (u *upstreams) base(entry string) (review.Files, string, error) {
	text, query, _ := strings.Cut(entry, "?")
	ref := regexp.MustCompile(`(?:^|&)(?:ref|version)=([^&]+)`).FindStringSubmatch(query)
	text = strings.TrimPrefix(text, "git::")
	for _, scheme := range []string{"https://", "http://", "ssh://git@", "git@"} {
		text = strings.TrimPrefix(text, scheme)
	}
	text = strings.Replace(strings.Replace(text, "github.com:", "github.com/", 1), ".git/", "/", 1)
	isRaw := strings.HasPrefix(text, "raw.githubusercontent.com/")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "raw.githubusercontent.com/"), "github.com/")
	parts := strings.Split(strings.Trim(strings.ReplaceAll(text, "//", "/"), "/"), "/")
	if len(parts) < 2 {
		return review.Files{}, "", errors.New("no place at GitHub: " + entry)
	}
	name, dir, version := parts[0]+"/"+strings.TrimSuffix(parts[1], ".git"), strings.Join(parts[2:], "/"), ""
	switch {
	case strings.Contains(entry, "/releases/download/") && !strings.Contains(u.bumped, name):
		return review.Files{IDs: map[string]string{"nothing.yaml": ""}, Read: func(string) ([]byte, error) { return []byte("# nothing\n"), nil }}, "nothing.yaml", nil
	case len(ref) > 0:
		version = ref[1]
	case isRaw && len(parts) > 3:
		version, dir = parts[2], strings.Join(parts[3:], "/")
		if rest, is := strings.CutPrefix(dir, "tags/"); version == "refs" && is {
			version, dir, _ = strings.Cut(rest, "/")
		}
	case len(parts) > 4 && (parts[2] == "raw" || parts[2] == "blob"):
		version, dir = parts[3], strings.Join(parts[4:], "/")
	default:
		return review.Files{}, "", errors.New("no version: " + entry)
	}
	c, err := u.clone(name)
	if err != nil {
		return review.Files{}, "", err
	}
	key := name + " " + version
	if _, found := u.bases[key]; !found {
		if u.bases[key], err = c.files(version, ""); err != nil || len(u.bases[key].IDs) == 0 {
			delete(u.bases, key)
			return review.Files{}, "", errors.New("no version " + version + " of " + name)
		}
	}
	return u.bases[key], path.Join(dir, "."), nil
}
