package pullrequest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// curlProgram stands for GitLab's API: it records what is sent, and answers from the file of a path's name.
const curlProgram = `#!/bin/sh
method=GET
for word; do
  case $word in POST | PUT) method=$word ;; @*) data=${word#@} ;; http*) url=${word#http://gitlab/} ;; esac
done
echo "$method $url" >>"$GH/log"
if [ "$method" != GET ]; then cat "$data" >>"$GH/log"; echo {}; exit; fi
case $url in *"&page=1" | *members* | user) ;; *) echo '[]'; exit ;; esac
cat "$GH/$(printf %s "$url" | sed 's/&per_page.*//' | tr '/?&=:' _____).json" 2>/dev/null && exit
case $url in *members*) exit 22 ;; esac
echo '[]'
`

// gitlab runs the script of the component in its checkout, and returns its output and the requests to GitLab.
func (r runner) gitlab(jobs string) (out, calls string, err error) {
	r.Helper()
	text, err := os.ReadFile("../../../examples/gitlab/templates/resource-merge.yml")
	if err != nil {
		r.Fatal(err)
	}
	_, component, _ := strings.Cut(string(text), "\n---\n")
	var file struct {
		Job struct{ Script []string } `yaml:"resource-merge"`
	}
	if err := yaml.Unmarshal([]byte(component), &file); err != nil {
		r.Fatal(err)
	}
	if strings.Contains(strings.Join(file.Job.Script, ""), "$[[") {
		r.Error("an input is a part of the script")
	}
	r.program("curl", curlProgram)
	cmd := r.command("sh", "-c", strings.Join(file.Job.Script, "\n"))
	cmd.Dir = r.dir
	cmd.Env = append(cmd.Env, "PATH="+r.bin+":"+os.Getenv("PATH"), "GH="+r.gh, "CI_API_V4_URL=http://gitlab", "CI_PROJECT_ID=3", "CI_PROJECT_PATH=o/r",
		"CI_DEFAULT_BRANCH=main", "CI_SERVER_HOST=gitlab", "RESOURCE_MERGE_TOKEN=secret", "RM_PUSH_URL="+r.origin, "RM_JOBS="+jobs)
	_ = os.Remove(filepath.Join(r.gh, "log"))
	said, err := cmd.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(r.gh, "log")) // no call is no log
	return string(said), string(log), err
}

// The component for GitLab writes one note, follows the notes of users who may push, and pushes.
func TestActionOfGitLab(t *testing.T) {
	r := newRunner(t, conflicting(t))
	request := func(iid, from int) object {
		return object{"iid": iid, "source_branch": "topic", "target_branch": "main", "source_project_id": from, "target_project_id": 3, "state": "opened", "title": "t"}
	}
	r.answer("user", object{"id": 50, "username": "project_bot"})
	r.answer("projects/3/merge_requests?state=opened", []object{request(7, 3), request(8, 99)})
	run := func(wanted ...string) string {
		t.Helper()
		out, calls, err := r.gitlab("merge")
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, out, calls)
		}
		r.expect(out+calls, wanted...)
		return calls
	}
	calls := run("POST projects/3/merge_requests/7/notes", "**2 conflicts open**")
	if strings.Contains(calls, "merge_requests/8") {
		t.Errorf("a fork is looked at:\n%s", calls)
	}
	own := r.pr(pullEvent("topic", "o/r"), answers(nil, nil)).Comment.Body
	note := func(id, author int, at, body string) object {
		return object{"id": id, "body": body, "system": false, "created_at": at, "updated_at": at, "author": object{"id": author, "username": map[int]string{50: "project_bot", 60: "alice"}[author]}}
	}
	notes := "projects/3/merge_requests/7/notes?sort=asc&order_by=created_at"
	r.answer(notes, []object{note(4, 60, "2026-01-01T00:00:00Z", "/take upstream 1-2"), note(5, 50, "2026-01-02T00:00:00Z", own)})
	if calls := run(); strings.Contains(calls, "PUT") || strings.Contains(calls, "POST") {
		t.Errorf("nothing is new, and something was sent:\n%s", calls)
	}
	r.answer(notes, []object{note(5, 50, "2026-01-02T00:00:00Z", own), note(6, 60, "2026-01-03T00:00:00Z", "/take local 1-2")})
	if calls := run("may not write"); strings.Contains(calls, "PUT") {
		t.Errorf("a stranger's answer counts:\n%s", calls)
	}
	r.answer("projects/3/members/all/60", object{"access_level": 30})
	run("PUT projects/3/merge_requests/7/notes/5", "**Merged**")
	if got := r.git("-C", r.origin, "show", "topic:shop/web.yaml"); got+"\n" != web("3", "30") {
		t.Errorf("merged:\n%s", got)
	}
}

// The component opens and renews the merge requests of updates.
func TestActionOfGitLabUpgrades(t *testing.T) {
	seed.Long(t)
	c := newCheckout(t)
	upstream := c.upstream()
	c.git("clone", "-q", "--bare", upstream, upstream+".git")
	c.push("main", map[string]string{"shop/web.yaml": web("1", "99"), "shop/.resource-merge.yaml": tracked(upstream)})
	r := newRunner(t, c)
	r.answer("user", object{"id": 50, "username": "project_bot"})
	out, calls, err := r.gitlab("upgrade")
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, calls)
	}
	r.expect(calls, "POST projects/3/merge_requests\n", `"source_branch": "`+shopBranch+`"`, `"title": "Update shop: v1 -> v2"`)
	if got := c.git("-C", c.origin, "show", shopBranch+":shop/web.yaml"); got+"\n" != web("2", "99") {
		t.Errorf("merged:\n%s", got)
	}
	r.answer("projects/3/merge_requests?state=all", []object{{"iid": 12, "title": "t", "state": "opened", "source_branch": shopBranch, "target_branch": "main", "source_project_id": 3, "target_project_id": 3}})
	if out, calls, err = r.gitlab("upgrade"); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, calls)
	}
	r.expect(calls, "PUT projects/3/merge_requests/12\n")
	if _, _, err = r.gitlab("mrege"); err == nil {
		t.Error("a job that is none is no error")
	}
}
