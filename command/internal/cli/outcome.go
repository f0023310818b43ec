package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/resource-merge/resource-merge/blame"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
)

// outcome is the result of a command that merges.
type outcome struct {
	// name names the package and its versions, and command is the command line, for the page.
	name, command string
	// versions are the names of origin and upstream.
	versions [2]string
	// read has local's files.
	read []pkgmerge.File
	// result has the files of the merged package.
	result *pkgmerge.Result
	// parts has the merged packages: the package itself, and subpackages that were merged separately.
	parts []mergedPart
	// extra shows the fields of live objects that config does not ask for.
	extra bool
	// config is the config that is written together with the result; it is no file of the package.
	config config.Edited
}

// unresolved returns the number of undecided conflicts.
func (o outcome) unresolved() (n int) {
	for _, p := range o.parts {
		n += p.unresolved
	}
	return n
}

// mergedPart is a merged package.
type mergedPart struct {
	*mergeResult
	// prefix is put before the names of its files.
	prefix string
	// warnings are about the config.
	warnings []string
}

// report returns the report about all parts, as far as the outputs show it: only its summary if there are none.
func (o outcome) report(ctx context.Context, outputs []reportfile.Output, local localPackage) (*report.Report, error) {
	if len(outputs) == 0 {
		var merged []*pkgmerge.Result
		for _, p := range o.parts {
			merged = append(merged, p.Result)
		}
		return &report.Report{Summary: report.Summarize(merged...)}, nil
	}
	noRules := !slices.ContainsFunc(outputs, func(to reportfile.Output) bool { return to.Format.Name != "text" })
	var all []*report.Report
	for _, p := range o.parts {
		r, err := report.New(p.Result, report.Options{Setter: local.setter(ctx, p), Versions: o.versions, Prefix: p.prefix, Locate: p.locate, Warnings: p.warnings, Name: o.name, Command: o.command, NoRules: noRules, Extra: o.extra})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return report.Join(all...), nil
}

// setter returns the function that names the commits of local's values, nil if local is no directory of a repository.
func (p localPackage) setter(ctx context.Context, part mergedPart) func(*pkgmerge.Change, *merge.Path) string {
	if p.tree == nil || p.name != p.dir {
		return nil
	}
	dir := filepath.Join(p.dir, filepath.FromSlash(strings.TrimPrefix(part.prefix, p.prefix)))
	return blame.Setter(ctx, dir, part.Result)
}

// changes reports whether the merged package differs from local's.
func (o outcome) changes() (bool, error) {
	files, err := o.result.Files()
	same := slices.EqualFunc(files, o.read, func(a, b pkgmerge.File) bool {
		return a.Name == b.Name && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
	})
	return !same, err
}

// finish writes the result and the reports. The files of reports are opened before anything is written.
func (o outcome) finish(ctx context.Context, to *output, outputs []reportfile.Output, local localPackage, s streams) error {
	r, err := o.report(ctx, outputs, local)
	if err != nil {
		return err
	}
	open, err := reportfile.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if r.Summary.Failed {
		if err := open.Write(r); err != nil || slices.ContainsFunc(outputs, reportfile.Output.OnStderr) {
			return cmp.Or(err, error(exit(failed)))
		}
		return errors.New(strings.TrimPrefix(r.Summary.Message, "apply: ")) // the name of the command comes before it
	}
	if err = local.checkIgnored(ctx, o, to); err == nil {
		err = o.write(ctx, to, local, s)
	}
	if err != nil {
		return errors.Join(err, open.Discard())
	}
	if err := open.Write(r); err != nil {
		return err
	}
	return o.exit(to)
}

// write writes the result. An interrupt waits for it, unless the result goes to stdout.
func (o outcome) write(ctx context.Context, to *output, local localPackage, s streams) (err error) {
	o, err = o.withConfig()
	if err != nil {
		return err
	}
	write := func() error { return to.sink(s, o, local).Write(ctx, o.result) }
	if to.usesStdout() {
		writesParts(ctx)
		err = write() // whoever reads stdout may let it wait
	} else {
		err = withoutInterrupts(ctx, write)
	}
	switch notEmpty := errors.Is(err, sink.ErrNotEmpty); {
	case notEmpty && to.canForce:
		err = fmt.Errorf("%w; give --force to put the package among its files", err)
	case notEmpty:
		err = fmt.Errorf("%w; name a new one", err)
	}
	return err
}

// withConfig returns the outcome with the config among its files, so that all of them are written, or none.
func (o outcome) withConfig() (outcome, error) {
	if len(o.config.Before)+len(o.config.After) == 0 {
		return o, nil
	}
	files, err := o.result.Files()
	o.read, o.result = slices.Concat(o.read, o.config.Before), o.result.WithFiles(slices.Concat(files, o.config.After))
	return o, err
}

// exit returns the error for the exit code of a result that was written.
func (o outcome) exit(to *output) error {
	changes, err := o.changes()
	if err == nil && (o.unresolved() > 0 || to.exitCode && changes) {
		err = exit(failed)
	}
	return err
}

// shownCommand returns a command line for a report, which has no path of the machine: "" if an
// argument is an absolute path. Each argument may stand after a flag.
func shownCommand(name string, arguments ...string) string {
	line := "resource-merge " + name
	for _, argument := range arguments {
		if filepath.IsAbs(argument) {
			return ""
		}
		if strings.ContainsFunc(argument, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./@:=,+", r)
		}) {
			argument = "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
		}
		line += " " + argument
	}
	return line
}

// directoryName returns the name of a directory for people: of ".", that of the working directory.
func directoryName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		return filepath.Base(absolute)
	}
	return filepath.Base(dir)
}
