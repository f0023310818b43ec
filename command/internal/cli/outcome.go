package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
)

// outcome is what a merge came to.
type outcome struct {
	// read are local's files.
	read []pkgmerge.File
	// result has the files of the merged package.
	result *pkgmerge.Result
	// parts are the packages that were merged: the package itself, and subpackages that
	// were merged on their own.
	parts []part
}

// left is how many conflicts nobody has decided.
func (o outcome) left() (n int) {
	for _, p := range o.parts {
		n += p.left
	}
	return n
}

// part is a package that was merged.
type part struct {
	*merged
	// prefix is put before the names of its files.
	prefix string
	// warnings are about the config.
	warnings []string
}

// report is the report of all parts.
func (o outcome) report() (*report.Report, error) {
	var all []*report.Report
	for _, p := range o.parts {
		r, err := report.New(p.Result, report.Options{Prefix: p.prefix, Locate: p.place, Warnings: p.warnings})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return report.Join(all...), nil
}

// changes reports whether the merged package differs from local's.
func (o outcome) changes() (bool, error) {
	files, err := o.result.Files()
	same := slices.EqualFunc(files, o.read, func(a, b pkgmerge.File) bool {
		return a.Name == b.Name && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
	})
	return !same, err
}

// finish puts the result where it is to go, and reports. The files of reports are
// open before anything is written.
func (o outcome) finish(ctx context.Context, to *output, outputs []reportfile.Output, local place, s streams) error {
	said, err := o.report()
	if err != nil {
		return err
	}
	open, err := reportfile.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if said.Summary.Failed {
		if err := open.Write(said); err != nil || slices.ContainsFunc(outputs, reportfile.Output.OnStderr) {
			return cmp.Or(err, error(exit(failed)))
		}
		return errors.New(said.Summary.Message)
	}
	write := func() error { return to.sink(s, o, local).Write(ctx, o.result) }
	if to.usesStdout() {
		err = write() // whoever reads stdout may let it wait
	} else {
		err = uninterrupted(ctx, write)
	}
	if err != nil {
		if errors.Is(err, sink.ErrNotEmpty) {
			err = fmt.Errorf("%w; give --force to put the package among its files", err)
		}
		return errors.Join(err, open.Discard())
	}
	if err := open.Write(said); err != nil {
		return err
	}
	changes, err := o.changes()
	if err == nil && (o.left() > 0 || to.exitCode && changes) {
		err = exit(failed)
	}
	return err
}
