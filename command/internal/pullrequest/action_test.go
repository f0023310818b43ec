package pullrequest_test

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// actionFile is the part of action.yml that the tests run.
type actionFile struct {
	Inputs map[string]struct{ Description, Default string }
	Runs   struct {
		Using string
		Steps []struct {
			Name, Shell, Run string
			Env              map[string]string
		}
	}
}

func readAction(t *testing.T) (a actionFile) {
	t.Helper()
	text, err := os.ReadFile("../../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// What a step runs is a constant: expressions are in its environment alone, and name an input that there is.
func TestActionFile(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Runs.Steps) != 2 {
		t.Fatalf("%+v", a.Runs)
	}
	for _, step := range a.Runs.Steps {
		if strings.Contains(step.Run, "${{") || step.Shell != "bash" {
			t.Errorf("%s runs %s with %s", step.Name, step.Run, step.Shell)
		}
		for name, value := range step.Env {
			if input, is := strings.CutPrefix(value, "${{ inputs."); is {
				if _, found := a.Inputs[strings.TrimSuffix(input, " }}")]; !found {
					t.Errorf("%s: %s is of no input: %s", step.Name, name, value)
				}
			} else if value != "${{ github.action_ref }}" {
				t.Errorf("%s: %s is %s", step.Name, name, value)
			}
		}
	}
	for name, input := range a.Inputs {
		if input.Description == "" {
			t.Errorf("the input %s has no description", name)
		}
	}
}

// runner is a checkout with a gh that records its calls, and answers from files.
type runner struct {
	checkout
	bin, gh string
}

// ghProgram records its arguments, and the body that it gets. It answers a path from the file of that name, with _
// in place of marks.
const ghProgram = `#!/bin/sh
echo "gh $*" >>"$GH/log"
case "$*" in
*--method*) cat >>"$GH/log"; echo '{"message": "done"}'; exit ;;
"release download"*) while [ "$1" != --dir ]; do shift; done; cp "$GH"/release/* "$2"; exit ;;
"release view"*) echo v2.0.0; exit ;;
"release list"*) printf '%s\n' v2.0.0 v1.9.0 v1.2.3 v1.10.0 v1.2.0 v10.0.0; exit ;;
esac
for path; do :; done
cat "$GH/$(printf %s "$path" | tr '/?&=:' _____).json" 2>/dev/null && exit
echo '{"message": "Not Found"}'
exit 1
`

// gitProgram moves a branch the first times that somebody pushes, if a file says so.
const gitProgram = `#!/bin/sh
case "$*" in
*"push --quiet origin"*)
  if [ -s "$GH/race" ]; then
    read -r commit <"$GH/race"
    sed -i.old 1d "$GH/race"
    REALGIT push --quiet origin "$commit:refs/heads/topic"
  fi ;;
esac
exec REALGIT "$@"
`

func newRunner(t *testing.T, c checkout) runner {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are of a shell")
	}
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the action needs %s", program)
		}
	}
	r := runner{c, t.TempDir(), t.TempDir()}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.program("gh", ghProgram)
	r.program("git", strings.ReplaceAll(gitProgram, "REALGIT", git))
	r.program("resource-merge", "#!/bin/sh\nexec "+program+" \"$@\"\n")
	return r
}

func (r runner) program(name, text string) {
	r.Helper()
	if err := os.WriteFile(filepath.Join(r.bin, name), []byte(text), 0o755); err != nil {
		r.Fatal(err)
	}
}

// answer sets gh's answer to a path.
func (r runner) answer(path string, answer any) {
	r.Helper()
	name := regexp.MustCompile(`[/?&=:]`).ReplaceAllString(path, "_")
	if err := os.WriteFile(filepath.Join(r.gh, name+".json"), asJSON(answer), 0o644); err != nil {
		r.Fatal(err)
	}
}

