package pullrequest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An answer settles some conflicts, which the comment remembers; once all are settled, the merge is to be pushed.
func TestAnswers(t *testing.T) {
	c := conflicting(t)
	first := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	if first.Push != nil || first.Comment == nil || first.Comment.ID != 0 || len(first.Ask) > 0 {
		t.Fatalf("want a new comment alone: %+v", first)
	}
	c.expect(first.Comment.Body, "**2 conflicts open**", "| 1 | `Deployment web spec.replicas`", "`replicas: 1` | `replicas: 2` | `replicas: 3`",
		"| 2 | ", "upstream: `main` | local: `topic`", "/take local 2", "/take upstream 1-2\n")
	some := c.pr(answerEvent("I like ours.\r\n/take local 2\r\n"), answers(pull("topic", "o/r"), first.Comment))
	if some.Push != nil || some.Comment == nil || some.Comment.ID != 99 {
		t.Fatalf("want the comment renewed: %+v", some)
	}
	c.expect(some.Comment.Body, "**1 conflict open**", "1 of 2 settled", "`minReadySeconds: 30` ← taken")
	all := c.pr(answerEvent("/take upstream 1"), answers(pull("topic", "o/r"), some.Comment))
	if all.Push == nil || all.Push.Ref != "refs/heads/topic" || all.Comment == nil || all.Comment.ID != 99 {
		t.Fatalf("want a push, and the comment renewed: %+v", all)
	}
	if got := c.git("-C", c.dir, "show", all.Push.SHA+":shop/web.yaml"); got+"\n" != web("2", "30") {
		t.Errorf("merged:\n%s", got)
	}
	c.expect(c.git("-C", c.dir, "log", "-1", "--format=%B", all.Push.SHA), "Merge branch 'main' into topic", "Deployment web spec.replicas: upstream's, in shop/web.yaml")
	if author := c.git("-C", c.dir, "log", "-1", "--format=%an <%ae>", all.Push.SHA); author != "resource-merge <resource-merge@localhost>" {
		t.Errorf("the author is %s", author)
	}
	c.git("-C", c.dir, "config", "user.name", "bot")
	named := c.pr(answerEvent("/take upstream 1"), answers(pull("topic", "o/r"), some.Comment))
	if author := c.git("-C", c.dir, "log", "-1", "--format=%an <%ae>", named.Push.SHA); author != "bot <resource-merge@localhost>" {
		t.Errorf("the author is %s", author)
	}
	if parents := c.git("-C", c.dir, "log", "-1", "--format=%P", all.Push.SHA); !strings.HasPrefix(parents, all.Push.Expected) {
		t.Errorf("%s is not the first of %s", all.Push.Expected, parents)
	}
}

// With always a rule goes into the config of the package, which decides so next time.
func TestAlways(t *testing.T) {
	c := conflicting(t)
	first := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	all := c.pr(answerEvent("/take local 1,2 always"), answers(pull("topic", "o/r"), first.Comment))
	if all.Push == nil {
		t.Fatalf("want a push: %+v", all)
	}
	c.expect(c.git("-C", c.dir, "show", all.Push.SHA+":shop/.resource-merge.yaml"), "path: spec.replicas", "path: spec.minReadySeconds", "prefer: local")
	c.git("-C", c.dir, "push", "-q", "origin", all.Push.SHA+":refs/heads/topic")
	c.push("main", map[string]string{"shop/web.yaml": web("5", "50")})
	again := c.pr(pullEvent("topic", "o/r"), answers(nil, all.Comment))
	if again.Push == nil {
		t.Fatalf("the rules decide nothing: %+v", again)
	}
	if got := c.git("-C", c.dir, "show", again.Push.SHA+":shop/web.yaml"); got+"\n" != web("3", "30") {
		t.Errorf("merged:\n%s", got)
	}
}

// Numbers count only for the state that they were given for, and nothing that was pushed meanwhile is lost.
func TestStaleNumbers(t *testing.T) {
	c := conflicting(t)
	first := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	settled := c.pr(answerEvent("/take local 1-2"), answers(pull("topic", "o/r"), first.Comment))
	c.push("topic", map[string]string{"shop/web.yaml": web("4", "40")})
	if err := c.command("git", "-C", c.dir, "push", "-q", "origin", settled.Push.SHA+":"+settled.Push.Ref).Run(); err == nil {
		t.Error("a push overwrote a commit that came meanwhile")
	}
	stale := c.pr(answerEvent("/take local 1-2"), answers(pull("topic", "o/r"), first.Comment))
	if stale.Push != nil || stale.Comment == nil || stale.Comment.ID != 99 {
		t.Fatalf("want the comment renewed: %+v", stale)
	}
	c.expect(stale.Comment.Body, "stale", "**2 conflicts open**", "`replicas: 4`")
	if now := c.pr(answerEvent("/take local 1-2"), answers(pull("topic", "o/r"), stale.Comment)); now.Push == nil {
		t.Errorf("the new numbers do not count: %+v", now)
	}
}

