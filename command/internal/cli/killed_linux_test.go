package cli_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// killedCommand is a command that writes to the package shop, and that is killed at each of its changes there.
type killedCommand struct {
	args    []string
	answers string
	// shop has files of the package that differ from those of the other commands, and further ones.
	shop map[string]string
	// steps are the answers after which the package is whole, too, before the last one.
	steps []string
	// prepare makes the history that the command reads.
	prepare func(t *testing.T, base string)
}

// TestKilledCommands: a command that is killed before any of its changes leaves the package as it was or as it is to be, once
// recover or the next run was called: the config with the files, no file of its own, and nothing that is lost (rules/files:
// interrupted runs).
func TestKilledCommands(t *testing.T) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		t.Setenv("TMPDIR", "/dev/shm") // on a disk the runs would spend their time flushing
	}
	const upstream = "upstream:\n  source: \"../{version}\"\n  version: v1\n"
	conflict := "data:\n<<<<<<< local\n  a: \"3\"\n=======\n  a: \"2\"\n>>>>>>> upstream\n  b: \"1\"\n<<<<<<< local\n  c: \"3\"\n=======\n  c: \"2\"\n>>>>>>> upstream\n"
	for name, c := range map[string]killedCommand{
		"merge":   {args: []string{"merge", "--origin", "v1", "--upstream", "v2", "--local", "shop", "--write", "--force"}},
		"update":  {args: []string{"update", "shop@v2", "--force"}, shop: map[string]string{file.Config: upstream}},
		"track":   {args: []string{"track", "shop", "--upstream", "./{version}@v1"}},
		"overlay": {args: []string{"overlay", "--origin", "v1", "--upstream", "v1", "--local", "v2", "-o", "shop", "--force"}},
		"learn":   {args: []string{"learn", "shop", "--upgrades", "upgrades"}, prepare: twoUpgrades},
		"resolve": {args: []string{"resolve", "shop"}, answers: "r\nl\nu\n", steps: []string{"r\nl\nq\n"}, shop: map[string]string{"sub/a.yaml": configMap("a") + conflict}},
	} {
		t.Run(name, func(t *testing.T) { c.test(t) })
	}
}

// configMap is a ConfigMap without data.
func configMap(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n", name)
}

// test kills the command before its first change, before its second one, and so on, until it ends by itself; a quick run
// does so before every seventh change.
func (c killedCommand) test(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"v1/sub/a.yaml": configMap("a") + "data: {a: \"1\", b: \"1\"}\n", "v1/gone/b.yaml": configMap("b"),
		"v2/sub/a.yaml": configMap("a") + "data: {a: \"2\", b: \"1\"}\n", "v2/new/c.yaml": configMap("c"),
		"shop/sub/a.yaml": configMap("a") + "data: {a: \"1\", b: \"3\"}\n", "shop/gone/b.yaml": configMap("b"),
	} {
		put(t, filepath.Join(base, name), text)
	}
	for name, text := range c.shop {
		put(t, filepath.Join(base, "shop", name), text)
	}
	if c.prepare != nil {
		c.prepare(t, base)
	}
	shop, home := filepath.Join(base, "shop"), t.TempDir()
	command := func(answers string) *exec.Cmd {
		cmd := exec.Command("resource-merge", c.args...)
		cmd.Dir, cmd.Env, cmd.Stdin = base, append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1"), strings.NewReader(answers)
		return cmd
	}
	was := copied(t, shop)
	wholes := []map[string]string{filesBelow(t, shop)}
	for _, answers := range append(c.steps, c.answers) {
		restore(t, shop, was)
		if out, err := command(answers).CombinedOutput(); err != nil && c.answers == "" {
			t.Fatalf("%v: %s", err, out)
		}
		wholes = append(wholes, filesBelow(t, shop))
	}
	after := wholes[len(wholes)-1]
	if rule, found := after[file.Config]; found && c.answers != "" { // the rule is written, and the conflict not yet decided
		written := maps.Clone(wholes[0])
		written[file.Config] = rule
		wholes = append(wholes, written)
	}
	if maps.Equal(wholes[0], after) {
		t.Fatal("the command changes nothing")
	}
	step := seed.Step(21)
	n := 1 + len(c.args)%step
	for ; ; n += step {
		restore(t, shop, was)
		change := runKilled(t, command(c.answers), shop, n)
		if change == "" {
			break
		}
		for name := range filesBelow(t, shop) {
			isKnown := func(whole map[string]string) bool { _, found := whole[name]; return found }
			if !strings.HasPrefix(name, file.JournalDir+"/") && !slices.ContainsFunc(wholes, isKnown) {
				t.Errorf("killed before %s: it left %s among the files of the package", change, name)
			}
		}
		recovered := copied(t, shop)
		if _, err := sink.Recover(recovered); err != nil {
			t.Errorf("killed before %s: recover: %v", change, err)
		}
		checkWhole(t, change+", recovered", recovered, wholes)
		if c.answers != "" { // the next run is not to decide more
			_ = command("q\n").Run() // exit code 1 says that markers are left
			checkWhole(t, change+", run again", shop, wholes)
			continue
		}
		if out, err := command("").CombinedOutput(); err != nil {
			t.Errorf("killed before %s: the next run: %v: %s", change, err, out)
		}
		checkWhole(t, change+", run again", shop, []map[string]string{after})
	}
	if t.Logf("killed before %d changes", n-1); n < 10 {
		t.Errorf("killed before %d changes", n-1)
	}
}

// checkWhole fails a test unless the files of a package are one of some versions, and nothing of a run is left.
func checkWhole(t *testing.T, when, dir string, wholes []map[string]string) {
	t.Helper()
	found := filesBelow(t, dir)
	if !slices.ContainsFunc(wholes, func(whole map[string]string) bool { return maps.Equal(whole, found) }) {
		t.Errorf("killed before %s: no version is %q", when, found)
	}
	if _, err := os.Lstat(filepath.Join(dir, file.JournalDir)); err == nil {
		t.Errorf("killed before %s: %s is left", when, file.JournalDir)
	}
}

// twoUpgrades commits two upgrades that a user decided alike, and lists them.
func twoUpgrades(t *testing.T, base string) {
	git := func(args ...string) string { return strings.TrimSpace(do(t, base, "git", args...)) }
	git("init", "-q")
	list := ""
	for i := range 3 {
		put(t, filepath.Join(base, "shop/sub/a.yaml"), configMap("a")+fmt.Sprintf("data: {a: \"4\", b: \"%d\"}\n", i))
		git("add", "shop")
		git("commit", "-q", "-m", "upgrade")
		if i > 0 { // the first commit is the copy
			list += git("rev-parse", "HEAD") + " v1 v2\n"
		}
	}
	put(t, filepath.Join(base, "upgrades"), list)
}

// put writes a file and makes its directory.
func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// copied copies a directory.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	restore(t, to, dir)
	return to
}

// restore makes a directory a copy of another one.
func restore(t *testing.T, dir, from string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// filesBelow are the names and the contents of all files of a directory.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
