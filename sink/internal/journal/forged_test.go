package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// forgedNames are names that no run writes to its journal.
func forgedNames(outside string) map[string]string {
	return map[string]string{
		"../x.yaml": "not a file below", "sub/../../x.yaml": "not a file below", "..": "not a file below", ".": "not a file below", "": "not a file below", "./a.yaml": "not a file below", "sub//a.yaml": "not a file below", "sub/": "not a file below",
		"/etc/hostname": "not a file below", outside + "/x.yaml": "not a file below", ".git": "git's own", ".git/config": "git's own", ".GIT/hooks/pre-commit": "git's own", "sub/.git/config": "git's own",
		Dir: "keep their files", Dir + "/lock": "keep their files", "sub/" + Dir + "/journal": "keep their files",
		"link/x.yaml": "symbolic link", "link": "", "inside/a.yaml": "symbolic link",
	}
}

// TestForgedJournals: a forged journal, or other files where a run keeps its files, change nothing.
// Neither Recover nor Replace follows them out of the package, into .git, or through a link. Both
// return an error.
func TestForgedJournals(t *testing.T) {
	outside := directoryOf(t, file("x.yaml", "outside\n"))
	before := newState(file("x.yaml", "outside\n"))
	quoted := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	forged := map[string]string{}
	add := func(what string, r record, want string) { forged[quoted(r)+" "+what] = want }
	for n, want := range forgedNames(outside) {
		if n != "link" {
			add("removes", record{Version: version, Steps: []step{{Name: name(n), After: &before}}}, want)
			add("replaces", record{Version: version, Steps: []step{{Name: name(n), Before: &state{Mode: "100644", Sum: "0"}, After: &before}}}, want)
		}
		add("made", record{Version: version, Made: []name{name(n)}}, want)
		add("emptied", record{Version: version, Emptied: []directory{{Name: name(n), Perm: 0o777}}}, want)
	}
	to := newState(link("git", ".git"))
	throughOwn := func(steps ...step) []step {
		return append([]step{{Name: "git", Before: &to, After: &to}}, steps...)
	}
	add("writes through a link of its own", record{Version: version, Steps: throughOwn(step{Name: "git/config", Before: &before})}, "symbolic link")
	add("removes through a link of its own", record{Version: version, Steps: throughOwn(step{Name: "git/config", After: &before})}, "")
	add("makes a directory through a link of its own", record{Version: version, Steps: throughOwn(), Emptied: []directory{{Name: "git/hooks", Perm: 0o755}}}, "symbolic link")
	add("a step twice", record{Version: version, Steps: []step{{Name: "a.yaml", After: &before}, {Name: "a.yaml", After: &before}}}, "was changed since")
	whole := quoted(record{Version: version, Steps: []step{{Name: "a.yaml", After: &before}}, Made: []name{"sub"}})
	for n := range whole {
		forged[whole[:n]+" cut off"] = "journal"
	}
	for text, want := range map[string]string{
		`null`: "version 0", `[]`: "cannot unmarshal", `"x"`: "cannot unmarshal", `{}`: "version 0", `{"version":-1}`: "version -1", `{"version":99}`: "version 99", `{"version":"1"}`: "cannot unmarshal",
		`{"version":1}{"version":1}`: "after top-level", `{"version":1,"steps":{}}`: "cannot unmarshal", `{"version":1,"steps":[{"name":1}]}`: "cannot unmarshal", `{"version":1,"steps":[{"name":"a.yaml"}]}`: "journal",
		`{"version":1,"steps":[{"name":"\"a\u0000b\""}]}`: "", `{"version":1,"emptied":[{"name":"\"x\"","perm":4294967295}]}`: "", `{"version":1,"emptied":[{"name":"\"x\"","perm":-1}]}`: "cannot unmarshal",
		strings.Repeat("[", 100_000): "max depth", "\x00": "invalid character", "\xff\xfe": "invalid character",
	} {
		forged[text] = want
	}
	for text, want := range forged {
		t.Run(fmt.Sprintf("%.120s", text), func(t *testing.T) {
			text, _, _ := strings.Cut(text, " ")
			dir := directoryOf(t, file("a.yaml", "a: 1\n"), file("twin/a.yaml", "outside\n"), file(".git/config", "outside\n"), file(journalName, text), file(ignoreName, "*\n"), file(lockName, ""), file(stepFile(oldDir, 1), "forged\n"))
			if err := errors.Join(os.Symlink(outside, filepath.Join(dir, "link")), os.Symlink("twin", filepath.Join(dir, "inside")), os.Symlink(".git", filepath.Join(dir, "git"))); err != nil {
				t.Fatal(err)
			}
			was := treeOf(t, dir)
			for run, err := range map[string]error{
				"recover": lastError(Recover(dir)), "pending": lastError(Pending(dir)),
				"replace": Replace(context.Background(), dir, []pkgmerge.File{file("a.yaml", "a: 1\n")}, []pkgmerge.File{file("a.yaml", "a: 2\n")}),
			} {
				if run != "pending" && want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s: got %.300v, want %s", run, err, want)
				}
			}
			if want != "" {
				wantTree(t, dir, was)
			}
			if text, err := os.ReadFile(filepath.Join(dir, ".git/config")); err != nil || string(text) != "outside\n" {
				t.Errorf("git's own configuration is %q, %v", text, err)
			}
			if all, err := os.ReadDir(filepath.Join(dir, ".git")); err != nil || len(all) != 1 {
				t.Errorf("git's own directory has %v, %v", all, err)
			}
			wantTree(t, outside, tree{"x.yaml": "-rw-r--r-- outside\n"})
		})
	}
}

func lastError(_ bool, err error) error { return err }
