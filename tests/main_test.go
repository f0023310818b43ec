package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/creack/pty"

	"github.com/resource-merge/resource-merge/command"
	"github.com/resource-merge/resource-merge/tests/seed"
)

// TestMain runs the command itself, or the meter of its memory, where a test
// started the test binary for that.
func TestMain(m *testing.M) {
	if os.Getenv("RESOURCE_MERGE_AS_METER") != "" {
		meter()
	}
	if os.Getenv("RESOURCE_MERGE_AS_COMMAND") != "" {
		os.Exit(program().Main())
	}
	if err := os.Chdir(".."); err != nil { // paths in these tests begin at the top of the repository
		panic(err)
	}
	seed.Main(m)
}

// program is the command, with the documentation that main.go embeds.
func program() command.Program {
	readme, _ := os.ReadFile("README.md")
	metadata, _ := os.ReadFile("metadata.yaml")
	return command.Program{Readme: readme, Metadata: metadata}
}

// runCommand runs resource-merge with arguments and an input.
func runCommand(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := commandOf(stdin, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func commandOf(stdin string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "RESOURCE_MERGE_AS_COMMAND=1")
	cmd.Stdin = strings.NewReader(stdin)
	return cmd
}

func TestCommandMergesFileAndStdin(t *testing.T) {
	const file = "testdata/quickstart/input.yaml"
	fromFile, stderr, code := runCommand(t, "", file)
	if code != 0 || stderr != "" || !strings.Contains(fromFile, "merged 9 resources") {
		t.Errorf("exit %d, stderr %q, stdout:\n%s", code, stderr, fromFile)
	}
	if fromStdin, _, _ := runCommand(t, string(readOptional(t, file))); fromStdin != fromFile {
		t.Error("a list gives another output on stdin than from a file")
	}
}

func TestCommandDocuments(t *testing.T) {
	help, _, code := runCommand(t, "", "--help")
	if code != 0 || !strings.Contains(help, "merges a new version of a Kubernetes package") || !strings.Contains(help, "sources:") {
		t.Errorf("--help: exit %d\n%s", code, help)
	}
	doc, _, code := runCommand(t, "", "--doc")
	var fields map[string]any
	if err := json.Unmarshal([]byte(doc), &fields); err != nil || code != 0 {
		t.Errorf("--doc: exit %d, %v\n%s", code, err, doc)
	}
	if version, _, code := runCommand(t, "", "--version"); code != 0 || strings.TrimSpace(version) == "" {
		t.Errorf("--version: exit %d, %q", code, version)
	}
}

// Whatever fails, stdout is a list: kpt takes an empty one for an order to
// delete every file.
func TestCommandFails(t *testing.T) {
	for _, stdin := range []string{"", "{", "a: b\n", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"} {
		stdout, stderr, code := runCommand(t, stdin)
		if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stdout, "kind: ResourceList") || !strings.Contains(stdout, "severity: error") {
			t.Errorf("%q: exit %d, stderr %q, stdout:\n%s", stdin, code, stderr, stdout)
		}
	}
	if stdout, _, code := runCommand(t, "", "./no-such-file"); code != 1 || !strings.Contains(stdout, "no-such-file: no such file") {
		t.Errorf("no-such-file: exit %d, stdout:\n%s", code, stdout)
	}
	for _, args := range [][]string{{"--nonsense"}, {"./a", "b"}} {
		if _, stderr, code := runCommand(t, "", args...); code != 2 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr)
		}
	}
}

// Half a list must not pass for a whole one.
func TestRunReadErrorHalfWay(t *testing.T) {
	half := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {kind: A, metadata: {name: a}}\n"
	broken := iotest.DataErrReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(half))))
	var out bytes.Buffer
	err := program().Run(nil, broken, &out, os.Stderr)
	if !errors.Is(err, iotest.ErrTimeout) || strings.Contains(out.String(), "kind: A") || !strings.Contains(out.String(), "timeout") {
		t.Errorf("error %v, stdout:\n%s", err, out.String())
	}
}

// failingWriter is a stdout that was closed early.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRunWriteError(t *testing.T) {
	in := bytes.NewReader(readOptional(t, "testdata/quickstart/input.yaml"))
	if err := program().Run(nil, in, failingWriter{}, os.Stderr); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}

// TestCommandProgress checks that a run over more than 1,000 resources shows its
// progress on a terminal, and only there, and leaves nothing of it behind.
func TestCommandProgress(t *testing.T) {
	stdout, stderr, code := runCommand(t, largeList(1001))
	if code != 0 || stderr != "" {
		t.Errorf("without a terminal: exit %d, stderr %q", code, stderr)
	}
	onTerminal, shown := commandOnTerminal(t, largeList(1001))
	if onTerminal != stdout {
		t.Error("with a terminal, stdout is another")
	}
	if !strings.HasPrefix(shown, "\rresource-merge: reading 1,001 resources") || !strings.HasSuffix(shown, " \r") {
		t.Errorf("with a terminal, it shows %q", shown)
	}
	if _, shown := commandOnTerminal(t, largeList(1000)); shown != "" {
		t.Errorf("for 1,000 resources, it shows %q", shown)
	}
}

// commandOnTerminal runs resource-merge with a pseudo-terminal as its stderr,
// and returns the text that the terminal was sent.
func commandOnTerminal(t *testing.T, stdin string) (stdout, shown string) {
	t.Helper()
	terminal, stderr, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	cmd := commandOf(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stderr.Close()
	sent, _ := io.ReadAll(terminal) // ends with an error when the last writer is gone
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return out.String(), string(sent)
}

// On a terminal help is text, and elsewhere the Markdown that the SDK for functions prints.
func TestHelpOnTerminal(t *testing.T) {
	terminal, stdout, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	cmd := commandOf("", "--help")
	cmd.Stdout = stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stdout.Close()
	shown, _ := io.ReadAll(terminal) // ends with an error when the last writer is gone
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if text := string(shown); !strings.Contains(text, "usage: resource-merge COMMAND") || strings.Contains(text, "```") || strings.Contains(text, "](") {
		t.Errorf("the terminal shows\n%s", text)
	}
	if text, _, _ := runCommand(t, "", "--help"); !strings.Contains(text, "```") {
		t.Errorf("a pipe gets\n%s", text)
	}
}

// largeList is a list of n ConfigMaps; upstream and origin have one of them.
func largeList(n int) string {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for i := range n {
		dir := ""
		switch i {
		case 0:
			dir = "origin/"
		case 1:
			dir = "upstream/"
		}
		fmt.Fprintf(&b, "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, annotations: {internal.config.kubernetes.io/path: %sc%d.yaml}}}\n", max(i, 2), dir, i)
	}
	return b.String()
}
