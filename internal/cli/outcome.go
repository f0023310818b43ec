package cli

import (
	"bytes"
	"slices"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
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
		r, err := report.New(p.Result, report.Options{Prefix: p.prefix, Place: p.place, Warnings: p.warnings})
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
