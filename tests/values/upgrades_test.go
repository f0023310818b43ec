package values_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

var (
	clonesDir = flag.String("clones", "", "a directory of git repositories, of charts and of manifests that install them")
	each      = flag.Int("clones.each", 8, "check so many upgrades of a chart")
	only      = flag.String("clones.chart", "", "check the upgrades of one chart alone")
)

// upgrade is a release in a manifest before and after a commit that changed the version of its chart.
type upgrade struct {
	in            *clone
	path          string
	chart         string
	from, to      string
	before, after []pkgmerge.File
	change        change
}

// upgrades returns the upgrades in the history of a clone's manifests, and of charts that have a chart as a dependency.
func (c *clone) upgrades() (found []upgrade) {
	for _, changed := range c.changes("*.yaml", "*.yml") {
		if strings.Trim(changed.before, "0") == "" || strings.Trim(changed.after, "0") == "" {
			continue
		}
		if isOfChart(changed.path) || slices.Equal(versionLines(c.blob(changed.before)), versionLines(c.blob(changed.after))) {
			continue
		}
		before, after := c.releases(changed.before, changed), c.releases(changed.after, changed)
		for name, was := range before {
			is, stays := after[name]
			if stays && was.chart == is.chart && was.from != is.from && was.from != "" && is.from != "" && len(was.before) > 0 && len(is.before) > 0 {
				found = append(found, upgrade{c, changed.path, was.chart, was.from, is.from, was.before, is.before, changed})
			}
		}
	}
	return found
}

// isOfChart reports whether a file is one of a chart that is no manifest.
func isOfChart(name string) bool {
	return strings.HasPrefix(path.Base(name), "values") || strings.Contains(name, "/templates/") || strings.Contains(name, "/ci/")
}

// versionLines returns the lines that may have the version of a chart below something else.
func versionLines(data []byte) (lines []string) {
	for line := range strings.Lines(string(data)) {
		if strings.TrimLeft(line, " ") != line && (strings.Contains(line, "ersion:") || strings.Contains(line, "evision:") || strings.Contains(line, "tag:")) {
			lines = append(lines, line)
		}
	}
	return lines
}

// releases returns the releases in a blob, each with its values in before and its version in from.
func (c *clone) releases(blob string, changed change) map[string]upgrade {
	out := map[string]upgrade{}
	data := c.blob(blob)
	if path.Base(changed.path) == "Chart.yaml" {
		commit := changed.commit
		if blob == changed.before {
			commit += "^"
		}
		var about chartFile
		yaml.Unmarshal(data, &about)
		for _, d := range about.Dependencies {
			own := under(c.blob(commit+":"+path.Join(path.Dir(changed.path), "values.yaml")), cmp.Or(d.Alias, d.Name))
			if own != nil {
				out[cmp.Or(d.Alias, d.Name)] = upgrade{chart: d.Name, from: d.Version, before: []pkgmerge.File{{Name: "values.yaml", Data: own}}}
			}
		}
		return out
	}
	if !strings.Contains(string(data), "HelmRelease") && !strings.Contains(string(data), "kind: Application") && !strings.Contains(string(data), "helmCharts:") && !strings.Contains(string(data), "helm:") {
		return nil
	}
	releases, err := values.Releases([]pkgmerge.File{{Name: changed.path, Data: data}})
	if err != nil {
		return nil
	}
	for _, r := range releases {
		out[r.Name+" "+r.Chart] = upgrade{chart: path.Base(r.Chart), from: r.Version, before: r.Values()}
	}
	return out
}

// under returns the values below a field of a values file, nil if there are none.
func under(data []byte, name string) []byte {
	var all map[string]any
	if yaml.Unmarshal(data, &all) != nil {
		return nil
	}
	below, found := all[name].(map[string]any)
	if !found || len(below) == 0 {
		return nil
	}
	out, err := yaml.Marshal(below)
	if err != nil {
		return nil
	}
	return out
}

