package pullrequest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/command/internal/pullrequest"
)

// upstream makes a repository with the tags v1 and v2 of a package, and returns its path.
func (c checkout) upstream() string {
	c.Helper()
	dir := filepath.Join(c.home, "upstream")
	c.git("init", "-q", "-b", "main", dir)
	c.release(dir, "v1", web("1", "10"))
	c.release(dir, "v2", web("2", "10"))
	return dir
}

// release commits and tags a version of the package shop.
func (c checkout) release(dir, tag, text string) {
	c.Helper()
	name := filepath.Join(dir, "shop", "web.yaml")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
	c.git("-C", dir, "add", "--all")
	c.git("-C", dir, "commit", "-q", "-m", tag)
	c.git("-C", dir, "tag", tag)
}

// tracked returns the config of a copy of shop.
func tracked(upstream string) string {
	return "upstream:\n  source: \"" + upstream + ".git/shop@{version}\"\n  version: v1\n"
}

// scheduled is the event of a schedule.
func scheduled() object {
	return object{"schedule": "0 6 * * 1", "repository": object{"full_name": "o/r", "default_branch": "main"}}
}

// pulls returns the answers about the pull requests of branches.
func pulls(branch string, all ...object) map[string]any {
	for _, one := range all {
		one["head"] = object{"ref": branch, "repo": object{"full_name": "o/r"}}
		one["base"] = object{"ref": "main", "repo": object{"full_name": "o/r"}}
	}
	return map[string]any{strings.ReplaceAll(branch, "/", "-"): append([]object{}, all...)}
}

const shopBranch = "resource-merge/upgrade-shop"

func (c checkout) carryOut(plan pullrequest.Plan) {
	c.Helper()
	for _, p := range plan.PullRequests {
		if p.Push != nil {
			c.git("-C", c.dir, "push", "-q", "origin", p.Push.SHA+":"+p.Push.Ref)
		}
	}
}

// A package with a newer version gets a branch and a pull request, which later runs renew and force nothing.
func TestUpgrade(t *testing.T) {
	c := newCheckout(t)
	upstream := c.upstream()
	c.git("clone", "-q", "--bare", upstream, upstream+".git")
	c.push("main", map[string]string{"shop/web.yaml": web("1", "99"), "shop/.resource-merge.yaml": tracked(upstream), "other.txt": "one\n"})
	first := c.pr(scheduled(), nil)
	if len(first.PullRequests) != 1 || len(first.Ask) != 1 || first.Ask[0].Path != "repos/o/r/pulls?state=all&per_page=100&head=o:"+shopBranch {
		t.Fatalf("want one pull request, and a question: %+v", first)
	}
	first = c.pr(scheduled(), pulls(shopBranch), "upgrade")
	p := first.PullRequests[0]
	if p.Title != "Update shop: v1 -> v2" || p.Head != shopBranch || p.Base != "main" || p.Number != 0 || p.Push.Expected != "" || p.Package != "shop" {
		t.Errorf("%+v", p)
	}
	c.expect(p.Body, "**Merged ", "web.yaml")
	if got := c.git("-C", c.dir, "show", p.Push.SHA+":shop/web.yaml"); got+"\n" != web("2", "99") {
		t.Errorf("merged:\n%s", got)
	}
	c.expect(c.git("-C", c.dir, "show", p.Push.SHA+":shop/.resource-merge.yaml"), "version: v2")
	c.carryOut(first)

	// The same once more: the pull request is renewed, and nothing is pushed.
	again := c.pr(scheduled(), pulls(shopBranch, object{"number": 12, "state": "open", "title": p.Title}))
	if len(again.PullRequests) != 1 || again.PullRequests[0].Number != 12 || again.PullRequests[0].Push != nil {
		t.Errorf("%+v", again)
	}

	// A newer version, and a base branch that went on: a commit on top of the branch.
	c.release(upstream, "v3", web("3", "10"))
	c.git("-C", upstream, "push", "-q", upstream+".git", "main", "v3")
	base := c.push("main", map[string]string{"other.txt": "two\n"})
	third := c.pr(scheduled(), pulls(shopBranch, object{"number": 12, "state": "open", "title": p.Title}))
	if len(third.PullRequests) != 1 || third.PullRequests[0].Push == nil || third.PullRequests[0].Push.Expected != p.Push.SHA {
		t.Fatalf("%+v", third)
	}
	c.carryOut(third)
	tip := third.PullRequests[0].Push.SHA
	if got := c.git("-C", c.dir, "diff", "--name-only", base, tip); got != "shop/.resource-merge.yaml\nshop/web.yaml" {
		t.Errorf("the pull request changes %s", got)
	}

	// Somebody else's commit on the branch stays, and a pull request that was closed stays closed.
	c.push(shopBranch, map[string]string{"shop/web.yaml": web("3", "100")})
	c.push("main", map[string]string{"other.txt": "three\n"})
	others := c.pr(scheduled(), pulls(shopBranch, object{"number": 12, "state": "open", "title": "t"}))
	if len(others.PullRequests) != 0 || !strings.Contains(others.Message, "commits of somebody else") {
		t.Errorf("%+v", others)
	}
	c.git("-C", c.dir, "push", "-q", "origin", ":"+shopBranch)
	closed := object{"number": 12, "state": "closed", "title": "Update shop: v1 -> v3", "merged_at": nil}
	if declined := c.pr(scheduled(), pulls(shopBranch, closed)); len(declined.PullRequests) != 0 || !strings.Contains(declined.Message, "was closed") {
		t.Errorf("%+v", declined)
	}
	closed["title"] = "Update shop: v1 -> v2"
	if reopened := c.pr(scheduled(), pulls(shopBranch, closed)); len(reopened.PullRequests) != 1 || reopened.PullRequests[0].Number != 0 {
		t.Errorf("%+v", reopened)
	}
}

