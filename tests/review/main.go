// Command review replays the bumps in the histories of repositories of Flux, Argo CD and kustomize, reviews each, and counts: whether a line that is
// dead or redundant changes the render of the new version, whether the review named a line that somebody repaired within 14 days, and how
// many lines it named at bumps that nobody had to repair (docs/review.md).
//
//	go run . -clones DIR [-commits 3000] [-bumps 200] [-time 1h] OWNER/NAME...
//
// DIR has bare clones, OWNER+NAME/repo, also of the repositories with the charts and bases. What is not there is not judged.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/values"
)

func main() {
	clones := flag.String("clones", "", "directory of bare clones")
	commits := flag.Int("commits", 3000, "newest commits of each repository")
	most := flag.Int("bumps", 200, "commits with bumps that are replayed in each repository, evenly spread")
	apart := flag.Int("apart", 0, "review each commit against the one that is so many commits older, in place of its parent: several bumps at once")
	limit := flag.Duration("time", time.Hour, "time for each repository")
	verbose := flag.Bool("v", false, "print each line of news")
	repairs := flag.Bool("repairs", false, "only review bumps whose files a commit within 14 days changes that names no version, print these edits, and render nothing")
	flag.Parse()
	all := tally{}
	for _, name := range flag.Args() {
		t, err := replay(*clones, name, *commits, *most, *apart, *limit, *verbose, *repairs)
		if err != nil {
			fmt.Fprintln(os.Stderr, name, err)
		}
		t.print(name)
		all.add(t)
	}
	all.print("all")
}

// tally counts bumps and lines.
type tally struct {
	commits, bumps, judged, lines      int
	classes                            map[review.Class]int
	news                               map[review.Class]int
	proved, wrong, unproved            int
	harmless, harmlessNews, noisy      int
	repaired, foretold, fixed, fixTold int
}

func (t *tally) add(o tally) {
	for _, p := range [][2]*int{{&t.commits, &o.commits}, {&t.bumps, &o.bumps}, {&t.judged, &o.judged}, {&t.lines, &o.lines}, {&t.proved, &o.proved}, {&t.wrong, &o.wrong}, {&t.unproved, &o.unproved},
		{&t.harmless, &o.harmless}, {&t.harmlessNews, &o.harmlessNews}, {&t.noisy, &o.noisy}, {&t.repaired, &o.repaired}, {&t.foretold, &o.foretold}, {&t.fixed, &o.fixed}, {&t.fixTold, &o.fixTold}} {
		*p[0] += *p[1]
	}
	if t.classes == nil {
		t.classes, t.news = map[review.Class]int{}, map[review.Class]int{}
	}
	for _, c := range review.Classes() {
		t.classes[c] += o.classes[c]
		t.news[c] += o.news[c]
	}
}

func (t tally) print(name string) {
	fmt.Printf("%s: %d commits, %d bumps, %d judged, %d lines; classes %v; news %v; dead and redundant: %d proved, %d wrong, %d not rendered; harmless %d with %d lines of news in %d; edited within 14 days %d, named %d; of these called a fix %d, named %d\n",
		name, t.commits, t.bumps, t.judged, t.lines, t.classes, t.news, t.proved, t.wrong, t.unproved, t.harmless, t.harmlessNews, t.noisy, t.repaired, t.foretold, t.fixed, t.fixTold)
}

// clone is a bare clone.
type clone struct {
	dir   string
	in    io.WriteCloser
	out   *bufio.Reader
	blobs map[string][]byte
}

func open(dir string) (*clone, error) {
	cmd := exec.Command("git", "--git-dir", dir, "cat-file", "--batch")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &clone{dir, in, bufio.NewReaderSize(out, 1<<16), map[string][]byte{}}, cmd.Start()
}

func (c *clone) git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"--git-dir", c.dir}, args...)...).Output()
	return string(out), err
}

