package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// evil is a name that a terminal acts on: an escape sequence, a C1 control character, a
// character that turns the direction of writing, and a bell.
const evil = "x\x1b]0;y\x07\u009b31m\u202e\u2066z"

// ran is the output of one run of a command.
type ran struct {
	code        int
	out, errors string
}

// runIn runs the program in a directory.
func runIn(t *testing.T, dir, stdin string, args ...string) ran {
	t.Helper()
	t.Chdir(dir)
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		f, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	r := ran{}
	if isCommand(args) {
		r.code = runCommand(args, "test", streams{strings.NewReader(stdin), files[0], files[1]})
	} else if err := (Program{}).Run(args, strings.NewReader(stdin), files[0], files[1]); err != nil {
		r.code = 1
		printError(files[1], err)
	}
	for i, to := range []*string{&r.out, &r.errors} {
		text, err := os.ReadFile(files[i].Name())
		if err != nil {
			t.Fatal(err)
		}
		*to = string(text)
	}
	return r
}

// hostileDir is a directory with three versions of a package, a recording of a cluster, and a
// repository, in which everything has the evil name that may.
func hostileDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	quoted := fmt.Sprintf("%+q", evil)
	resource := func(kind, value string, more ...string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata:\n  name: %s\n  namespace: %[2]s\ndata:\n  %[2]s: %q\n%s", kind, quoted, value+evil, strings.Join(more, ""))
	}
	for name, text := range map[string]string{
		"o/" + evil + ".yaml": resource("ConfigMap", "1"), "u/" + evil + ".yaml": resource("ConfigMap", "2"), "l/" + evil + ".yaml": resource("ConfigMap", "3"),
		"o/" + evil + ".txt": "1" + evil + "\n", "u/" + evil + ".txt": "2" + evil + "\n", "l/" + evil + ".txt": "3" + evil + "\n",
		"broken/" + evil + ".yaml":     "a: [" + evil + "\n",
		"twice/" + evil + ".yaml":      resource("ConfigMap", "1", quoted+": 1\n", quoted+": 2\n"),
		"live.yaml":                    resource("ConfigMap", "4"),
		"values/o.yaml":                quoted + ": {a: " + quoted + "}\nb: " + quoted + "\nc: 1\n",
		"values/u.yaml":                fmt.Sprintf("%+q", evil+"2") + ": {a: " + quoted + "}\nb: [" + quoted + "]\n",
		"values/l.yaml":                quoted + ": {a: " + quoted + "}\n# \u202e\nb: " + quoted + "\n" + fmt.Sprintf("%+q", evil+"3") + ": 1\nc: 1\n",
		"tracked/.resource-merge.yaml": "upstream: {source: " + fmt.Sprintf("%+q", "../"+evil+"/{version}") + ", version: v1}\n",
		"tracked/a.yaml":               resource("ConfigMap", "1"),
		"bad-config/" + evil:           "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\nstrategy: " + quoted + "\n",
		"unknown-field/" + evil:        "apiVersion: fn.kpt.dev/v1alpha1\nkind: ResourceMerge\n" + quoted + ": 1\n",
		"kpt/" + evil + "/Kptfile":     "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: a}\nupstream: {type: git, git: {repo: " + quoted + ", directory: /, ref: v1}}\n",
		"kpt2/Kptfile":                 "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: " + quoted + "}\nupstream: {type: " + quoted + "}\n",
		"report/" + evil + ".json":     `{"` + strings.Trim(quoted, `"`) + `": 1}`,
		"report/" + evil + ".2.json":   "no json" + evil,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// hostileRepository is a repository in which a merge has stopped, in a file of the evil name.
func hostileRepository(t *testing.T, dir string) {
	t.Helper()
	text := func(n int) string {
		return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: \"%d\"\n", n)
	}
	for _, args := range [][]string{
		{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"commit", "--quiet", "--message=base"},
		{"switch", "--quiet", "--create", "theirs"}, {"2"}, {"commit", "--quiet", "--all", "--message=theirs"},
		{"switch", "--quiet", "main"}, {"3"}, {"commit", "--quiet", "--all", "--message=ours"}, {"merge", "theirs"},
	} {
		if len(args) == 1 {
			if err := os.WriteFile(filepath.Join(dir, evil+".yaml"), []byte(text(int(args[0][0]-'0'))), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if args[0] == "init" {
			for name, text := range map[string]string{
				evil + ".yaml": text(1), "text.txt": "a\r" + evil + "\r\n\u2028\xff\x9b\n", "nul.txt": evil + "\x00",
				"text.yaml": "# " + "\u202e\u009b" + "\n" + text(1) + "  b: " + fmt.Sprintf("%+q", evil) + "\n", "live.yaml": text(2) + "  b: " + fmt.Sprintf("%+q", evil+"2") + "\n",
			} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
		cmd := exec.Command("git", append([]string{"-c", "user.name=a\u202e\u009b", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil && args[0] != "merge" {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
}

// hostileRun is a run of a command with hostile names and values.
type hostileRun struct {
	// dir is the directory of the run, "" for hostileDir.
	dir, stdin string
	args       []string
	// report means that stdout is a report for people; else it may be data.
	report bool
}

// hostileRuns are runs of all commands. The repository is a hostileRepository.
func hostileRuns(repository string) []hostileRun {
	three := []string{"--origin", "o", "--upstream", "u", "--local", "l"}
	merge := func(more ...string) []string { return append(append([]string{"merge"}, three...), more...) }
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"
	return []hostileRun{
		{args: merge()}, {args: merge("--conflicts", "upstream")}, {args: merge("--conflicts", "fail")}, {args: merge("--diff")},
		{args: merge("--write")}, {args: merge("-o", "out")}, {args: merge("-o", "o")}, {args: merge("--patches")},
		{args: merge("-o", "out2", "--report", "markdown"), report: true}, {args: merge("-o", "out3", "--report", "github"), report: true},
		{args: merge("--config", "bad-config/"+evil)}, {args: merge("--config", "unknown-field/"+evil)}, {args: merge("--config", evil)},
		{args: merge("--conflicts", evil)}, {args: merge("--" + evil)}, {args: merge(evil)}, {args: merge("--report", evil)}, {args: merge("--report", "json="+evil+"/"+evil)},
		{args: []string{"merge", "--origin", evil, "--upstream", "u", "--local", "l"}},
		{args: []string{"merge", "--origin", "o", "--upstream", "u", "--local", "broken"}},
		{args: []string{"merge", "--origin", "broken", "--upstream", "u", "--local", "l"}},
		{args: []string{"merge", "--origin", "twice", "--upstream", "u", "--local", "l"}},
		{args: []string{"merge", "--origin", "o", "--upstream", "u@" + evil, "--local", "l"}},
		{args: []string{"merge", "--origin", "https://" + evil + "/a.git@v1", "--upstream", "u", "--local", "l"}},
		{args: []string{"apply", "--live", "live.yaml", "l"}, report: true}, {args: []string{"apply", "--live", "live.yaml", "l", "--server-side"}, report: true},
		{args: []string{"apply", "--live", "live.yaml", "broken"}}, {args: []string{"apply", "--live", evil, "l"}}, {args: []string{"apply", "--live", "live.yaml", "twice"}},
		{args: []string{"apply", "--live", "live.yaml", "l", "-n", evil}, report: true}, {args: []string{"apply", "--live", "live.yaml", "l", "--conflicts", "fail"}, report: true},
		{args: append([]string{"overlay", "-o", "ov"}, three...)}, {args: append([]string{"overlay", "-o", evil, "--force"}, three...)},
		{args: []string{"overlay", "-o", "ov2", "--origin", "o", "--local", "broken"}}, {args: []string{"overlay", "-o", evil, "--origin", "o", "--local", evil}},
		{args: []string{"update", "kpt/" + evil}}, {args: []string{"update", "kpt2"}}, {args: []string{"update", evil + "@v1"}}, {args: []string{"update", "l@" + evil}},
		{args: []string{"recover", evil}}, {args: []string{"recover", "l"}}, {args: []string{"fleet", "report/" + evil + ".json"}, report: true},
		{args: []string{"fleet", "report/" + evil + ".2.json", evil}, report: true}, {args: []string{evil}}, {args: []string{"git", evil}}, {args: []string{"help", evil}},
		{dir: repository, args: []string{"git", "solve"}, report: true}, {dir: repository, args: []string{"git", "solve", evil}, report: true},
		{args: []string{"git", "driver", evil, evil, evil, "-p", evil}}, {args: []string{"git", "install", evil}},
		{stdin: list + "items: [{kind: A, metadata: {name: " + fmt.Sprintf("%+q", evil) + "}}]\n"},
		{stdin: list + "items:\n- " + evil + "\n"}, {stdin: list + "functionConfig: {kind: " + fmt.Sprintf("%+q", evil) + "}\nitems: []\n"},
		{dir: repository, args: []string{"blame", evil + ".yaml"}, report: true}, {dir: repository, args: []string{"blame", "--json", "HEAD", "--", evil + ".yaml"}, report: true},
		{dir: repository, args: []string{"blame", "text.txt"}, report: true}, {dir: repository, args: []string{"blame", "--json", "text.txt"}, report: true},
		{dir: repository, args: []string{"blame", "--live", "live.yaml", "text.yaml"}, report: true}, {dir: repository, args: []string{"blame", "--live", evil + ".yaml", "text.yaml"}, report: true},
		{dir: repository, args: []string{"blame", "nul.txt"}, report: true}, {dir: repository, args: []string{"blame", evil, evil}}, {dir: repository, args: []string{"blame", "-L", evil, "text.txt"}},
		{dir: repository, args: []string{"resolve"}, stdin: "?\n" + evil + "\nd\nq\n", report: true}, {dir: repository, args: []string{"learn", "."}, report: true}, {dir: repository, args: []string{"learn", evil}, report: true},
		{dir: repository, args: []string{"track", ".", evil}, report: true},
		{dir: repository, args: []string{"git", "merge", evil}}, {dir: repository, args: []string{"pr", "merge"}, stdin: fmt.Sprintf(`{"pull_request": {"number": 1, "head": {"ref": %[1]q}, "base": {"ref": %[1]q}}}`, "x\u202e"), report: true},
		{dir: repository, args: []string{"pr", evil}}, {dir: repository, args: []string{"pr", "upgrade"}, stdin: "{" + evil, report: true},
		{args: []string{"values", "--origin", "values/o.yaml", "--upstream", "values/u.yaml", "--local", "values/l.yaml"}, report: true},
		{args: []string{"values", "--origin", "values/o.yaml", "--upstream", "values/u.yaml", "--local", "values/l.yaml", "--diff", "--prune"}},
		{args: []string{"values", "--origin", "values/o.yaml", "--upstream", "values/u.yaml", "--local", "values/l.yaml", "--prune", "-o", "-"}},
		{args: []string{"values", "--origin", evil, "--upstream", "values/u.yaml", "--local", "values/l.yaml"}}, {args: []string{"track", "l", evil}, report: true},
		{args: []string{"update", "tracked"}, report: true}, {args: []string{"update", "tracked@" + evil}}, {args: []string{"resolve", evil}}, {args: []string{"completion", evil}},
	}
}

// No command lets a terminal act on a name, path or value: neither stderr nor a report on
// stdout has a control character but line breaks and tabs. Documents, differences and patches
// on stdout are data, if it is no terminal.
func TestHostileNamesOnATerminal(t *testing.T) {
	dir, repository := hostileDir(t), t.TempDir()
	hostileRepository(t, repository)
	for _, test := range hostileRuns(repository) {
		t.Run(fmt.Sprintf("%+q", test.args), func(t *testing.T) {
			in := dir
			if test.dir != "" {
				in = test.dir
			}
			r := runIn(t, in, test.stdin, test.args...)
			seen := map[string]string{"stderr": r.errors}
			if test.report {
				seen["stdout"] = r.out
			}
			for name, text := range seen {
				if strings.ContainsFunc(text, func(c rune) bool { return wording.IsUnseen(c, "\n\t") }) {
					t.Errorf("%s has\n%+q", name, text)
				}
			}
		})
	}
}

// Nothing moves a terminal, whatever comes out there: reports, messages, documents, differences and patches. Only the line of
// progress goes back, and differences have git's colours.
func TestNoCommandMovesATerminal(t *testing.T) {
	dir, repository := hostileDir(t), t.TempDir()
	hostileRepository(t, repository)
	progress := regexp.MustCompile(`\r(resource-merge: [a-z]+ [0-9,]+ (of [0-9,]+ )?resources *| *\r)`)
	colour := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	shown := 0
	for _, colours := range []string{"", "1"} {
		t.Setenv("NO_COLOR", colours)
		for _, test := range hostileRuns(repository) {
			if colours == "" && !slices.Contains(test.args, "--diff") && !slices.Contains(test.args, "resolve") {
				continue
			}
			in := dir
			if test.dir != "" {
				in = test.dir
			}
			text := strings.ReplaceAll(runOnTerminal(t, in, test.stdin, test.args...), "\r\n", "\n")
			text = progress.ReplaceAllString(text, "")
			if colours == "" || test.args != nil && test.args[0] == "git" { // git colours its advice
				text = colour.ReplaceAllString(text, "")
			}
			if strings.ContainsFunc(text, func(c rune) bool { return wording.IsUnseen(c, "\n\t") }) {
				t.Errorf("%+q writes\n%+q", test.args, text)
			}
			shown += strings.Count(text, `\u202e`)
		}
	}
	if shown < 50 {
		t.Errorf("the names are shown %d times only", shown)
	}
}

// runOnTerminal runs the program in a directory with a terminal for stdout and stderr, and returns the text that arrives there.
func runOnTerminal(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	t.Chdir(dir)
	t.Setenv("TERM", "xterm")
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	text := make(chan string)
	go func() {
		data, _ := io.ReadAll(screen) // the end of a terminal is an error
		text <- string(data)
	}()
	if isCommand(args) {
		runCommand(args, "test", streams{strings.NewReader(stdin), tty, tty})
	} else if err := (Program{}).Run(args, strings.NewReader(stdin), tty, tty); err != nil {
		printError(tty, err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	return <-text
}
