package report_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/tests/seed"
)

var update = flag.Bool("update", false, "rewrite what the tests expect")

// TestMain has the laws draw from one seed.
func TestMain(m *testing.M) { seed.Main(m) }

// TestQuickstart compares the report of the quickstart's merge in every format with
// the file that has it.
func TestQuickstart(t *testing.T) {
	r := reportOf(t, quickstart(t), pkgmerge.Options{}, report.Options{Prefix: "deploy/shop"})
	for _, f := range report.Formats() {
		t.Run(f.Name, func(t *testing.T) { golden(t, "quickstart."+extension(f.Name), written(t, f, r)) })
	}
}

func extension(format string) string {
	switch format {
	case "text", "github":
		return format + ".txt"
	case "markdown":
		return format + ".md"
	}
	return format
}

// format returns the format with a name.
func format(name string) report.Format {
	all := report.Formats()
	return all[slices.IndexFunc(all, func(f report.Format) bool { return f.Name == name })]
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got), -update rewrites it:\n%s", file, diff)
	}
}

// quickstart is the three versions of the quickstart's package.
func quickstart(t *testing.T) [3]pkgmerge.Package {
	t.Helper()
	const dir = "../testdata/quickstart/package"
	packages, err := source.Three(context.Background(), source.Dir(dir+"/origin"), source.Dir(dir+"/upstream"), source.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	local := slices.DeleteFunc(packages[identity.Local].Files, func(f pkgmerge.File) bool {
		return strings.HasPrefix(f.Name, "origin/") || strings.HasPrefix(f.Name, "upstream/")
	})
	if packages[identity.Local], err = pkgmerge.NewPackage(local); err != nil {
		t.Fatal(err)
	}
	return packages
}

func reportOf(t testing.TB, packages [3]pkgmerge.Package, o pkgmerge.Options, ro report.Options) *report.Report {
	t.Helper()
	merged, err := pkgmerge.Merge(context.Background(), packages, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.New(merged, ro)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written(t testing.TB, f report.Format, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.String()
}
