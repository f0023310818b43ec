package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// opens lists the calls of the program that open a file by a path, and who names the file. A file that comes with a package
// is not among them: package file reads it (SECURITY.md: files beside a package).
func opens() map[string]string {
	const user, own, git, work = "the user", "this program, for a temporary file or its cache", "git", "the work tree: a regular file that was listed"
	return map[string]string{
		"source/directory.go os.OpenRoot":                       user,
		"source/download.go os.ReadFile":                        user,
		"source/stream.go os.ReadFile":                          user,
		"source/stream.go os.Open":                              user,
		"sink/internal/journal/recover.go os.OpenRoot":          user,
		"sink/internal/journal/replace.go os.OpenRoot":          user,
		"values/render.go os.WriteFile":                         own,
		"command/internal/cli/fleet.go os.ReadFile":             user,
		"command/internal/cli/learn.go os.ReadFile":             user,
		"command/internal/cli/output.go os.OpenFile":            user,
		"command/internal/cli/pr.go os.Create":                  own,
		"command/internal/cli/pr.go os.Open":                    user,
		"command/internal/cli/pr.go os.ReadFile":                own,
		"command/internal/cli/root.go os.Open":                  user,
		"command/internal/cli/values.go os.ReadFile":            user,
		"command/internal/cli/values_releases.go os.ReadFile":   work,
		"command/internal/gitdriver/driver.go os.ReadFile":      git,
		"command/internal/gitdriver/install.go os.CreateTemp":   own,
		"command/internal/gitdriver/install.go os.ReadFile":     "the user's configuration of git",
		"command/internal/gitdriver/line_merge.go os.WriteFile": own,
		"command/internal/pullrequest/pullrequest.go os.Open":   user,
		"command/internal/pullrequest/sandbox.go os.WriteFile":  own,
		"command/internal/reportfile/output.go os.OpenFile":     user,
		"command/internal/resolve/edit.go os.CreateTemp":        own,
		"command/internal/resolve/edit.go os.ReadFile":          own,
		"command/internal/resolve/file.go os.ReadFile":          work,
		"command/internal/resolve/open.go os.WriteFile":         work,
		"docs/try/main_other.go os.ReadFile":                    user,
		"internal/file/beside.go os.Open":                       user,
		"internal/file/beside.go os.OpenRoot":                   user,
		"internal/file/file.go os.CreateTemp":                   own,
		"internal/file/file.go os.WriteFile":                    user,
		"internal/gitrepo/cache.go os.OpenFile":                 own,
		"internal/gitrepo/cache.go os.WriteFile":                own,
		"internal/gitrepo/tree.go os.OpenRoot":                  own,
	}
}

// Each call of the program that opens a file is listed with who names the file, so that nobody adds one that follows a
// link of a package.
func TestOpensAreListed(t *testing.T) {
	call := regexp.MustCompile(`\bos\.(?:Open|OpenFile|OpenRoot|OpenInRoot|ReadFile|Create|CreateTemp|WriteFile|DirFS|CopyFS)\(`)
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		name = filepath.ToSlash(name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "tests", "e2e", "merge/schema/gen"}, name):
			return fs.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(name)
		for _, one := range call.FindAllString(string(text), -1) {
			found[name+" "+strings.TrimSuffix(one, "(")] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	listed := opens()
	for one := range found {
		if listed[one] == "" {
			t.Errorf("%s is not listed: read a file of a package with package file", one)
		}
	}
	for one := range listed {
		if !found[one] {
			t.Errorf("%s is gone", one)
		}
	}
}
