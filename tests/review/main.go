// Command review replays the bumps in the histories of repositories of Flux, Argo CD and kustomize, reviews each, and counts: whether a line that is
// dead or redundant changes the render of the new version, whether the review named a line that somebody repaired within 14 days, and how
// many lines it named at bumps that nobody had to repair (docs/review.md).
//
//	go run . -clones DIR [-commits 3000] [-bumps 200] [-time 1h] OWNER/NAME...
//
// DIR has bare clones, OWNER+NAME/repo, also of the repositories with the charts and bases. What is not there is not judged.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/review"
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
	kustomizations := flag.Bool("kustomizations", false, "only review commits that change a version in a kustomization")
	flag.Parse()
	all := tally{}
	for _, name := range flag.Args() {
		t, err := replay(*clones, name, *commits, *most, *apart, *limit, *verbose, *repairs, *kustomizations)
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
	layers                             map[string]int
	harmless, harmlessNews, noisy      int
	repaired, foretold, fixed, fixTold int
}

func (t *tally) add(o tally) {
	for _, p := range [][2]*int{{&t.commits, &o.commits}, {&t.bumps, &o.bumps}, {&t.judged, &o.judged}, {&t.lines, &o.lines}, {&t.proved, &o.proved}, {&t.wrong, &o.wrong}, {&t.unproved, &o.unproved},
		{&t.harmless, &o.harmless}, {&t.harmlessNews, &o.harmlessNews}, {&t.noisy, &o.noisy}, {&t.repaired, &o.repaired}, {&t.foretold, &o.foretold}, {&t.fixed, &o.fixed}, {&t.fixTold, &o.fixTold}} {
		*p[0] += *p[1]
	}
	if t.classes == nil {
		t.classes, t.news, t.layers = map[review.Class]int{}, map[review.Class]int{}, map[string]int{}
	}
	for name, n := range o.layers {
		t.layers[name] += n
	}
	for _, c := range review.Classes() {
		t.classes[c] += o.classes[c]
		t.news[c] += o.news[c]
	}
}

func (t tally) print(name string) {
	fmt.Printf("%s: %d commits, %d bumps, %d judged, %d lines; classes %v; news %v; dead and redundant: %d proved, %d wrong, %d not rendered; harmless %d with %d lines of news in %d; edited within 14 days %d, named %d; of these called a fix %d, named %d; layers %v\n",
		name, t.commits, t.bumps, t.judged, t.lines, t.classes, t.news, t.proved, t.wrong, t.unproved, t.harmless, t.harmlessNews, t.noisy, t.repaired, t.foretold, t.fixed, t.fixTold, t.layers)
}

// replay reviews the bumps of a repository.
func replay(clones, name string, commits, most, apart int, limit time.Duration, verbose, repairs, kustomizations bool) (t tally, err error) {
	t.classes, t.news, t.layers = map[review.Class]int{}, map[review.Class]int{}, map[string]int{}
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
	bumping, err := c.bumping(commits, kustomizations)
	if err != nil {
		return t, err
	}
	for i, one := range history {
		if bumping[one.id] && len(one.files) < 50 && i < len(history)-1 && (!repairs || isEdited(history, i)) {
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
			u.bumped = b.Name
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

// mostProofs is the number of lines of a bump that are rendered without one; the others count as not rendered.
const mostProofs = 6

// count counts a bump.
func (t *tally) count(u *upstreams, c *clone, b *review.Bump, now review.Files, history []commit, i int, verbose, repairs bool) {
	t.judged++
	if !repairs && b.Lines[0].Layer != "values" {
		t.countLayers(u, b, now, history[i].id[:8], verbose)
	}
	idle := 0
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
		if !repairs && l.Layer == "values" && (l.Class == review.Dead || l.Class == review.Redundant) {
			if idle++; idle > mostProofs {
				t.unproved++
				continue
			}
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
	edited, named, isFix := repair(c, b, now, news, history, i, repairs || verbose)
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