// step runs a step of the action with inputs, in the checkout, and returns its output and the requests to gh.
func (r runner) step(number int, event object, inputs map[string]string) (out, calls string, err error) {
	r.Helper()
	a := readAction(r.T)
	step := a.Runs.Steps[number]
	root, pathErr := filepath.Abs("../../..")
	if pathErr != nil {
		r.Fatal(pathErr)
	}
	cmd := r.command("bash", "-e", "-o", "pipefail", "-c", step.Run)
	cmd.Dir = r.dir
	cmd.Env = append(cmd.Env, "PATH="+r.bin+":"+os.Getenv("PATH"), "GH="+r.gh, "GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+r.bin,
		"GITHUB_PATH="+filepath.Join(r.gh, "path"), "GITHUB_EVENT_PATH="+filepath.Join(r.gh, "event"))
	for name, value := range step.Env {
		input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
		cmd.Env = append(cmd.Env, name+"="+inputs[input])
	}
	if err := os.WriteFile(filepath.Join(r.gh, "event"), asJSON(event), 0o644); err != nil {
		r.Fatal(err)
	}
	_ = os.Remove(filepath.Join(r.gh, "log"))
	text, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(r.gh, "log")) // no call is no log
	return string(text), string(log), err
}

// run runs the step that merges or upgrades.
func (r runner) act(event object, inputs map[string]string) (out, calls string) {
	r.Helper()
	out, calls, err := r.step(1, event, inputs)
	if err != nil {
		r.Fatalf("%v\n%s\n%s", err, out, calls)
	}
	return out, calls
}

// The action writes one comment, follows an answer, pushes, and renews the comment.
func TestActionMerges(t *testing.T) {
	r := newRunner(t, conflicting(t))
	r.answer("repos/o/r/issues/7/comments?per_page=100", []object{})
	_, calls := r.act(pullEvent("topic", "o/r"), nil)
	r.expect(calls, "gh api --method POST repos/o/r/issues/7/comments --input -", "**2 conflicts open**")
	comment := r.pr(pullEvent("topic", "o/r"), answers(nil, nil)).Comment
	for path, answer := range map[string]any{
		"issues/7/comments?per_page=100": answers(nil, comment)["comments"], "pulls/7": pull("topic", "o/r"), "collaborators/alice/permission": object{"permission": "read"},
	} {
		r.answer("repos/o/r/"+path, answer)
	}
	before := r.git("-C", r.origin, "rev-parse", "topic")
	out, calls := r.act(answerEvent("/take local 1-2"), nil)
	if r.expect(out, "alice may not write"); strings.Contains(calls, "--method") {
		t.Errorf("an answer that does not count:\n%s", calls)
	}
	r.answer("repos/o/r/collaborators/alice/permission", object{"permission": "admin", "user": object{"login": "alice"}})
	_, calls = r.act(answerEvent("/take local 1-2"), map[string]string{"job": "merge"})
	r.expect(calls, "gh api --method PATCH repos/o/r/issues/comments/99 --input -", "**Merged**")
	if parent := r.git("-C", r.origin, "rev-parse", "topic^1"); parent != before {
		t.Errorf("topic is not on top of %s", before)
	}
	if got := r.git("-C", r.origin, "show", "topic:shop/web.yaml"); got+"\n" != web("3", "30") {
		t.Errorf("merged:\n%s", got)
	}
	if got := r.git("-C", r.origin, "log", "-1", "--format=%an", "topic"); got != "a" {
		t.Errorf("the author is %s, and not the environment's", got)
	}
}

