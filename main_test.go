package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/iotest"
)

// TestMain runs the command itself where a test started the test binary for
// that.
func TestMain(m *testing.M) {
	if os.Getenv("RESOURCE_MERGE_AS_COMMAND") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// command runs resource-merge with arguments and an input.
func command(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "RESOURCE_MERGE_AS_COMMAND=1")
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestCommandMergesFileAndStdin(t *testing.T) {
	const file = "testdata/quickstart/input.yaml"
	fromFile, stderr, code := command(t, "", file)
	if code != 0 || stderr != "" || !strings.Contains(fromFile, "merged 9 resources") {
		t.Errorf("exit %d, stderr %q, stdout:\n%s", code, stderr, fromFile)
	}
	if fromStdin, _, _ := command(t, string(readOptional(t, file))); fromStdin != fromFile {
		t.Error("a list gives another output on stdin than from a file")
	}
}

func TestCommandDocuments(t *testing.T) {
	help, _, code := command(t, "", "--help")
	if code != 0 || !strings.Contains(help, "merges a new version of a Kubernetes package") || !strings.Contains(help, "sources:") {
		t.Errorf("--help: exit %d\n%s", code, help)
	}
	doc, _, code := command(t, "", "--doc")
	var fields map[string]any
	if err := json.Unmarshal([]byte(doc), &fields); err != nil || code != 0 {
		t.Errorf("--doc: exit %d, %v\n%s", code, err, doc)
	}
	if version, _, code := command(t, "", "--version"); code != 0 || strings.TrimSpace(version) == "" {
		t.Errorf("--version: exit %d, %q", code, version)
	}
}

// Whatever fails, stdout is a list: kpt takes an empty one for an order to
// delete every file.
func TestCommandFails(t *testing.T) {
	for _, stdin := range []string{"", "{", "a: b\n", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"} {
		stdout, stderr, code := command(t, stdin)
		if code != 1 || strings.Count(stderr, "\n") != 1 || !strings.Contains(stdout, "kind: ResourceList") || !strings.Contains(stdout, "severity: error") {
			t.Errorf("%q: exit %d, stderr %q, stdout:\n%s", stdin, code, stderr, stdout)
		}
	}
	if stdout, _, code := command(t, "", "no-such-file"); code != 1 || !strings.Contains(stdout, "no-such-file: no such file") {
		t.Errorf("no-such-file: exit %d, stdout:\n%s", code, stdout)
	}
	for _, args := range [][]string{{"--nonsense"}, {"a", "b"}} {
		if _, stderr, code := command(t, "", args...); code != 1 || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, stderr %q", args, code, stderr)
		}
	}
}

// Half a list must not pass for a whole one.
func TestRunReadErrorHalfWay(t *testing.T) {
	half := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {kind: A, metadata: {name: a}}\n"
	broken := iotest.DataErrReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(half))))
	var out bytes.Buffer
	err := run(nil, broken, &out)
	if !errors.Is(err, iotest.ErrTimeout) || strings.Contains(out.String(), "kind: A") || !strings.Contains(out.String(), "timeout") {
		t.Errorf("error %v, stdout:\n%s", err, out.String())
	}
}

// failingWriter is a stdout that was closed early.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestRunWriteError(t *testing.T) {
	in := bytes.NewReader(readOptional(t, "testdata/quickstart/input.yaml"))
	if err := run(nil, in, failingWriter{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v, want %v", err, os.ErrClosed)
	}
}
