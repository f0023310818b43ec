package pullrequest_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/cli"
	"github.com/resource-merge/resource-merge/command/internal/pullrequest"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
)

// TestMain makes this test binary stand in for resource-merge, which git starts as its merge driver.
func TestMain(m *testing.M) {
	if os.Getenv("RESOURCE_MERGE_PROGRAM") != "" {
		os.Exit(cli.Program{Readme: []byte("# resource-merge\n"), Metadata: []byte("{}\n"), Release: "v0.0.0"}.Main())
	}
	os.Exit(m.Run())
}

// checkout is a repository that is checked out, whose origin is a bare one.
type checkout struct {
	*testing.T
	dir, origin, home string
}

func newCheckout(t *testing.T) checkout {
	t.Helper()
	top := t.TempDir()
	c := checkout{t, filepath.Join(top, "work"), filepath.Join(top, "origin.git"), top}
	quick := "[maintenance]\n\tauto = false\n[init]\n\ttemplateDir =\n[core]\n\tfsync = none\n" // no program and no file that no test looks at
	if err := os.WriteFile(filepath.Join(top, ".gitconfig"), []byte(quick), 0o644); err != nil {
		t.Fatal(err)
	}
	c.git("init", "-q", "--bare", "-b", "main", c.origin)
	c.git("init", "-q", "-b", "main", c.dir)
	c.git("-C", c.dir, "remote", "add", "origin", c.origin)
	return c
}

// command returns a command with a user's environment.
func (c checkout) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "RESOURCE_MERGE_PROGRAM=1", "HOME="+c.home, "XDG_CONFIG_HOME="+c.home, "KPT_CACHE_DIR="+c.home,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	return cmd
}

// git runs git and returns its output.
func (c checkout) git(args ...string) string {
	c.Helper()
	out, err := c.command("git", args...).CombinedOutput()
	if err != nil {
		c.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// gone is the text of a file that a commit removes.
const gone = "gone"

// push commits files on a branch of origin, and checks the commit out.
func (c checkout) push(branch string, files map[string]string) (commit string) {
	c.Helper()
	commit = c.commit(branch, files)
	c.git("-C", c.dir, "fetch", "-q", "origin")
	c.git("-C", c.dir, "checkout", "-q", "--detach", commit)
	return commit
}

// commit commits files on a branch of origin. It begins at the branch as it is there, else at main. A text that begins with
// -> is a symbolic link, and gone removes the file.
func (c checkout) commit(branch string, files map[string]string) string {
	c.Helper()
	head := func(branch string) string {
		id, _ := os.ReadFile(filepath.Join(c.origin, "refs", "heads", branch)) // a missing branch has no commit
		return strings.TrimSpace(string(id))
	}
	message := "change " + branch
	stream := bytes.NewBufferString(fmt.Sprintf("commit refs/heads/%s\ncommitter a <a@example.com> 0 +0000\ndata %d\n%s\n", branch, len(message), message))
	if from := cmp.Or(head(branch), head("main")); from != "" {
		fmt.Fprintf(stream, "from %s\n", from)
	}
	for name, text := range files {
		f := file.File{Name: name, Data: []byte(text)}
		if target, isLink := strings.CutPrefix(text, "->"); isLink {
			f.Mode, f.Data = os.ModeSymlink, []byte(target)
		}
		if text == gone {
			fmt.Fprintf(stream, "D %s\n", name)
		} else {
			gitrepo.WriteFile(stream, f)
		}
	}
	cmd := c.command("git", "-C", c.origin, "fast-import", "--quiet")
	cmd.Stdin = stream
	if out, err := cmd.CombinedOutput(); err != nil {
		c.Fatalf("git fast-import: %v\n%s", err, out)
	}
	return head(branch)
}

// object is JSON.
type object map[string]any

// pr runs resource-merge pr with an event and answers, by the names of their files.
func (c checkout) pr(event any, answers map[string]any, args ...string) pullrequest.Plan {
	c.Helper()
	out, message := c.run(event, answers, args...)
	var plan pullrequest.Plan
	if err := json.Unmarshal([]byte(out), &plan); err != nil {
		c.Fatalf("%v: %s", err, message)
	}
	return plan
}

func (c checkout) run(event any, answers map[string]any, args ...string) (out, message string) {
	c.Helper()
	dir := c.TempDir()
	for name, answer := range answers {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), asJSON(answer), 0o644); err != nil {
			c.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		c.Fatal(err)
	}
	cmd := c.command(program, append([]string{"pr", "--answers", dir}, args...)...)
	cmd.Env = slices.DeleteFunc(cmd.Env, func(variable string) bool { return strings.HasPrefix(variable, "GIT_") }) // as in a CI without an identity
	cmd.Dir, cmd.Stdin = c.dir, bytes.NewReader(asJSON(event))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && stderr.Len() == 0 {
		c.Fatal(err)
	}
	return stdout.String(), stderr.String()
}

func asJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// pull returns the pull request 7 of a branch into main.
func pull(head, repo string) object {
	return object{"number": 7, "state": "open", "head": object{"ref": head, "repo": object{"full_name": repo}},
		"base": object{"ref": "main", "repo": object{"full_name": "o/r"}}}
}

func pullEvent(head, repo string) object {
	return object{"action": "synchronize", "repository": object{"full_name": "o/r", "default_branch": "main"}, "pull_request": pull(head, repo)}
}

// answerEvent returns the event of a comment.
func answerEvent(body string) object {
	return object{"action": "created", "repository": object{"full_name": "o/r"}, "issue": object{"number": 7, "pull_request": object{}},
		"comment": object{"id": 5, "body": body, "user": object{"login": "alice", "type": "User"}}}
}

// answers returns the API's answers: alice may write, and the comment of the last plan is there.
func answers(of object, comment *pullrequest.Comment) map[string]any {
	comments := []object{{"id": 1, "body": "hello", "user": object{"login": "mallory", "type": "User"}}}
	if comment != nil {
		comments = append(comments, object{"id": 99, "body": comment.Body, "user": object{"login": "github-actions[bot]", "type": "Bot"}})
	}
	return map[string]any{
		"permission":   object{"permission": "write", "user": object{"login": "alice"}},
		"pull-request": of, "comments": comments,
	}
}

// web returns a manifest with two fields, in which three versions collide if both differ.
func web(replicas, seconds string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: " + replicas + "\n  paused: false\n  minReadySeconds: " + seconds + "\n"
}

// conflicting returns a checkout in which topic collides with main in two fields of one file.
func conflicting(t *testing.T) checkout {
	t.Helper()
	c := newCheckout(t)
	c.commit("main", map[string]string{"shop/web.yaml": web("1", "10"), "shop/Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n"})
	c.commit("topic", map[string]string{"shop/web.yaml": web("3", "30")})
	c.push("main", map[string]string{"shop/web.yaml": web("2", "20")})
	return c
}

// expect fails where a text lacks another one.
func (c checkout) expect(text string, wanted ...string) {
	c.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			c.Errorf("lacks %q:\n%s", want, text)
		}
	}
}