// Packages that kpt fetched are updated, too; one that fails does not keep the others; nothing is executed.
func TestUpgradeOfSeveral(t *testing.T) {
	c := newCheckout(t)
	upstream := c.upstream()
	c.git("clone", "-q", "--bare", upstream, upstream+".git")
	v1 := c.git("-C", upstream, "rev-parse", "v1")
	kptfile := "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: b\nupstream:\n  type: git\n  git:\n    repo: " + upstream + "\n    directory: /shop\n    ref: v1\n" +
		"upstreamLock:\n  type: git\n  git:\n    repo: " + upstream + "\n    directory: /shop\n    ref: v1\n    commit: " + v1 + "\n"
	trap := filepath.Join(t.TempDir(), "executed")
	c.push("main", map[string]string{
		"a/gone/.resource-merge.yaml": tracked(filepath.Join(c.home, "nowhere")), "a/gone/web.yaml": web("1", "10"),
		"b/Kptfile": kptfile, "b/web.yaml": web("1", "99"), "b/link": "->web.yaml",
		"c @alice/.resource-merge.yaml": tracked(upstream), "c @alice/web.yaml": web("1", "99"),
		"d/.resource-merge.yaml": "upstream:\n  command: [touch, " + trap + ", \"{version}\"]\n  version: v1\n", "d/web.yaml": web("1", "99"),
		"e/.resource-merge.yaml": strings.Replace(tracked(upstream), "version: v1", "version: v2", 1), "e/web.yaml": web("2", "10"),
		"f/.resource-merge.yaml": tracked(upstream) + "conflicts: {prefer: fail}\n", "f/web.yaml": web("7", "10"),
		"plain/web.yaml":         web("1", "10"),
		"g/.resource-merge.yaml": tracked("../../upstream"), "g/web.yaml": web("1", "99"),
	})
	plan := c.pr(scheduled(), nil)
	var opened []string
	for _, p := range plan.PullRequests {
		opened = append(opened, p.Package+" "+strings.TrimPrefix(p.Head, "resource-merge/upgrade-"))
	}
	if got := strings.Join(opened, "\n"); !strings.HasPrefix(got, "b b\nc @alice c-alice-") || len(opened) != 3 || opened[2] != "g g" {
		t.Errorf("pull requests:\n%s", got)
	}
	c.expect(strings.Join(plan.Errors, "\n"), "a/gone: ", "d: ", "f: ")
	if len(plan.Errors) != 3 || strings.Contains(strings.Join(plan.Errors, ""), os.TempDir()+"/resource-merge-pr") {
		t.Errorf("errors: %q", plan.Errors)
	}
	c.expect(plan.Message, "e: no release is newer than v2")
	if _, err := os.Stat(trap); err == nil {
		t.Error("a command of a config ran")
	}
	if left, _ := filepath.Glob(filepath.Join(c.home, ".resource-merge-pr-*")); left != nil {
		t.Errorf("left behind: %s", left)
	}
	for _, p := range plan.PullRequests {
		for _, name := range strings.Split(c.git("-C", c.dir, "diff", "--name-only", "origin/main", p.Push.SHA), "\n") {
			if !strings.HasPrefix(strings.Trim(name, `"`), p.Package+"/") {
				t.Errorf("the pull request for %s changes %s", p.Package, name)
			}
		}
	}
	if got := c.git("-C", c.dir, "ls-tree", plan.PullRequests[0].Push.SHA, "b/link"); !strings.HasPrefix(got, "120000 ") {
		t.Errorf("the link is %q", got)
	}
	only := c.pr(scheduled(), nil, "upgrade", "--package", "b/")
	if len(only.PullRequests) != 1 || only.PullRequests[0].Package != "b" {
		t.Errorf("%+v", only)
	}
	wrong := c.pr(scheduled(), nil, "upgrade", "--package", "none", "--package", ".")
	if len(wrong.Errors) != 2 || wrong.Errors[0] != "none: no such directory" || !strings.HasPrefix(wrong.Errors[1], ".: the package has no Kptfile") {
		t.Errorf("errors: %q", wrong.Errors)
	}
	if _, message := c.run(scheduled(), nil, "upgrade", "--package", "../b"); !strings.Contains(message, "is not in the repository") {
		t.Errorf("%s", message)
	}
}
