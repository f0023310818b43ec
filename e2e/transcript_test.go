package e2e

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shell runs command lines as a reader of README with the built programs does:
// one after the other in one directory.
type shell struct {
	dir string
	env []string
}

// newShell returns a shell in a new directory with the files. Git's output depends
// on neither the language nor the window in which the tests run.
func newShell(t *testing.T, files tree) shell {
	t.Helper()
	return shell{dir: files.write(t), env: append(environment(t), "LC_ALL=C", "COLUMNS=80",
		"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.com",
		"GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.com")}
}

// run returns the output of a command line, whether it succeeds or not. A line
// that could not even be started fails the test.
func (s shell) run(t *testing.T, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = s.dir, s.env
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		t.Fatalf("%s: %v", line, err)
	}
	return withoutCommits(withoutDurations(strings.ReplaceAll(string(out), s.dir, "/home/you")))
}

// withoutCommits names one commit wherever a report says which commit set a value: the reader's repository has paths
// of the machine in it, and so its commits have other ids in every run.
func withoutCommits(out string) string {
	return regexp.MustCompile(`(?m)^(  local's is from commit )[0-9a-f]{7} `).ReplaceAllString(out, "${1}3f2a9c1 ")
}

// withoutDurations says 100ms wherever kpt says how long a function took; the
// rest is the same in every run.
func withoutDurations(out string) string {
	return regexp.MustCompile(`(?m)^(\[(?:PASS|FAIL)\] ".*" in )[0-9hms.]+$`).ReplaceAllString(out, "${1}100ms")
}

// replay returns a transcript with the present output of its commands, the lines
// after `$ ` with the lines after `> ` right below.
func (s shell) replay(t *testing.T, transcript string) string {
	t.Helper()
	var now strings.Builder
	all := slices.Collect(strings.Lines(transcript))
	for i, line := range all {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		now.WriteString(line)
		for _, line := range all[i+1:] {
			more, ok := strings.CutPrefix(line, "> ")
			if !ok {
				break
			}
			now.WriteString(line)
			command += more
		}
		now.WriteString(endLine(s.run(t, strings.TrimSuffix(command, "\n"))))
	}
	return now.String()
}

// endLine ends the last line of a text that has any.
func endLine(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// replayAll returns a Markdown text with the present output of the commands in its
// console blocks, run from the first to the last, and the number of the blocks.
func (s shell) replayAll(t *testing.T, markdown string) (now string, blocks int) {
	t.Helper()
	const fence = "```"
	block := regexp.MustCompile(`(?ms)^` + fence + `console\n.*?^` + fence + `$`)
	now = block.ReplaceAllStringFunc(markdown, func(text string) string {
		blocks++
		first, rest, _ := strings.Cut(text, "\n")
		return first + "\n" + s.replay(t, strings.TrimSuffix(rest, fence)) + fence
	})
	return now, blocks
}

func TestReplay(t *testing.T) {
	text := "Text.\n```console\n$ echo one > a; cat a\nold\n$ for x in a b; do\n>   pwd\n> done\n$ cat a none\n```\n$ echo none\n```console\n$ printf two; exit 3\n```\n"
	want := "Text.\n```console\n$ echo one > a; cat a\none\n$ for x in a b; do\n>   pwd\n> done\n/home/you\n/home/you\n$ cat a none\none\ncat: none: No such file or directory\n```\n" +
		"$ echo none\n```console\n$ printf two; exit 3\ntwo\n```\n"
	got, blocks := newShell(t, tree{"b": ""}).replayAll(t, text)
	if got != want || blocks != 2 {
		t.Errorf("%d blocks, want 2; got:\n%s\nwant:\n%s", blocks, got, want)
	}
}

func TestWithoutDurations(t *testing.T) {
	for _, took := range []string{"0s", "200ms", "1.2s", "1m2.3s"} {
		const want = "[RUNNING] \"f\"\n[FAIL] \"f\" in 100ms\nin 2s\n"
		if got := withoutDurations("[RUNNING] \"f\"\n[FAIL] \"f\" in " + took + "\nin 2s\n"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