// Only an answer by somebody who may write counts, in a comment of a person, outside of quotations and code.
func TestAnswersThatDoNotCount(t *testing.T) {
	c := conflicting(t)
	first := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	for _, permission := range []any{object{}, object{"permission": "read"}, object{"permission": "none"}, []any{}, object{"permission": "write", "user": object{"login": "bob"}}} {
		known := answers(pull("topic", "o/r"), first.Comment)
		known["permission"] = permission
		if plan := c.pr(answerEvent("/take local 1-2"), known); plan.Push != nil || plan.Comment != nil || !strings.Contains(plan.Message, "may not write") {
			t.Errorf("permission %v: %+v", permission, plan)
		}
	}
	event := answerEvent("/take local 1-2")
	event["comment"].(object)["author_association"] = "OWNER"
	if plan := c.pr(event, map[string]any{}); len(plan.Ask) != 2 || plan.Ask[0].Path != "repos/o/r/collaborators/alice/permission" || plan.Push != nil {
		t.Errorf("want to ask for the permission: %+v", plan)
	}
	for _, body := range []string{"> /take local 1-2", "```\n/take local 1-2\n```", "see /take local 1-2", "/taken 1"} {
		if plan := c.pr(answerEvent(body), answers(pull("topic", "o/r"), first.Comment)); plan.Comment != nil || plan.Push != nil {
			t.Errorf("%q: %+v", body, plan)
		}
	}
	for _, body := range []string{"/take", "/take local", "/take ours 1", "/take local 3", "/take local 0", "/take local 2-1", "/take local 1-99999999999", "/take local $(id)", "/take local 1\n/take upstream 9"} {
		plan := c.pr(answerEvent(body), answers(pull("topic", "o/r"), first.Comment))
		if plan.Push != nil || plan.Comment == nil || !strings.Contains(plan.Comment.Body, "The answer does not count") || strings.Contains(plan.Comment.Body, "taken") {
			t.Errorf("%q: %+v", body, plan)
		}
	}
	forged := answers(pull("topic", "o/r"), first.Comment)
	forged["comments"] = append(forged["comments"].([]object), object{"id": 100, "body": strings.Replace(first.Comment.Body, "`replicas: 3`", "`replicas: 9`", 1), "user": object{"login": "mallory", "type": "User"}},
		object{"id": 101, "body": first.Comment.Body, "user": object{"login": "echo[bot]", "type": "Bot"}})
	if plan := c.pr(answerEvent("/take local 1"), forged); plan.Comment == nil || plan.Comment.ID != 99 {
		t.Errorf("somebody's comment passes for this program's: %+v", plan)
	}
	bot := answerEvent("/take local 1-2")
	bot["comment"].(object)["user"] = object{"login": "alice", "type": "Bot"}
	issue := answerEvent("/take local 1-2")
	delete(issue["issue"].(object), "pull_request")
	for _, event := range []object{bot, issue} {
		if plan := c.pr(event, answers(pull("topic", "o/r"), first.Comment)); plan.Comment != nil || plan.Push != nil {
			t.Errorf("%v: %+v", event, plan)
		}
	}
}