// A branch that moves between the merge and the push is looked at once more, and nothing is lost. If it goes on
// moving, the action ends without an error.
func TestActionRaces(t *testing.T) {
	seed.Long(t)
	c := newCheckout(t)
	c.push("main", map[string]string{"shop/web.yaml": web("1", "10")})
	c.push("topic", map[string]string{"shop/web.yaml": web("2", "10")})
	c.push("main", map[string]string{"shop/web.yaml": strings.Replace(web("1", "10"), "paused: false", "paused: true", 1)})
	r := newRunner(t, c)
	r.answer("repos/o/r/issues/7/comments?per_page=100", []object{})
	base := c.git("-C", c.origin, "rev-parse", "topic")
	next := func(parent, text string) string {
		return c.git("-C", c.dir, "commit-tree", "-p", parent, "-m", text, parent+"^{tree}")
	}
	first := next(base, "one")
	second := next(first, "two")
	if err := os.WriteFile(filepath.Join(r.gh, "race"), []byte(first+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := r.act(pullEvent("topic", "o/r"), nil)
	r.expect(out, "refs/heads/topic moved meanwhile")
	if got := c.git("-C", c.origin, "rev-parse", "topic^1"); got != first {
		t.Errorf("the merge is not on top of the commit that came meanwhile")
	}
	c.git("-C", c.origin, "update-ref", "refs/heads/topic", base)
	if err := os.WriteFile(filepath.Join(r.gh, "race"), []byte(first+"\n"+second+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, calls := r.act(pullEvent("topic", "o/r"), nil)
	if got := c.git("-C", c.origin, "rev-parse", "topic"); got != second || strings.Contains(calls, "--method") {
		t.Errorf("topic is %s, and not %s; gh was asked\n%s", got, second, calls)
	}
}

// A push to the base branch looks at each pull request into it. Hostile names stay names.
func TestActionOnPush(t *testing.T) {
	seed.Long(t)
	c := conflicting(t)
	branch := "-x;touch${IFS}executed;$(touch${IFS}executed)`touch${IFS}executed`"
	c.push(branch, map[string]string{"shop/web.yaml": strings.Replace(web("2", "20"), "paused: false", "paused: true", 1)})
	c.git("-C", c.dir, "push", "-q", "origin", "origin/topic:refs/pull/9/head")
	r := newRunner(t, c)
	eight, nine, other := pull(branch, "o/r"), pull("topic", "mallory/r"), pull("topic", "o/r")
	eight["number"], nine["number"] = 8, 9
	other["base"].(object)["ref"] = "release"
	r.answer("repos/o/r/pulls?state=open&per_page=100", []object{eight, nine, other})
	for _, number := range []string{"8", "9"} {
		r.answer("repos/o/r/issues/"+number+"/comments?per_page=100", []object{})
	}
	c.push("main", map[string]string{"shop/web.yaml": web("5", "20")})
	before := c.git("-C", c.origin, "rev-parse", "topic")
	event := object{"ref": "refs/heads/main", "after": c.git("-C", c.origin, "rev-parse", "main"), "repository": object{"full_name": "o/r"}}
	out, calls := r.act(event, nil)
	r.expect(calls, "repos/o/r/issues/9/comments --input -", "comes from a fork")
	if strings.Contains(calls, "issues/7") || c.git("-C", c.origin, "rev-parse", "topic") != before {
		t.Errorf("what was done:\n%s\n%s", out, calls)
	}
	if got := c.git("-C", c.origin, "show", "refs/heads/"+branch+":shop/web.yaml"); !strings.Contains(got, "replicas: 5\n  paused: true") {
		t.Errorf("merged:\n%s\n%s", got, out)
	}
	if found, _ := filepath.Glob(filepath.Join(c.dir, "executed*")); found != nil {
		t.Errorf("a name was executed: %s", found)
	}
}

// The job upgrade opens a pull request, and fails with the packages that could not be updated.
func TestActionUpgrades(t *testing.T) {
	seed.Long(t)
	c := newCheckout(t)
	upstream := c.upstream()
	c.git("clone", "-q", "--bare", upstream, upstream+".git")
	c.push("main", map[string]string{
		"shop/web.yaml": web("1", "99"), "shop/.resource-merge.yaml": tracked(upstream),
		"gone/web.yaml": web("1", "99"), "gone/.resource-merge.yaml": tracked(filepath.Join(c.home, "nowhere")),
	})
	r := newRunner(t, c)
	r.answer("repos/o/r/pulls?state=all&per_page=100&head=o:"+shopBranch, []object{})
	out, calls, err := r.step(1, scheduled(), map[string]string{"job": "upgrade"})
	if err == nil {
		t.Error("a package that cannot be updated is no error")
	}
	r.expect(out, "resource-merge: gone: ")
	r.expect(calls, "gh api --method POST repos/o/r/pulls --input -", `"title": "Update shop: v1 -> v2"`, `"head": "`+shopBranch+`"`)
	if got := c.git("-C", c.origin, "show", shopBranch+":shop/web.yaml"); got+"\n" != web("2", "99") {
		t.Errorf("merged:\n%s", got)
	}
	r.answer("repos/o/r/pulls?state=all&per_page=100&head=o:"+shopBranch, pulls(shopBranch, object{"number": 12, "state": "open", "title": "t"})[strings.ReplaceAll(shopBranch, "/", "-")])
	_, calls = r.act(scheduled(), map[string]string{"job": "upgrade", "packages": "shop\n"})
	r.expect(calls, "gh api --method PATCH repos/o/r/pulls/12 --input -")
}

// The released binary is installed if its checksum is right, and only then.
func TestActionInstalls(t *testing.T) {
	r := newRunner(t, newCheckout(t))
	archive := fmt.Sprintf("resource-merge_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
	sum := r.archive(archive)
	out, calls, err := r.step(0, object{}, map[string]string{})
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	r.expect(calls, "gh release view", "gh release download v2.0.0 --repo resource-merge/resource-merge")
	path, err := os.ReadFile(filepath.Join(r.gh, "path"))
	if err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(filepath.Join(strings.TrimSpace(string(path)), "resource-merge")).Output(); err != nil || string(said) != "installed\n" {
		t.Errorf("%s %v", said, err)
	}
	for ref, want := range map[string]string{"v1": "v1.10.0", "v1.2": "v1.2.3", "v1.2.0": "v1.2.0", "main": "v2.0.0"} {
		if out, calls, err = r.step(0, object{}, map[string]string{"${{ github.action_ref": ref}); err != nil {
			t.Fatalf("%s: %v\n%s", ref, err, out)
		}
		r.expect(calls, "gh release download "+want+" --repo")
	}
	if out, _, err := r.step(0, object{}, map[string]string{"${{ github.action_ref": "v3"}); err == nil || !strings.Contains(out, "there is no release of v3") {
		t.Errorf("v3: installed: %s", out)
	}
	for _, bad := range []map[string]string{
		{"checksum": strings.Repeat("0", 64)}, {"version": "main"}, {"version": "v1.2.3$(touch x)"}, {"version": "-x"}, {"version": "v1.2.3", "checksum": sum[:63]},
	} {
		if out, _, err := r.step(0, object{}, bad); err == nil {
			t.Errorf("%v: installed: %s", bad, out)
		}
	}
	if out, _, err := r.step(0, object{}, map[string]string{"version": "v1.2.3-rc.1", "checksum": sum}); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(r.gh, "release", "checksums.txt"), []byte(sum+"  other.tar.gz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, _, err := r.step(0, object{}, nil); err == nil {
		t.Errorf("installed without a checksum: %s", out)
	}
}

// archive writes the archive of a release with its checksum, which it returns.
func (r runner) archive(name string) (sum string) {
	r.Helper()
	dir := filepath.Join(r.gh, "release")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		r.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		r.Fatal(err)
	}
	packed := gzip.NewWriter(f)
	files := tar.NewWriter(packed)
	text := "#!/bin/sh\necho installed\n"
	if err := files.WriteHeader(&tar.Header{Name: "resource-merge", Mode: 0o755, Size: int64(len(text))}); err != nil {
		r.Fatal(err)
	}
	if _, err := files.Write([]byte(text)); err != nil {
		r.Fatal(err)
	}
	for _, c := range []interface{ Close() error }{files, packed, f} {
		if err := c.Close(); err != nil {
			r.Fatal(err)
		}
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		r.Fatal(err)
	}
	sum = fmt.Sprintf("%x", sha256.Sum256(data))
	if err := os.WriteFile(filepath.Join(dir, "checksums.txt"), []byte(sum+"  "+name+"\n"), 0o644); err != nil {
		r.Fatal(err)
	}
	return sum
}
