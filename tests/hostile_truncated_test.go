package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/command"
)

// smallList has two local resources that change and one that only local has,
// then origin, then upstream: what is cut off is upstream first.
func smallList() []byte {
	return listOf("results:\n- message: from before\n  severity: info\n",
		resource("local", "a", "1", "text: |\n  items:\n  b: \"c\"\n"), resource("local", "own", "1", "list: [a, 'b', {c: d}]\n"), resource("local", "b", "3", ""),
		resource("origin", "a", "1", ""), resource("origin", "b", "1", ""),
		resource("upstream", "a", "2", ""), resource("upstream", "b", "2", "e: # f\n- g\n- h: i\n"))
}

// TestTruncated runs every list that smallList begins with. A list that is cut
// off below an item may be valid, and shorter: then the remaining items decide,
// and a local item that does not come out is named as deleted.
func TestTruncated(t *testing.T) {
	t.Parallel()
	whole := smallList()
	merged := 0
	for end := range len(whole) + 1 {
		if checkPrefix(t, whole[:end:end], localNames(whole[:end])) {
			merged++
		}
	}
	if merged < 20 {
		t.Errorf("only %d prefixes are lists; are there so few?", merged)
	}
}

// localNames is the names of the local items in the beginning of a list.
func localNames(prefix []byte) (names []string) {
	parts := strings.Split(string(prefix), "\n    name: ")
	for _, part := range parts[1:] {
		if name, rest, _ := strings.Cut(part, "\n"); strings.Contains(rest, "merge-source: local\n") {
			names = append(names, name)
		}
	}
	return names
}

// TestTruncatedJSON does the same in JSON: no part of it is a list.
func TestTruncatedJSON(t *testing.T) {
	t.Parallel()
	var list any
	if err := yaml.Unmarshal(smallList(), &list); err != nil {
		t.Fatal(err)
	}
	whole, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(whole) + 1 {
		if merged := checkPrefix(t, whole[:end:end], nil); merged != (end == len(whole)) {
			t.Errorf("%d of %d bytes: merged is %v", end, len(whole), merged)
		}
	}
}

// checkPrefix runs the beginning of a list, and says whether it was merged. All
// local items that it has must come out or be named as deleted.
func checkPrefix(t *testing.T, prefix []byte, local []string) (merged bool) {
	t.Helper()
	out, err := command.Function(prefix)
	items := len(itemNodes(t, out)) // fails unless a list came out
	before, results, _ := strings.Cut(string(out), "\nresults:\n")
	switch failed := strings.Contains(results, "severity: error"); {
	case failed != (err != nil):
		t.Errorf("%d bytes: error %v, but results\n%s", len(prefix), err, results)
	case err != nil:
		return false
	case items == 0:
		t.Errorf("%d bytes: success without an item", len(prefix))
	}
	for _, name := range local {
		if !strings.Contains(before+"\n", "    name: "+name+"\n") && !strings.Contains(results, "Tree "+name+": deleted, because upstream") &&
			!strings.Contains(results, "Tree "+name+": upstream deleted it, and you had changed its size to 3; deleted") {
			t.Errorf("%d bytes: %s is gone without a word\n%s", len(prefix), name, out)
		}
	}
	return true
}

// TestReadErrorAtEveryByte has stdin break off with an error: whatever was
// read, nothing is merged.
func TestReadErrorAtEveryByte(t *testing.T) {
	t.Parallel()
	whole := smallList()
	for end := range len(whole) + 1 {
		broken := io.MultiReader(bytes.NewReader(whole[:end]), iotest.ErrReader(syscall.EIO))
		var out bytes.Buffer
		err := program().Run(nil, broken, &out, os.Stderr)
		if err == nil || !strings.Contains(err.Error(), "input/output error") || len(itemNodes(t, out.Bytes())) > 0 {
			t.Errorf("%d bytes: error %v\n%s", end, err, out.Bytes())
		}
	}
}

// shortWriter takes so many bytes, and then fails.
type shortWriter struct{ room int }

func (w *shortWriter) Write(p []byte) (int, error) {
	n := min(w.room, len(p))
	w.room -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// TestWriteErrorHalfWay has stdout full after some bytes: the run fails, even if
// the merge did not.
func TestWriteErrorHalfWay(t *testing.T) {
	t.Parallel()
	var whole bytes.Buffer
	if err := program().Run(nil, bytes.NewReader(smallList()), &whole, os.Stderr); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 7 {
		if err := program().Run(nil, bytes.NewReader(smallList()), &shortWriter{room}, os.Stderr); err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("%d bytes: error %v", room, err)
		}
	}
}

// TestStdoutIsClosedEarly runs the command with a reader that goes away, as
// `| head -c 1` does, with a list that is larger than a pipe.
func TestStdoutIsClosedEarly(t *testing.T) {
	cmd := commandOf(largeList(5000))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
		t.Error(err)
	}
	stdout.Close()
	checkFailed(t, cmd)
}

// checkFailed waits for a command that has to fail.
func checkFailed(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Wait(); err == nil {
		t.Error("the command succeeded, though nobody read its list")
	}
}

// TestStdoutIsFull runs the command with a device that takes nothing, and with
// no stdout at all.
func TestStdoutIsFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no /dev/full: ", err)
	}
	defer full.Close()
	for _, run := range []struct {
		stdin string
		args  []string
	}{{stdin: string(smallList())}, {stdin: "{"}, {args: []string{"help"}}, {args: []string{"help", "merge"}}, {args: []string{"git", "install", "--help"}}} {
		cmd := commandOf(run.stdin, run.args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		err := cmd.Run()
		if said := stderr.String(); err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(said, "\n") != 1 || !strings.Contains(said, "no space left") {
			t.Errorf("%q %q: %v, stderr %q", run.stdin, run.args, err, said)
		}
	}
}

// TestInputIsNoFile has FILE be what cannot be read as a list.
func TestInputIsNoFile(t *testing.T) {
	for file, want := range map[string]string{"testdata": "is a directory", "/dev/null": "the input is empty", "no/such": "no such file", "./a\x01b": "no such file"} {
		stdout, stderr, code := runCommand(t, "", file)
		if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) || len(itemNodes(t, []byte(stdout))) != 0 || !strings.Contains(stdout, "severity: error") {
			t.Errorf("%q: exit %d, stderr %q, stdout:\n%s", file, code, stderr, stdout)
		}
	}
}
