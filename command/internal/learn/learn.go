package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// Options choose the package and its upgrades.
type Options struct {
	// Dir is the directory of the package, and Work its work tree.
	Dir  string
	Work *gitrepo.WorkTree
	// Settings are the package's, whose learned rules do not count.
	Settings config.Settings
	// List is the text of a file that lists the upgrades, and ListName its name; nil finds them in the history.
	List     []byte
	ListName string
	// Progress, if not nil, gets the number of upgrades that are done.
	Progress func(done, total int)
}

// Lesson has the rules that the upgrades of a package teach.
type Lesson struct {
	// Upgrades has the decisions of each upgrade that was merged again, the oldest first.
	Upgrades [][]Decision
	// Skipped says which upgrades could not be merged again, and why.
	Skipped []string
}

// Study merges the upgrades of a package again. It is an error if there is none, or if none can be merged again.
func Study(ctx context.Context, o Options) (*Lesson, error) {
	upgrades, err := find(ctx, o)
	if err != nil {
		return nil, err
	}
	r, lesson := replay{o.Dir, o.Settings.ByHand()}, &Lesson{}
	for i, u := range upgrades {
		if o.Progress != nil {
			o.Progress(i, len(upgrades))
		}
		until := "HEAD"
		if i+1 < len(upgrades) {
			until = upgrades[i+1].Commit + "^1"
		}
		decisions, err := r.decisions(ctx, u, until)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			lesson.Skipped = append(lesson.Skipped, fmt.Sprintf("upgrade %s is skipped: %v", u, err))
		default:
			lesson.Upgrades = append(lesson.Upgrades, decisions)
		}
	}
	if len(lesson.Upgrades) == 0 {
		return nil, fmt.Errorf("no upgrade of %s can be merged again: %s", o.Dir, strings.Join(lesson.Skipped, "; "))
	}
	return lesson, nil
}

func find(ctx context.Context, o Options) (upgrades []Upgrade, err error) {
	h := history{dir: o.Dir, work: o.Work}
	if h.objects, err = o.Work.Objects(ctx); err != nil {
		return nil, err
	}
	defer func() { err = cmp.Or(err, h.objects.Close()) }()
	if o.ListName != "" {
		if upgrades, err = h.listed(ctx, o.ListName, o.List); err == nil && len(upgrades) == 0 {
			err = fmt.Errorf("%s lists no upgrade", o.ListName)
		}
		return upgrades, err
	}
	if upgrades, err = h.upgrades(ctx); err == nil && len(upgrades) == 0 {
		err = fmt.Errorf("the history of %s has no upgrade: no commit changed upstreamLock in the Kptfile, upstream in .resource-merge.yaml or a vendir.lock.yml; list the upgrades in a file for --upgrades", o.Dir)
	}
	return upgrades, err
}

// Rules returns the rules that all upgrades teach.
func (l *Lesson) Rules() []Rule { return rulesOf(slices.Concat(l.Upgrades...)) }

// Conflicts counts the conflicts that people decided for one side.
func (l *Lesson) Conflicts() (n int) {
	for _, d := range slices.Concat(l.Upgrades...) {
		if d.side != "" {
			n++
		}
	}
	return n
}

// Score says how well the upgrades before each upgrade predict it.
type Score struct {
	Upgrades  int `json:"upgrades"`
	Conflicts int `json:"conflicts"`
	// Repeated conflicts stand at a path with an earlier one.
	Repeated  int `json:"repeated"`
	Predicted int `json:"predicted"`
	Right     int `json:"right"`
}

// Check predicts each upgrade from those before it (rules/learn: check). A conflict that people decided for neither side
// counts only where a rule decides it, wrongly then.
func (l *Lesson) Check() Score {
	s := Score{Upgrades: len(l.Upgrades)}
	for i, decisions := range l.Upgrades {
		before := slices.Concat(l.Upgrades[:i]...)
		rules := rulesOf(before)
		for _, d := range decisions {
			at := slices.IndexFunc(rules, func(r Rule) bool { return r.includes(Rule{Rule: d.rule, path: d.path}) })
			if d.side == "" && at < 0 {
				continue
			}
			s.Conflicts++
			if at >= 0 || slices.ContainsFunc(before, d.isAt) {
				s.Repeated++
			}
			if at >= 0 {
				s.Predicted++
			}
			if at >= 0 && rules[at].Prefer == d.side {
				s.Right++
			}
		}
	}
	return s
}

// isAt reports whether another decision is about the same path.
func (d Decision) isAt(other Decision) bool {
	return d.rule == other.rule && slices.Equal(d.path, other.path)
}
