package tests

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/resource-merge/resource-merge/tests/seed"
)

// huge is an input that is large, or small and stands for something large, with
// the bounds of a run over it.
type huge struct {
	name    string
	text    func() string // of the fields below spec
	through string        // a part of the error where it passes through, "" for none
	merged  string        // the same where it has to be merged
	seconds int           // the most that a run takes on a usual machine
	factor  int           // how many times the input's size the memory may be, beside baseMemory
}

const (
	// baseMemory is the memory that a run may take for any input; the test binary
	// alone takes 15 MB.
	baseMemory = 40 << 20
	megabyte   = 1 << 20
	// patience is the factor by which a run may take longer on a slow machine before it
	// counts as one that hangs.
	patience = 30
)

// small are quick even in a slow place.
func small() []huge {
	return []huge{
		{"alias bomb of 10^9 nodes", func() string { return aliasBomb(8) }, "", "aliases expand to many times", 1, 10},
		{"alias bomb of 10^40 nodes", func() string { return aliasBomb(39) }, "", "aliases expand to many times", 1, 10},
		{"20,000 anchors and aliases", manyAliases, "", "", 4, 400},
		{"nested a million times", func() string { return nested(1_000_000) }, notYAML, notYAML, 2, 25},
		{"a million brackets that do not end", func() string { return "a: " + strings.Repeat("[", 1_000_000) + "\n" }, notYAML, notYAML, 2, 25},
		{"a million dashes", func() string { return "a:\n" + strings.Repeat("- ", 1_000_000) + "b\n" }, notYAML, notYAML, 2, 25},
		{"a million question marks", func() string { return "a:\n" + strings.Repeat("? ", 1_000_000) + "b\n" }, notYAML, notYAML, 2, 25},
		{"a million maps in flow style", func() string { return "a: " + strings.Repeat("{a: ", 1_000_000) + "\n" }, notYAML, notYAML, 2, 25},
		{"nested 2,000 times in lines", func() string { return nestedBlock(2000, "a:") }, "", "nested deeper than 1,000 levels", 4, 40},
		{"a key of a megabyte", func() string { return strings.Repeat("k", megabyte) + ": a\n" }, notYAML, notYAML, 4, 25},
		{"a comment of a megabyte", func() string { return "a: b # " + strings.Repeat("c", megabyte) + "\n" }, "", "", 4, 40},
		{"a tag of a megabyte", func() string { return "a: !" + strings.Repeat("t", megabyte) + " b\n" }, "", "", 4, 40},
		{"a map of 20,000 keys", manyKeys, "", "", 4, 400},
		{"a quoted scalar of 2 MB", func() string { return "a: \"" + strings.Repeat("x", 2*megabyte) + "\"\n" }, "", "", 8, 25},
		{"a literal block of 2 MB", func() string { return "a: |\n" + strings.Repeat("  "+strings.Repeat("x", 78)+"\n", 2*megabyte/81) }, "", "", 8, 25},
		{"100,000 empty lines", func() string { return "a: b\n" + strings.Repeat("\n", 100_000) + "c: d\n" }, "", "", 4, 200},
		{"100,000 comments", func() string { return "a: b\n" + strings.Repeat("# c\n", 100_000) + "d: e\n" }, "", "", 4, 200},
	}
}

// large are skipped with -short.
func large() []huge {
	return []huge{
		{"a scalar of 100 MB in one line", func() string { return "a: " + strings.Repeat("x", 100*megabyte) + "\n" }, "", "", 60, 25},
	}
}

func manyAliases() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "a%d: &a%d x\nb%d: *a%d\n", i, i, i, i)
	}
	return b.String()
}

func manyKeys() string {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "key%d: value\n", i)
	}
	return b.String()
}

// TestHostileSize runs the command over what would take long or much if
// anything were not in proportion to the input, with a limit for both.
func TestHostileSize(t *testing.T) { testSizes(t, small()) }

// TestHostileLargeSize is the same with 100 MB, if RESOURCE_MERGE_LARGE is set.
func TestHostileLargeSize(t *testing.T) {
	if os.Getenv("RESOURCE_MERGE_LARGE") == "" {
		t.Skip("RESOURCE_MERGE_LARGE is not set: it takes some GB")
	}
	testSizes(t, large())
}

