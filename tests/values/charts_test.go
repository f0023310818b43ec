package values_test

import (
	"archive/tar"
	"bytes"
	"flag"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/values"
)

var (
	charts   = flag.String("charts", "", "a git repository of charts, whose versions are compared with the values files below ci")
	below    = flag.String("charts.below", "charts", "the directory of the charts in the repository")
	versions = flag.Int("charts.versions", 20, "compare a chart with the one so many releases ago")
)

// TestCharts: the laws hold for public charts, two versions each, and the values files that they are tested with. It
// needs a clone of their repository.
func TestCharts(t *testing.T) {
	if *charts == "" {
		t.Skip("no -charts")
	}
	pairs, counted := 0, map[values.Class]int{}
	for name := range strings.FieldsSeq(git(t, "ls-tree", "-d", "--name-only", "HEAD", *below+"/")) {
		commits := strings.Fields(git(t, "log", "--format=%H", "--", name+"/Chart.yaml"))
		if len(commits) < 2 {
			continue
		}
		before := filesAt(t, commits[min(*versions, len(commits)-1)], name)
		old, err := newVersion(name, before)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		now, err := newVersion(name, filesAt(t, commits[0], name))
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		for _, f := range before {
			if path.Dir(f.Name) != "ci" || !strings.HasSuffix(f.Name, ".yaml") {
				continue
			}
			user := pkgmerge.File{Name: f.Name, Data: f.Data}
			compared, err := values.Compare(old.Chart, now.Chart, []pkgmerge.File{user})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			rendered, err := now.render(user)
			again, _ := now.render(user)
			if err != nil || rendered != again {
				continue // the chart needs subcharts, refuses the values, or makes passwords
			}
			pairs++
			for _, found := range compared.Findings {
				counted[found.Class]++
			}
			pruned, err := compared.Edits(true, func(f *values.Finding) bool { return f.Class == values.Renamed })
			if err != nil {
				t.Errorf("%s %s: %v", name, f.Name, err)
				continue
			}
			if after, err := now.render(pruned[0]); err != nil || after != rendered {
				t.Errorf("%s %s: pruning changes the render (%v):\n%s", name, f.Name, err, describe(compared))
			}
			for _, found := range compared.Findings {
				if found.Class == values.Renamed || found.Class == values.Dead || found.Class == values.Unknown {
					t.Logf("%s %s: %s %s -> %s %v", name, f.Name, found.Class, values.PathText(found.Path), values.PathText(found.NewPath), found.Candidates)
				}
			}
		}
	}
	t.Logf("%d pairs of versions with values: %v", pairs, counted)
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", *charts}, args...)...).Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return string(out)
}

// filesAt returns the files of a directory at a commit.
func filesAt(t *testing.T, commit, dir string) (files []pkgmerge.File) {
	t.Helper()
	archive := tar.NewReader(bytes.NewReader([]byte(git(t, "archive", commit, dir))))
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, pkgmerge.File{Name: strings.TrimPrefix(header.Name, dir+"/"), Mode: 0o644, Data: data})
	}
}