// read returns a blob.
func (c *clone) read(id string) ([]byte, error) {
	if data, found := c.blobs[id]; found {
		return data, nil
	}
	if _, err := fmt.Fprintln(c.in, id); err != nil {
		return nil, err
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) != 3 {
		return nil, fmt.Errorf("%s: %s", id, strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(fields[2])
	if err != nil {
		return nil, err
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(c.out, data); err != nil {
		return nil, err
	}
	c.blobs[id] = data[:size]
	return data[:size], nil
}

// files returns the files of a revision, of a directory if it is not "".
func (c *clone) files(revision, dir string) (review.Files, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree", revision}
	if dir != "" {
		args = append(args, "--", dir)
	}
	out, err := c.git(args...)
	ids := map[string]string{}
	for entry := range strings.SplitSeq(out, "\x00") {
		about, name, _ := strings.Cut(entry, "\t")
		if fields := strings.Fields(about); len(fields) == 3 && strings.HasPrefix(fields[0], "100") {
			ids[name] = fields[2]
		}
	}
	return review.Files{IDs: ids, Read: func(name string) ([]byte, error) {
		data, err := c.read(ids[name])
		if err != nil && strings.Contains(err.Error(), "missing") {
			return nil, nil // a large file that the clone lacks
		}
		return data, err
	}}, err
}

// upstreams reads charts and bases from clones.
type upstreams struct {
	clones string
	open   map[string]*clone
	charts map[string]*values.Chart
	files  map[*values.Chart][]pkgmerge.File
	bases  map[string]review.Files
	// last and lastFile are the bump and the file of values that were rendered last, before the render, and failed its error.
	last     *review.Bump
	lastFile string
	before   []byte
	failed   error
}

func (u *upstreams) clone(name string) (*clone, error) {
	if u.open[name] == nil {
		dir := filepath.Join(u.clones, strings.ReplaceAll(name, "/", "+"), "repo")
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
		replace := strings.NewReplacer("CHART", r.Chart, "VERSION", strings.TrimPrefix(r.Version, "v"))
		dir := replace.Replace(p.dir)
		if strings.Contains(r.Version, "CHART") || strings.Contains(dir, "..") {
			continue
		}
		in, err := c.files(replace.Replace(p.tag), dir)
		if err != nil || len(in.IDs) == 0 {
			continue
		}
		var files []pkgmerge.File
		for name := range in.IDs {
			data, err := in.Read(name)
			if err != nil {
				return nil, err
			}
			if name == dir { // an archive
				if files, err = source.Unpack(data); err != nil {
					return nil, err
				}
				continue
			}
			name = strings.Replace(strings.TrimPrefix(name, dir+"/"), "Chart.template.yaml", "Chart.yaml", 1) // cert-manager's
			files = append(files, pkgmerge.File{Name: name, Mode: 0o644, Data: data})
		}
		files = u.withDependencies(files)
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

// withDependencies returns the files of a chart with those of its dependencies that have clones, as archives of charts have them.
func (u *upstreams) withDependencies(files []pkgmerge.File) []pkgmerge.File {
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
		sub, err := u.chart(&values.Release{Repository: d.Repository, Chart: d.Name, Version: d.Version})
		if err != nil {
			continue
		}
		for _, f := range u.files[sub] {
			files = append(files, pkgmerge.File{Name: below + f.Name, Mode: f.Mode, Data: f.Data})
		}
	}
	return files
}

// base returns a remote base of GitHub.
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

// commit is one of a history.
type commit struct {
	id, subject string
	when        time.Time
	files       []string
}

// history returns the newest commits of the first parents, the newest first.
func (c *clone) history(most int) (all []commit, err error) {
	out, err := c.git("log", "--first-parent", "-m", "--name-only", "--no-renames", "-n", strconv.Itoa(most), "--format=%x00%H%x09%ct%x09%s")
	for record := range strings.SplitSeq(out, "\x00") {
		lines := strings.Split(strings.TrimSpace(record), "\n")
		head := strings.SplitN(lines[0], "\t", 3)
		if len(head) < 3 {
			continue
		}
		seconds, err := strconv.ParseInt(head[1], 10, 64)
		if err != nil {
			return nil, err
		}
		one := commit{id: head[0], subject: head[2], when: time.Unix(seconds, 0)}
		for _, name := range lines[1:] {
			if name != "" {
				one.files = append(one.files, name)
			}
		}
		all = append(all, one)
	}
	return all, err
}

// replay reviews the bumps of a repository.
func replay(clones, name string, commits, most, apart int, limit time.Duration, verbose, repairs bool) (t tally, err error) {
	t.classes, t.news = map[review.Class]int{}, map[review.Class]int{}
	u := &upstreams{
		clones: clones, open: map[string]*clone{}, charts: map[string]*values.Chart{}, files: map[*values.Chart][]pkgmerge.File{}, bases: map[string]review.Files{},
	}
	c, err := u.clone(name)
	if err != nil {
		return t, err
	}
	history, err := c.history(commits)
	if err != nil {
		return t, err
	}
	var places []int
	bumping := regexp.MustCompile(`(?i)bump|update|upgrade|chart|helm|renovate|\bto v?[0-9]|->|→`)
	for i, one := range history {
		isYAML := slices.ContainsFunc(one.files, func(name string) bool { return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") })
		if bumping.MatchString(one.subject) && isYAML && len(one.files) < 50 && i < len(history)-1 && (!repairs || isEdited(history, i)) {
			places = append(places, i)
		}
	}
	step := max(1, len(places)/max(1, most))
	for n, end := 0, time.Now().Add(limit); n < len(places) && time.Now().Before(end); n += step {
		i := places[n]
		before := history[i].id + "^1"
		if apart > 0 {
			before = history[min(i+apart, len(history)-1)].id
		}
		old, err := c.files(before, "")
		if err != nil {
			continue
		}
		now, err := c.files(history[i].id, "")
		if err != nil {
			return t, err
		}
		bumps, _, err := review.Find(old, now)
		if err != nil {
			return t, err
		}
		t.commits++
		for _, b := range bumps {
			t.bumps++
			b.Review(review.Upstream{Charts: u.chart, Bases: u.base})
			if len(b.Lines) == 0 {
				if verbose && len(b.Notes) > 0 {
					fmt.Printf("  %s %s %s -> %s: %s\n", history[i].id[:8], b.Name, b.Old, b.New, b.Notes[0])
				}
				continue
			}
			t.count(u, c, b, now, history, i, verbose, repairs)
		}
	}
	return t, nil
}

// isEdited reports whether a commit within 14 days changes a file of a commit, and is no bump itself.
func isEdited(history []commit, i int) bool {
	version := regexp.MustCompile(`(?i)renovate|\bto v?[0-9]|->|→|➔|\bupdate .* v?[0-9]`)
	for later := i - 1; later >= 0 && history[later].when.Sub(history[i].when) <= 14*24*time.Hour; later-- {
		isSame := func(name string) bool { return slices.Contains(history[later].files, name) }
		if !version.MatchString(history[later].subject) && slices.ContainsFunc(history[i].files, isSame) {
			return true
		}
	}
	return false
}

// count counts a bump.
func (t *tally) count(u *upstreams, c *clone, b *review.Bump, now review.Files, history []commit, i int, verbose, repairs bool) {
	t.judged++
	var news []*review.Line
	for _, l := range b.Lines {
		t.lines++
		t.classes[l.Class]++
		if l.IsNews() {
			news = append(news, l)
			t.news[l.Class]++
			if verbose {
				fmt.Printf("  %s %s %s -> %s: %s %s:%d %s %s %v: %.60v -> %.60v %s\n", history[i].id[:8], b.Name, b.Old, b.New, l.Class, l.File, l.Number, l.Resource, l.Path, hidden(l.Value), l.Old, l.New, l.Note)
			}
		}
		if !repairs && (l.Class == review.Dead || l.Class == review.Redundant) {
			switch is, err := prove(u, b, l, now); {
			case err != nil:
				t.unproved++
				if verbose {
					fmt.Printf("  unproved %s: %.150s\n", b.Name, strings.ReplaceAll(err.Error(), "\n", " "))
				}
			case is:
				t.proved++
			default:
				t.wrong++
				fmt.Printf("  WRONG %s %s %s -> %s: %s %s:%d %s %s\n", history[i].id[:8], b.Name, b.Old, b.New, l.Class, l.File, l.Number, l.Resource, l.Path)
			}
		}
	}
	edited, named, isFix := repair(c, b, news, history, i, repairs)
	if !edited {
		t.harmless++
		if t.harmlessNews += len(news); len(news) > 0 {
			t.noisy++
		}
		return
	}
	t.repaired++
	if named {
		t.foretold++
	}
	if isFix {
		t.fixed++
		if named {
			t.fixTold++
		}
	}
}

func hidden(v any) string {
	text := fmt.Sprint(v)
	return text[:min(len(text), 40)]
}

// repair reports whether a later commit within 14 days edited lines of the layers of a bump, besides versions, whether the review named one of
// these lines, and whether the commit calls itself a fix.
func repair(c *clone, b *review.Bump, news []*review.Line, history []commit, i int, show bool) (edited, named, isFix bool) {
	files := map[string]bool{}
	for _, l := range b.Lines {
		files[l.File] = true
	}
	fix := regexp.MustCompile(`(?i)\bfix|revert|repair|broke|correct|restore|missing|wrong`)
	version := regexp.MustCompile(`(?i)version:|tag:|image:|ref=|targetRevision|digest|checksum|sha256`)
	for later := i - 1; later >= 0; later-- {
		one := history[later]
		if one.when.Sub(history[i].when) > 14*24*time.Hour {
			return false, false, false
		}
		for _, name := range one.files {
			if !files[name] {
				continue
			}
			delete(files, name) // the numbers of the lines hold for the first change only
			out, err := c.git("diff", "-U0", "--no-renames", history[i].id, one.id, "--", name)
			if err != nil {
				continue
			}
			lines, is := hunks(out, version)
			if !is || strings.Contains(out, "\n+++ /dev/null") { // a file that moved or is gone is no edit of its lines
				continue
			}
			if show {
				fmt.Printf("  EDIT %s %s %s -> %s | %s | then %s | %s\n%s\n", history[i].id[:8], b.Name, b.Old, b.New, history[i].subject, one.id[:8], one.subject, changedLines(out))
			}
			edited, isFix = true, isFix || fix.MatchString(one.subject)
			for _, l := range news {
				if l.File == name && slices.ContainsFunc(lines, func(n int) bool { return n == l.Number }) {
					named = true
				}
			}
		}
		if edited {
			return edited, named, isFix
		}
	}
	return false, false, false
}

// changedLines returns the first removed and added lines of a difference.
func changedLines(diff string) string {
	var lines []string
	for line := range strings.SplitSeq(diff, "\n") {
		if len(line) > 1 && (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && len(lines) < 24 {
			lines = append(lines, "      "+line)
		}
	}
	return strings.Join(lines, "\n")
}

// hunks returns the numbers of the removed lines of a difference, and whether a line that was removed or added is no version.
func hunks(diff string, version *regexp.Regexp) (lines []int, is bool) {
	at := 0
	head := regexp.MustCompile(`^@@ -([0-9]+)`)
	for line := range strings.SplitSeq(diff, "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			continue
		}
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "-"):
			lines = append(lines, at)
			at++
			is = is || !version.MatchString(line) && len(strings.TrimSpace(line)) > 1
		case strings.HasPrefix(line, "+"):
			is = is || !version.MatchString(line) && len(strings.TrimSpace(line)) > 1
		}
	}
	return lines, is
}

// prove reports whether the new version renders the same without a line.
func prove(u *upstreams, b *review.Bump, l *review.Line, now review.Files) (bool, error) {
	moved, err := b.Without(nil)
	if err != nil {
		return false, err
	}
	changes, err := b.Without(l)
	if err != nil {
		return false, err
	}
	if len(changes) == len(moved) {
		return false, errors.New("the line is not edited")
	}
	if l.Layer != "values" {
		return proveLayer(u, b, now, moved, changes)
	}
	before, err := u.renderedOnce(b, edited(now, moved), l.File)
	if err != nil {
		return false, err
	}
	after, err := renderRelease(u, b, edited(now, changes), l.File)
	return bytes.Equal(before, after), err
}

// renderedOnce renders a bump's release before the edits, twice at the first call.
func (u *upstreams) renderedOnce(b *review.Bump, in review.Files, file string) ([]byte, error) {
	if u.last != b || u.lastFile != file {
		u.last, u.lastFile = b, file
		u.before, u.failed = renderRelease(u, b, in, file)
		if again, err := renderRelease(u, b, in, file); u.failed == nil && (err != nil || !bytes.Equal(u.before, again)) {
			u.failed = errors.New("the chart renders something else each time")
		}
	}
	return u.before, u.failed
}

// edited returns files after changes.
func edited(in review.Files, changes []values.Replacement) review.Files {
	return review.Files{IDs: in.IDs, Read: func(name string) ([]byte, error) {
		data, err := in.Read(name)
		if err != nil {
			return nil, err
		}
		f, err := values.Replace(pkgmerge.File{Name: name, Data: data}, changes)
		return f.Data, err
	}}
}