// testSizes runs the command over each input in each of four places, in a quick run every third of them in one.
func testSizes(t *testing.T, inputs []huge) {
	for i, h := range inputs {
		text := h.text()
		in := func(place int, name string, test func(*testing.T)) {
			if (i+place)%seed.Step(12) == 0 {
				t.Run(h.name+"/"+name, test)
			}
		}
		in(0, "passes through", func(t *testing.T) {
			item := withoutSide(resource("local", "hostile", "1", text), "local")
			out := h.run(t, listOf("", append(change(), item)...), h.through)
			if h.through == "" && !bytes.Contains(out, []byte(item)) {
				t.Error("the item did not come out byte for byte")
			}
		})
		in(1, "is added", func(t *testing.T) {
			h.run(t, listOf("", append(change(), resource("upstream", "hostile", "1", text))...), h.through)
		})
		in(2, "is merged", func(t *testing.T) {
			out := h.run(t, listOf("", hostileTriple(text, "upstream")...), h.merged)
			if h.merged == "" && !bytes.Contains(out, []byte("\n  size: 2\n")) {
				t.Error("upstream's size did not come out")
			}
		})
		in(3, "around the items", func(t *testing.T) {
			h.run(t, listOf("extra:\n"+indented(text, "  "), change()...), h.through)
		})
	}
}

// run runs the command within the limits and checks how it ended: with 0, or
// with 1, one line on stderr and a list that has the error.
func (h huge) run(t *testing.T, in []byte, want string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Duration(h.seconds)*time.Second)
	defer cancel()
	m := metered(ctx, t, in)
	took, memory := m.Time, int64(m.Memory)
	t.Logf("%d MB in, %v, %d MB of memory", len(in)>>20, took.Round(time.Millisecond), memory>>20)
	if most := baseMemory + int64(h.factor*len(in)); memory > most {
		t.Errorf("%d MB of memory, want at most %d MB", memory>>20, most>>20)
	}
	checkEnd(t, m.Code, m.stdout, m.stderr, want)
	return m.stdout
}

// checkEnd checks how a run of the command ended.
func checkEnd(t *testing.T, code int, out []byte, stderr, want string) {
	t.Helper()
	if !bytes.HasPrefix(out, []byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")) {
		t.Errorf("what came out is no list: %.300q", out)
	}
	switch {
	case want == "" && code == 0 && stderr == "" && bytes.Contains(out, []byte("severity: info")):
	case want != "" && code == 1 && strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, want) && bytes.Contains(out, []byte("severity: error")):
	default:
		t.Errorf("exit %d, %.300q, want %q", code, stderr, want)
	}
}

// measured has the time and memory of a run of the command, and how it ended.
type measured struct {
	Time   time.Duration
	Memory int64 // the most that it had, in bytes
	Code   int

	stdout []byte
	stderr string
}

// metered runs the command below a meter.
func metered(ctx context.Context, t *testing.T, in []byte) measured {
	t.Helper()
	report := filepath.Join(t.TempDir(), "report")
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), "RESOURCE_MERGE_AS_METER="+report)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("the meter: %v", err)
	}
	var m measured
	if err := json.Unmarshal(readOptional(t, report), &m); err != nil {
		t.Fatal(err)
	}
	m.stdout, m.stderr = out.Bytes(), errs.String()
	return m
}

// meter runs the command and writes what it took to a file. It is a process of
// its own because Linux counts for a child what its parent had when it was
// started, and the tests have a lot.
func meter() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RESOURCE_MERGE_AS_METER=", "RESOURCE_MERGE_AS_COMMAND=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	start := time.Now()
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	report, err := json.Marshal(measured{
		Time:   time.Since(start),
		Memory: cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10, // Linux counts in KB
		Code:   cmd.ProcessState.ExitCode(),
	})
	if err == nil {
		err = os.WriteFile(os.Getenv("RESOURCE_MERGE_AS_METER"), report, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}
