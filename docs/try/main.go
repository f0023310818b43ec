// Command try gives the page beside it the merge of three texts, as a function of JavaScript. Outside of a browser it merges three files,
// as the page would: go run ./docs/try ORIGIN UPSTREAM LOCAL
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// mergeTexts merges origin, upstream and local, and returns the result and the report.
func mergeTexts(texts [3]string, preferLocal bool) (text, told string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the engine failed, please report it: %v", p)
		}
	}()
	var packages [3]pkgmerge.Package
	for side, text := range texts {
		file := pkgmerge.File{Name: "file.yaml", Mode: 0o644, Data: []byte(text)}
		if packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{file}); err != nil {
			return "", "", fmt.Errorf("%s: %w", identity.Side(side), err)
		}
	}
	options := pkgmerge.Options{MergeComments: pkgmerge.CommentNever}
	if preferLocal {
		options.Policy = pkgmerge.Rules{Default: merge.PreferLocal}
	}
	merged, err := pkgmerge.Merge(context.Background(), packages, options)
	if err != nil {
		return "", "", err
	}
	files, err := merged.Files()
	for _, f := range files {
		text += string(f.Data)
	}
	r, failed := report.New(merged, report.Options{})
	if err = errors.Join(err, failed); err != nil {
		return "", "", err
	}
	var b strings.Builder
	err = report.Formats()[0].Write(&b, r)
	return text, b.String(), err
}
