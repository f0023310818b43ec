package report_test

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
)

// TestFindingsStandAtTheirLines reads the line of each conflict of each case in the merged
// files: it has the field's name, or the key of the element; or what is above it, where a
// null or a new key leaves nothing there.
func TestFindingsStandAtTheirLines(t *testing.T) {
	t.Parallel()
	last := regexp.MustCompile(`(?:(?:^|\.)([A-Za-z0-9_-]+)|\["([^"]+)"\]|\[[^]=]*="?([^",\]]+)[^]]*\])$`)
	checked := 0
	for _, c := range cases(t) {
		r, lines := mergedFiles(t, c)
		if r == nil || r.Summary.Failed {
			continue
		}
		for _, it := range r.Resources {
			for _, conflict := range it.Conflicts {
				m := last.FindStringSubmatch(conflict.Path)
				if conflict.Path == "" || m == nil || !conflict.Values[sideNamed(conflict.Chosen)].Present {
					continue
				}
				checked++
				above := last.FindStringSubmatch(strings.TrimSuffix(conflict.Path, m[0]))
				here := near(lines[conflict.File], conflict.Line, m[1]+m[2]+m[3])
				if conflict.Line == 0 || !here && (above == nil || !near(lines[conflict.File], conflict.Line, above[1]+above[2]+above[3])) {
					t.Errorf("%s: %s is said to stand at %s:%d", c.Name, conflict.Path, conflict.File, conflict.Line)
				}
			}
		}
	}
	if checked < 50/caseStep() {
		t.Errorf("only %d conflicts were checked", checked)
	}
}

func sideNamed(name string) identity.Side {
	if name == identity.Upstream.String() {
		return identity.Upstream
	}
	return identity.Local
}

// near reports whether a word is in a line, or in the two after it: an element begins
// before its key.
func near(lines []string, line int, word string) bool {
	text := strings.Join(lines[min(line-1, len(lines)):min(line+2, len(lines))], "\n")
	return strings.Contains(text, word) || strings.Contains(text, strings.Trim(strconv.Quote(word), `"`))
}

// mergedFiles is the report of a case whose versions are files, with the lines of the
// merged files.
func mergedFiles(t *testing.T, c testCase) (*report.Report, map[string][]string) {
	t.Helper()
	settings, err := command.ReadSettings(c.config)
	if err != nil {
		return nil, nil
	}
	for side, name := range [3]string{"origin.yaml", "upstream.yaml", "local.yaml"} {
		text := c.Files[name]
		if text == nil {
			return nil, nil
		}
		var err error
		if c.packages[side], err = pkgmerge.NewPackage([]pkgmerge.File{{Name: "all.yaml", Mode: 0o644, Data: text}}); err != nil {
			return nil, nil
		}
	}
	o, err := settings.Options(c.packages[identity.Local])
	if err != nil {
		return nil, nil
	}
	result, err := pkgmerge.Merge(context.Background(), c.packages, o)
	if err != nil {
		return nil, nil
	}
	files, err := result.Files()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	for _, f := range files {
		lines[f.Name] = strings.Split(string(f.Data), "\n")
	}
	r, err := report.New(result, report.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r, lines
}

// TestImageOfText: a conflict in a text or in another field is not told as one about a part of an image.
func TestImageOfText(t *testing.T) {
	version := func(text string) pkgmerge.Package {
		p, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: "a.yaml", Mode: 0o644, Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  f: |\n    " + text + "\n  tag: " + text[len(text)-1:] + "x\n")}})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	result, err := pkgmerge.Merge(t.Context(), [3]pkgmerge.Package{version("image: x:1"), version("image: x:2"), version("image: x:3")}, pkgmerge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [2]bool{false, true} {
		conflict := &result.Changes[0].Conflicts[i]
		conflict.Values[identity.Upstream] = conflict.Values[identity.Origin] // as where a rule decides each field of an image
		r, err := report.New(result, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if message := r.Resources[0].Conflicts[i].Message; strings.Contains(message, "part of the image") != want {
			t.Errorf("%s: %s", conflict.Path, message)
		}
	}
}