// chosen returns some upgrades of each chart whose versions the index has: those over the most versions first, each with other values.
func (l chartIndex) chosen(all []upgrade, each int) (chosen []upgrade) {
	byChart := map[string][]upgrade{}
	for _, u := range all {
		from, isOld := l.find(u.chart, u.from, nil)
		to, isNew := l.find(u.chart, u.to, from.in)
		if isOld && isNew && from.in == to.in && compareVersions(u.from, u.to) < 0 && (*only == "" || *only == u.chart) {
			byChart[u.chart] = append(byChart[u.chart], u)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byChart)) {
		own := byChart[name]
		slices.SortStableFunc(own, func(a, b upgrade) int {
			return cmp.Or(cmp.Compare(jump(a), jump(b)), cmp.Compare(len(b.before[0].Data), len(a.before[0].Data)))
		})
		seen := map[string]int{}
		for _, u := range own {
			pair, manifest := u.from+" "+u.to, u.in.name+" "+u.path
			if seen[pair] > 0 || seen[manifest] > 1 || seen["all"] == each {
				continue
			}
			seen[pair]++
			seen[manifest]++
			seen["all"]++
			chosen = append(chosen, u)
		}
	}
	return chosen
}

// jump is 0 for an upgrade to another major version, 1 for one to another minor one, and 2.
func jump(u upgrade) int {
	from, to := strings.SplitN(strings.TrimPrefix(u.from, "v"), ".", 3), strings.SplitN(strings.TrimPrefix(u.to, "v"), ".", 3)
	switch {
	case from[0] != to[0]:
		return 0
	case len(from) > 1 && len(to) > 1 && from[1] != to[1]:
		return 1
	}
	return 2
}

// outcome counts what the upgrades of the charts of a clone show.
type outcome struct {
	charts map[string]bool
	// upgrades have lines of each class. In those that helm renders, lines are checked: some without one may render otherwise.
	upgrades, rendered, checked, wrong int
	lines                              map[values.Class]int
	// idle are lines that stay though their default is gone and they change nothing.
	idle int
	// renames are those that people made, too, or not.
	asPeople, otherwise int
	// moved are lines that people moved; some are renamed so, or have the new place as a candidate.
	moved, found, mentioned int
	// failing are upgrades that fail in a template, some with a warning.
	failing, warned int
}

func newOutcome() *outcome {
	return &outcome{charts: map[string]bool{}, lines: map[values.Class]int{}}
}

// TestUpgrades: in upgrades that people made, no line that is dead, redundant or unknown has an effect by Helm's engine, which renders the
// new chart with and without each. It needs clones, and prints the table of docs/values.md.
func TestUpgrades(t *testing.T) {
	if *clonesDir == "" {
		t.Skip("no -clones")
	}
	found := chartIndex{}
	var all []upgrade
	for _, c := range clones(t, *clonesDir) {
		found.add(c)
		own := c.upgrades()
		all = append(all, own...)
		t.Logf("%s: %d upgrades", c.name, len(own))
	}
	outcomes := map[string]*outcome{}
	for _, u := range found.chosen(all, *each) {
		place, _ := found.find(u.chart, u.from, nil)
		o := outcomes[place.in.name]
		if o == nil {
			o = newOutcome()
			outcomes[place.in.name] = o
		}
		start := time.Now()
		found.check(t, u, o)
		if took := time.Since(start); took > 10*time.Second {
			t.Logf("%s: %v", u, took.Round(time.Second))
		}
	}
	table(t, outcomes)
}

func (u upgrade) String() string {
	return fmt.Sprintf("%s %s -> %s (%s %s %.8s)", u.chart, u.from, u.to, u.in.name, u.path, u.change.commit)
}