// A fork is never pushed to, whatever its branch is called and whoever answers.
func TestForks(t *testing.T) {
	c := conflicting(t)
	c.git("-C", c.dir, "push", "-q", "origin", "origin/topic:refs/pull/7/head")
	for _, from := range []string{"mallory/r", ""} {
		plan := c.pr(pullEvent("main", from), answers(nil, nil))
		if plan.Push != nil || plan.Comment == nil {
			t.Fatalf("want a comment alone: %+v", plan)
		}
		c.expect(plan.Comment.Body, "comes from a fork", "`replicas: 2` | `replicas: 3`")
		plan = c.pr(answerEvent("/take local 1-2"), answers(pull("main", from), plan.Comment))
		if plan.Push != nil || plan.Comment == nil {
			t.Fatalf("want a comment alone: %+v", plan)
		}
	}
	unknown := pullEvent("topic", "mallory/r")
	unknown["pull_request"].(object)["number"] = 70
	if plan := c.pr(unknown, answers(nil, nil)); plan.Push != nil || plan.Comment != nil || !strings.Contains(plan.Message, "comes from a fork") {
		t.Errorf("a fork that cannot be fetched: %+v", plan)
	}
	gone := pullEvent("topic", "o/r")
	gone["pull_request"].(object)["head"].(object)["repo"] = nil
	if plan := c.pr(gone, answers(nil, nil)); plan.Push != nil {
		t.Errorf("a repository that is gone is pushed to: %+v", plan)
	}
	c.git("-C", c.dir, "push", "-q", "--force", "origin", c.push("clean", map[string]string{"shop/other.yaml": "a: 1\n"})+":refs/pull/7/head")
	if plan := c.pr(pullEvent("clean", "mallory/r"), answers(nil, nil)); plan.Push != nil || plan.Comment != nil {
		t.Errorf("want nothing: %+v", plan)
	}
}

