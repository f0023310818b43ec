package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/learn"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// learnRun is a run of the command learn.
type learnRun struct {
	dir, upgrades        string
	check, asJSON, quiet bool
}

// learnCommand is the command resource-merge learn (rules/learn).
func learnCommand(s streams) *cobra.Command {
	l := learnRun{}
	c := &cobra.Command{
		Use:   "learn [DIR] [--upgrades FILE] [--check [--json]]",
		Short: "Learn rules from the decisions in a package's history",
		Example: `  # Write your constant decisions into shop/.resource-merge.yaml
  resource-merge learn shop

  # See how well past upgrades predict later ones, and write nothing
  resource-merge learn shop --check`,
		Long: `learn finds the past upgrades of the package in DIR, the current directory by default, in
its git history: commits that changed upstreamLock in the Kptfile, upstream in
.resource-merge.yaml, or a vendir.lock.yml. It merges each again and compares the conflicts
with what was committed. A path that conflicted at least twice and was always decided for
the same side becomes a rule in DIR/.resource-merge.yaml, after the rules written by hand.
Later merges say that such a conflict was decided as before.

Learning again replaces the learned rules, and no other line. Nothing is learned about
deletions, security contexts, RBAC, network policies and Secrets, nor from merges of branches.

FILE lists the upgrades instead: on each line a commit, its origin and its upstream,
separated by spaces. The versions are written as merge --origin takes them. Empty lines, and
those that begin with #, are skipped.

--check writes no rules. It predicts each upgrade from those before it, and prints how many
conflicts at a known path were predicted (coverage), and how many of these rightly (precision).

The exit code is 0 if at least one upgrade was merged again, 1 if an error occurred, and 2 for
wrong usage.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return misuse("unknown argument %q; want one directory", args[1])
			}
			if l.asJSON && !l.check {
				return misuse("--json goes with --check")
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveFilterDirs),
		RunE: func(c *cobra.Command, args []string) error {
			if l.dir = "."; len(args) > 0 {
				l.dir = args[0]
			}
			return l.run(c.Context(), c.Flags().Changed("upgrades"), s)
		},
	}
	c.Flags().SortFlags = false
	addInput(c, &l.upgrades, "upgrades", "learn from the upgrades that `FILE` lists")
	c.Flags().BoolVar(&l.check, "check", false, "predict each upgrade from those before it, and write nothing")
	c.Flags().BoolVar(&l.asJSON, "json", false, "with --check: print the numbers as JSON")
	addQuiet(c, &l.quiet)
	return c
}

// run learns rules, or checks how well they predict.
func (l *learnRun) run(ctx context.Context, listed bool, s streams) error {
	o, err := l.options(ctx, listed, s)
	if err == nil {
		err = l.warnOfShallow(ctx, s)
	}
	if err != nil {
		return err
	}
	line := progress.New(s.err)
	o.Progress = func(done, total int) { line.Show("upgrades", done, total) }
	lesson, err := learn.Study(ctx, o)
	line.Clear()
	if err != nil {
		return err
	}
	for _, skipped := range lesson.Skipped {
		wording.Say(s.err, "%s: %s", directoryName(l.dir), skipped)
	}
	if l.check {
		return l.print(lesson.Check(), s)
	}
	return l.write(ctx, lesson, o.Settings, s)
}

// warnOfShallow says that the clone lacks commits, if it is shallow.
func (l *learnRun) warnOfShallow(ctx context.Context, s streams) error {
	out, _, err := gitrepo.Inside(ctx, l.dir, nil, "rev-parse", "--is-shallow-repository")
	if err == nil && strings.TrimSpace(string(out)) == "true" {
		wording.Say(s.err, "%s: the clone is shallow, so older upgrades are unknown; git fetch --unshallow gets the commits", directoryName(l.dir))
	}
	return err
}

// prepare makes the package whole after a killed run if rules are to be written; a check does not read a half-written one.
func (l *learnRun) prepare(s streams) error {
	if l.check {
		return checkPackage(l.dir)
	}
	return cmp.Or(isDirectory(l.dir), recoverFirst(l.dir, s.err))
}

func (l *learnRun) options(ctx context.Context, listed bool, s streams) (o learn.Options, err error) {
	if err := l.prepare(s); err != nil {
		return o, err
	}
	o.Dir = l.dir
	if o.Work, err = findHistory(ctx, l.dir); err != nil {
		return o, err
	}
	if !l.check {
		if err := l.checkClean(ctx, o.Work); err != nil {
			return o, err
		}
	}
	if listed {
		o.ListName = l.upgrades
		if o.List, err = os.ReadFile(l.upgrades); err != nil {
			return o, fmt.Errorf("--upgrades: %w", err)
		}
	}
	o.Settings, err = readConfig("", l.dir)
	return o, err
}

// findHistory finds the repository of a package, which must have a commit.
func findHistory(ctx context.Context, dir string) (*gitrepo.WorkTree, error) {
	work, err := gitrepo.Git{}.Find(ctx, dir)
	switch {
	case err != nil:
		return nil, err
	case work == nil:
		return nil, fmt.Errorf("%s is in no git repository, so it has no history to learn from", dir)
	case work.Commit == "":
		return nil, fmt.Errorf("the repository of %s has no commit yet, so there is no history to learn from", dir)
	}
	return work, nil
}

// print prints the numbers of a check.
func (l *learnRun) print(score learn.Score, s streams) error {
	if l.asJSON {
		text, err := json.Marshal(score)
		if err == nil {
			_, err = fmt.Fprintf(s.out, "%s\n", text)
		}
		return err
	}
	share := func(part, whole int) string {
		if whole == 0 {
			return ""
		}
		return fmt.Sprintf(" (%d %%)", (200*part+whole)/(2*whole))
	}
	_, err := fmt.Fprintf(s.out, "%s, %s, %d of them repeated\ncoverage:  %d of %d repeated conflicts predicted%s\nprecision: %d of %d predictions right%s\n",
		wording.Plural(score.Upgrades, "upgrade"), wording.Plural(score.Conflicts, "conflict"), score.Repeated,
		score.Predicted, score.Repeated, share(score.Predicted, score.Repeated), score.Right, score.Predicted, share(score.Right, score.Predicted))
	return err
}

// write puts the rules into the config of the package, which has some settings before that.
func (l *learnRun) write(ctx context.Context, lesson *learn.Lesson, before config.Settings, s streams) error {
	name := filepath.Join(l.dir, file.Config)
	rules, lines := lesson.Rules(), ""
	for _, r := range rules {
		lines += r.String()
	}
	edited, err := config.Edit(l.dir, func(text []byte) ([]byte, error) { return config.WithLearned(name, text, lines) })
	if err == nil {
		err = withoutInterrupts(ctx, func() error { return edited.Write(ctx, l.dir) })
	}
	if err != nil || l.quiet {
		return err
	}
	after, err := readConfig("", l.dir)
	if err == nil {
		tellForgotten(before, after, s)
		l.tell(lesson, rules, s)
	}
	return err
}

// tellForgotten lists the rules that were learned before, and not again.
func tellForgotten(before, after config.Settings, s streams) {
	for _, was := range before.Learned() {
		isSame := func(r config.ConflictRule) bool { r.Prefer = was.Prefer; return reflect.DeepEqual(r, was) }
		if !slices.ContainsFunc(after.Learned(), isSame) {
			namespace := ""
			if was.Namespace != nil {
				namespace = *was.Namespace
			}
			wording.Say(s.err, "%s %s: not learned again, so the rule is gone", wording.Object(was.Kind, namespace, was.Name), was.Path)
		}
	}
}

// tell lists the rules that were learned.
func (l *learnRun) tell(lesson *learn.Lesson, rules []learn.Rule, s streams) {
	for _, r := range rules {
		wording.Say(s.err, "%s %s: %s", wording.Object(r.Kind, r.Namespace, r.Name), r.Path, r.How())
	}
	wording.Say(s.err, "%s: learned %s from %s in %s", directoryName(l.dir), wording.Plural(len(rules), "rule"),
		wording.Plural(lesson.Conflicts(), "conflict"), wording.Plural(len(lesson.Upgrades), "upgrade"))
}

// checkClean returns an error if git lacks changes of the package's tracked files: the history then says nothing about
// them.
func (l *learnRun) checkClean(ctx context.Context, work *gitrepo.WorkTree) error {
	err := update.CheckClean(ctx, work, l.dir, false)
	if dirty := (*update.DirtyError)(nil); errors.As(err, &dirty) {
		err = fmt.Errorf("%w; commit them, then learn", err)
	}
	return err
}