// check checks an upgrade.
func (l chartIndex) check(t *testing.T, u upgrade, o *outcome) {
	fromPlace, _ := l.find(u.chart, u.from, nil)
	toPlace, _ := l.find(u.chart, u.to, fromPlace.in)
	var versions []*version
	isWhole := true
	for _, p := range []published{fromPlace, toPlace} {
		files, missing := l.files(p, 4)
		v, err := newVersion(p.commit, files)
		if err != nil {
			t.Errorf("%s: %v", u, err)
			return
		}
		versions, isWhole = append(versions, v), isWhole && len(missing) == 0
	}
	old, now := versions[0], versions[1]
	before, failed := now.stable(u.before)
	if failed != nil && !isWhole {
		t.Logf("%s: no clone has all dependencies", u)
		return
	}
	compared, err := values.Compare(old.Chart, now.Chart, u.before)
	if err != nil {
		t.Errorf("%s: %v", u, err)
		return
	}
	o.upgrades++
	o.charts[u.chart] = true
	for _, f := range compared.Findings {
		if f.Class != values.New {
			o.lines[f.Class]++
		}
	}
	o.checkMoves(t, u, compared)
	if failed != nil {
		isWarned := len(compared.Failures) > 0 || slices.ContainsFunc(compared.Findings, func(f *values.Finding) bool {
			return f.Reshaped || f.Class == values.Renamed || f.Class == values.Refused
		})
		if o.failing++; isWarned {
			o.warned++
		}
		t.Logf("%s: helm fails, with a warning: %v: %.300v", u, isWarned, failed)
		return
	}
	o.rendered++
	for _, f := range compared.Findings {
		isKept := f.HasOld && !f.HasNew && (f.Class == values.Needed || f.Class == values.MovedBeneath)
		if f.Class != values.Dead && f.Class != values.Redundant && f.Class != values.Unknown && !isKept || f.OverriddenBy != "" {
			continue
		}
		class := f.Class
		f.Class = values.Redundant
		without, err := compared.Edits(true, func(other *values.Finding) bool { return other != f })
		f.Class = class
		if err != nil {
			t.Errorf("%s: %v", u, err)
			return
		}
		after, err := now.rendered(without)
		isSame := err == nil && before.isSame(after)
		if err == nil && !isSame { // the time may have gone on
			again, failed := now.rendered(u.before)
			if failed != nil {
				t.Fatal(failed)
			}
			before.hide(again)
			isSame = before.isSame(after)
		}
		switch {
		case isKept && isSame:
			o.idle++
			t.Logf("%s: %s is %s (%s), and changes nothing", u, values.PathText(f.Path), f.Class, f.Note)
		case isKept:
		case !isSame:
			o.wrong++
			t.Errorf("%s: %s is %s and changes the render (%v)", u, values.PathText(f.Path), f.Class, err)
			fallthrough
		default:
			o.checked++
		}
	}
}

// checkMoves compares the renames with those of the people, who moved a line in the commit with the new version.
func (o *outcome) checkMoves(t *testing.T, u upgrade, compared *values.Result) {
	before, after := leaves(u.before), leaves(u.after)
	for _, f := range compared.Findings {
		if f.Class != values.Renamed {
			continue
		}
		_, stayed := after[values.PathText(f.Path)]
		if _, moved := after[values.PathText(f.NewPath)]; moved && !stayed {
			o.asPeople++
		} else {
			o.otherwise++
			t.Logf("%s: renamed %s -> %s, where people left it (%v)", u, values.PathText(f.Path), values.PathText(f.NewPath), stayed)
		}
	}
	for _, f := range compared.Findings {
		was := values.PathText(f.Path)
		if _, stayed := after[was]; stayed || f.Class == values.New || f.Class == values.Refused {
			continue
		}
		var to []string
		for at, value := range after {
			if _, had := before[at]; !had && value == before[was] && (path.Ext("."+at) == path.Ext("."+was) || len(value) > 5) {
				to = append(to, at)
			}
		}
		if len(to) != 1 {
			continue
		}
		o.moved++
		switch {
		case f.Class == values.Renamed && values.PathText(f.NewPath) == to[0]:
			o.found++
		case slices.ContainsFunc(append(f.Candidates, f.Nearest, f.NewPath), func(p []string) bool { return values.PathText(p) == to[0] }):
			o.mentioned++
		default:
			t.Logf("%s: people moved %s to %s; it is %s %s", u, was, to[0], f.Class, f.Note)
		}
	}
}