// Nothing of a pull request is executed: no hook, filter, driver or config of it.
func TestNothingIsExecuted(t *testing.T) {
	c := conflicting(t)
	trap := filepath.Join(t.TempDir(), "executed")
	run := "touch " + trap
	files := map[string]string{
		".gitattributes":            "* filter=trap diff=trap\n*.yml merge=trap\n",
		".gitmodules":               "[submodule \"s\"]\n\tpath = s\n\turl = ext::" + run + "\n",
		"shop/.resource-merge.yaml": "upstream:\n  command: [touch, " + trap + ", \"{version}\"]\n  version: v1\n",
		".githooks/post-checkout":   "#!/bin/sh\n" + run + "\n", "Makefile": "all:\n\t" + run + "\n",
	}
	c.push("main", map[string]string{"other.yml": "a: 1\n"})
	c.push("topic", map[string]string{"other.yml": "a: 2\n"})
	c.push("main", map[string]string{"other.yml": "a: 3\n"})
	for name, text := range files {
		c.push("topic", map[string]string{name: text})
	}
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	if err := os.WriteFile(outside, []byte("private: 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	c.push("topic", map[string]string{"shop/kustomization.yaml": "->" + outside})
	c.git("-C", c.dir, "push", "-q", "origin", "HEAD:refs/pull/7/head")
	c.git("-C", c.dir, "checkout", "-q", "--detach", "origin/main")
	for _, name := range []string{"filter.trap.smudge", "filter.trap.clean", "merge.trap.driver", "diff.trap.textconv", "diff.trap.command"} {
		c.git("config", "--file", filepath.Join(c.home, ".gitconfig"), name, run) // the runner's own, for a name that the files use
	}
	hooks := filepath.Join(c.dir, ".git", "hooks")
	if err := os.Mkdir(hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"post-checkout", "pre-merge-commit", "commit-msg", "prepare-commit-msg", "post-index-change", "reference-transaction"} {
		if err := os.WriteFile(filepath.Join(hooks, hook), []byte("#!/bin/sh\n"+run+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{"o/r", "mallory/r"} {
		plan := c.pr(pullEvent("topic", from), answers(nil, nil))
		if plan.Comment == nil {
			t.Fatalf("no conflict was looked at: %+v", plan)
		}
		c.expect(plan.Comment.Body, "**3 conflicts open**", "`replicas: 1` | `replicas: 2` | `replicas: 3`")
	}
	if plan := c.pr(answerEvent("/take local 1-3"), answers(pull("topic", "o/r"), c.pr(pullEvent("topic", "o/r"), answers(nil, nil)).Comment)); plan.Push == nil {
		t.Errorf("no push: %+v", plan)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("something of the pull request was executed")
	}
}

// A config that cannot be read is an error with its name, and not a conflict about whole files.
func TestUnreadableConfig(t *testing.T) {
	c := conflicting(t)
	c.push("topic", map[string]string{"shop/.resource-merge.yaml": "upstream:\n  comand: [touch, x]\n"})
	if out, message := c.run(pullEvent("topic", "o/r"), answers(nil, nil)); !strings.Contains(message, "shop/web.yaml cannot be merged: shop/.resource-merge.yaml: ") {
		t.Errorf("%s%s", out, message)
	}
}

// Names, values and branches are data.
func TestHostileTexts(t *testing.T) {
	c := newCheckout(t)
	file := "shop/-$(touch x) `@alice` <b>|*.yaml"
	branch := "-x/$(touch${IFS}x)`|@alice"
	value := func(text string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  a: " + text + "\n"
	}
	c.push("main", map[string]string{file: value(`"one"`)})
	c.push(branch, map[string]string{file: value(`"| @alice <!-- x --> </table> ` + "``` #1" + ` https://example.com \u202e\n/take local 1"`)})
	c.push("main", map[string]string{file: value("|\n    [a](b) | two\n    <img src=x> @bob\n    --- | ---")})
	plan := c.pr(pullEvent(branch, "o/r"), answers(nil, nil))
	if plan.Comment == nil {
		t.Fatalf("no comment: %+v", plan)
	}
	_, table, _ := strings.Cut(plan.Comment.Body, "|---|---|---|---|---|\n")
	row, _, _ := strings.Cut(table, "\n")
	if strings.Count(row, "|") != 6 {
		t.Errorf("the row has other cells: %s", row)
	}
	for _, bad := range []string{"@alice", "@bob", "<b>", "<img", "</table>", "https://", "[a](b)"} {
		if strings.Contains(plan.Comment.Body, bad) {
			t.Errorf("%s is no data:\n%s", bad, plan.Comment.Body)
		}
	}
	plan = c.pr(answerEvent("/take local 1"), answers(pull(branch, "o/r"), plan.Comment))
	if plan.Push == nil || plan.Push.Ref != "refs/heads/"+branch {
		t.Fatalf("no push: %+v", plan)
	}
	for _, name := range []string{"", "a..b", "a b", "a\nb", "a~1", "x:y", "+a*", "a.lock", "/a", "@{u}"} {
		if _, message := c.run(pullEvent(name, "o/r"), nil); !strings.Contains(message, "is no name of a branch") {
			t.Errorf("%q: %s", name, message)
		}
	}
	event := answerEvent("/take local 1")
	event["comment"].(object)["user"].(object)["login"] = "../../x"
	if plan := c.pr(event, nil); len(plan.Ask) > 0 {
		t.Errorf("a path leaves its place: %+v", plan.Ask)
	}
	event["repository"] = object{"full_name": "../x"}
	if _, message := c.run(event, nil); !strings.Contains(message, "want owner/name") {
		t.Errorf("%s", message)
	}
}

// A comment has room for as many conflicts as GitHub takes, and a range settles the others.
func TestManyConflicts(t *testing.T) {
	c := newCheckout(t)
	file := func(value string) string {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n")
		for _, a := range "abcdefghijklmnopqrstuvwxyz" {
			for _, z := range "abcdefghijklmnopqrst" {
				b.WriteString("  " + string(a) + string(z) + ": " + strings.Repeat(value, 60) + "\n  keep-" + string(a) + string(z) + ": same\n")
			}
		}
		return b.String()
	}
	c.push("main", map[string]string{"web.yaml": file("o")})
	c.push("topic", map[string]string{"web.yaml": file("l")})
	c.push("main", map[string]string{"web.yaml": file("u")})
	plan := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	if n := len(plan.Comment.Body); n > 65_536 {
		t.Errorf("the comment has %d bytes", n)
	}
	c.expect(plan.Comment.Body, "**520 conflicts open**", "had no room here", "/take local 2")
	plan = c.pr(answerEvent("/take local 1-520"), answers(pull("topic", "o/r"), plan.Comment))
	if plan.Push == nil || len(plan.Comment.Body) > 65_536 {
		t.Fatalf("%+v", plan)
	}
	if got := c.git("-C", c.dir, "show", plan.Push.SHA+":web.yaml"); got+"\n" != file("l") {
		t.Errorf("merged:\n%s", got)
	}
}

// What cannot be settled by an answer is told in the comment.
func TestSettledByHand(t *testing.T) {
	c := newCheckout(t)
	c.push("main", map[string]string{"shop/web.yaml": web("1", "10"), "l": "one\n"})
	c.push("topic", map[string]string{"shop/web.yaml": web("3", "10"), "l": "two\n"})
	c.push("main", map[string]string{"l": "->/etc/passwd"})
	plan := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	c.expect(plan.Comment.Body, "a link or a submodule: by hand")
	number := "1"
	if strings.Contains(plan.Comment.Body, "| 2 | ") {
		number = "1-2"
	}
	plan = c.pr(answerEvent("/take local "+number), answers(pull("topic", "o/r"), plan.Comment))
	if plan.Push != nil || plan.Comment == nil {
		t.Fatalf("%+v", plan)
	}
	c.expect(plan.Comment.Body, "has to be merged by hand")
	if number == "1" {
		t.Fatal("want two conflicts")
	}
	for _, answer := range []string{"/take local 1\n/take local 2", "/take local 2\n/take local 1"} { // one line cannot be followed
		posted := c.pr(pullEvent("topic", "o/r"), answers(nil, nil)).Comment
		plan := c.pr(answerEvent(answer), answers(pull("topic", "o/r"), posted))
		if strings.Contains(plan.Comment.Body, " of 2 settled") || strings.Contains(plan.Comment.Body, "← taken") {
			t.Errorf("%q settles half of it:\n%s", answer, plan.Comment.Body)
		}
	}
}

// A rule that cannot be written is told in the comment, and nothing is settled.
func TestRuleThatCannotBeWritten(t *testing.T) {
	c := conflicting(t)
	c.push("topic", map[string]string{"shop/.resource-merge.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {infer-list-keys: \"true\"}\n"})
	plan := c.pr(answerEvent("/take local 1-2 always"), answers(pull("topic", "o/r"), c.pr(pullEvent("topic", "o/r"), answers(nil, nil)).Comment))
	if plan.Push != nil || plan.Comment == nil {
		t.Fatalf("%+v", plan)
	}
	c.expect(plan.Comment.Body, "What was settled cannot be done", "a ConfigMap has no rules")
}

// Files without markers are conflicts, too: one that a side deleted, and one that is no text.
func TestWholeFiles(t *testing.T) {
	c := newCheckout(t)
	c.push("main", map[string]string{"a.yaml": web("1", "1"), "b.bin": "a\x00b", "notes.txt": "one\n"})
	c.push("topic", map[string]string{"a.yaml": web("2", "1"), "b.bin": "l\x00b", "notes.txt": "local\n"})
	c.push("main", map[string]string{"a.yaml": gone, "b.bin": "u\x00b", "notes.txt": "upstream\n"})
	plan := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	c.expect(plan.Comment.Body, "**3 conflicts open**", "| 1 | `a.yaml` | *a file of", "*absent*", "| 2 | `b.bin` |", "| 3 | `notes.txt` | `one` | `upstream` | `local` |")
	plan = c.pr(answerEvent("/take upstream 1,2\n/take local 3"), answers(pull("topic", "o/r"), plan.Comment))
	if plan.Push == nil {
		t.Fatalf("%+v", plan)
	}
	if got := c.git("-C", c.dir, "ls-tree", "--name-only", "-r", plan.Push.SHA); got != "b.bin\nnotes.txt" {
		t.Errorf("files: %s", got)
	}
	if got := c.git("-C", c.dir, "show", plan.Push.SHA+":b.bin"); got != "u\x00b" {
		t.Errorf("b.bin: %q", got)
	}
}

// The values of a resource that both sides added are shown, and those of a Secret hidden.
func TestAddedByBoth(t *testing.T) {
	c := newCheckout(t)
	c.push("main", map[string]string{"notes.txt": "one\n"})
	secret := func(value string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\nstringData:\n  key: hush" + value + "\n"
	}
	c.push("topic", map[string]string{"a.yaml": web("3", "1"), "secret.yaml": secret("3")})
	c.push("main", map[string]string{"a.yaml": web("2", "1"), "secret.yaml": secret("2")})
	plan := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	c.expect(plan.Comment.Body, "**2 conflicts open**", "| *absent* | `replicas: 2` | `replicas: 3` |", "| *hidden* | *hidden* | *hidden* |")
	if strings.Contains(plan.Comment.Body, "hush") {
		t.Errorf("the comment shows a secret:\n%s", plan.Comment.Body)
	}
}

// A conflict whose lines begin in the middle of a secret is about that secret, and about the field that follows it.
func TestLastLinesOfASecret(t *testing.T) {
	c := newCheckout(t)
	config := func(key, size string) map[string]string {
		return map[string]string{"config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  tls.key: |\n    first\n    " + key + "\n  size: \"" + size + "\"\n"}
	}
	c.push("main", config("hush", "1"))
	c.push("topic", config("hush-3", "3"))
	c.push("main", config("hush-2", "2"))
	plan := c.pr(pullEvent("topic", "o/r"), answers(nil, nil))
	c.expect(plan.Comment.Body, "`ConfigMap a data (tls.key, size)`", "| *hidden* | *hidden* | *hidden* |")
	if strings.Contains(plan.Comment.Body, "hush") {
		t.Errorf("the comment shows a secret:\n%s", plan.Comment.Body)
	}
}