// leaves returns the values of files by the texts of their paths.
func leaves(files []pkgmerge.File) map[string]string {
	out := map[string]string{}
	var walk func(value any, path []string)
	walk = func(value any, path []string) {
		if m, is := value.(map[string]any); is && len(m) > 0 {
			for name, below := range m {
				walk(below, append(slices.Clone(path), name))
			}
			return
		}
		out[values.PathText(path)] = fmt.Sprint(value)
	}
	for _, f := range files {
		all := map[string]any{}
		if yaml.Unmarshal(f.Data, &all) == nil {
			walk(all, nil)
		}
	}
	return out
}

// stableRender is the render of a chart as lines by file, with "" for those that are not the same each time.
type stableRender map[string][]string

// stable renders a chart twice.
func (v *version) stable(user []pkgmerge.File) (stableRender, error) {
	first, err := v.rendered(user)
	if err != nil {
		return nil, err
	}
	second, err := v.rendered(user)
	if err != nil {
		return nil, err
	}
	out := stableRender{}
	for name, text := range first {
		out[name] = strings.Split(text, "\n")
	}
	out.hide(second)
	return out, nil
}

// hide hides the lines that another render of the same values does not have.
func (r stableRender) hide(other map[string]string) {
	for name, lines := range r {
		others := strings.Split(other[name], "\n")
		for i := range lines {
			if i >= len(others) || lines[i] != others[i] {
				lines[i] = ""
			}
		}
	}
}

// isSame reports whether a render has the same files and lines.
func (r stableRender) isSame(other map[string]string) bool {
	return maps.EqualFunc(r, other, func(lines []string, text string) bool {
		return slices.EqualFunc(lines, strings.Split(text, "\n"), func(a, b string) bool { return a == "" || a == b })
	})
}

// table prints the outcomes as the table of docs/values.md, and what stands below it.
func table(t *testing.T, outcomes map[string]*outcome) {
	var b strings.Builder
	b.WriteString("| charts of | charts | upgrades | lines | needed or moved beneath | redundant | renamed | dead | unknown | refused | rendered without | wrong |\n|---|" + strings.Repeat("---:|", 11) + "\n")
	row := func(name string, o *outcome) {
		n := o.lines
		lines := 0
		for _, of := range n {
			lines += of
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, len(o.charts), o.upgrades, lines,
			n[values.Needed]+n[values.MovedBeneath], n[values.Redundant], n[values.Renamed], n[values.Dead], n[values.Unknown], n[values.Refused], o.checked, o.wrong)
	}
	sum := newOutcome()
	for _, name := range slices.Sorted(maps.Keys(outcomes)) {
		o := outcomes[name]
		if o.upgrades == 0 {
			continue
		}
		row(strings.Replace(name, "+", "/", 1), o)
		for class, n := range o.lines {
			sum.lines[class] += n
		}
		for chart := range o.charts {
			sum.charts[name+chart] = true
		}
		for _, pair := range [][2]*int{
			{&sum.upgrades, &o.upgrades}, {&sum.rendered, &o.rendered}, {&sum.checked, &o.checked}, {&sum.wrong, &o.wrong}, {&sum.idle, &o.idle}, {&sum.asPeople, &o.asPeople},
			{&sum.otherwise, &o.otherwise}, {&sum.moved, &o.moved}, {&sum.found, &o.found}, {&sum.mentioned, &o.mentioned}, {&sum.failing, &o.failing}, {&sum.warned, &o.warned},
		} {
			*pair[0] += *pair[1]
		}
	}
	row("all", sum)
	fmt.Fprintf(&b, "helm renders %d upgrades and fails in %d, %d of them with a warning; %d lines stay though they change nothing;\n", sum.rendered, sum.failing, sum.warned, sum.idle)
	fmt.Fprintf(&b, "%d renames as people, %d otherwise; people moved %d lines, %d are renamed so and %d have the place as a candidate\n", sum.asPeople, sum.otherwise, sum.moved, sum.found, sum.mentioned)
	t.Log("\n" + b.String())
}
