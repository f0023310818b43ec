package progress

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lineAt returns a line on a terminal that the test reads, with the test's clock.
func lineAt(out *strings.Builder) (line *Line, clock *time.Time) {
	clock = new(time.Time)
	return &Line{out: out, now: func() time.Time { return *clock }}, clock
}

// TestShow writes a shorter text over all of a longer one, and clears all.
func TestShow(t *testing.T) {
	var out strings.Builder
	line, clock := lineAt(&out)
	line.Show("reading", 0, 1001)
	*clock = clock.Add(interval)
	line.Show("merging", 1000, 1234567)
	*clock = clock.Add(interval)
	line.Show("writing", 0, 999)
	line.Clear()
	line.Clear()
	want := "\rresource-merge: reading 1,001 resources" +
		"\rresource-merge: merging 1,000 of 1,234,567 resources" +
		"\rresource-merge: writing 999 resources" + strings.Repeat(" ", 15) +
		"\r" + strings.Repeat(" ", 37) + "\r"
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

// TestShowThrottles shows at most ten texts a second, the first at once.
func TestShowThrottles(t *testing.T) {
	var out strings.Builder
	line, clock := lineAt(&out)
	for i := range 10_000 { // a millisecond each
		line.Show("merging", i, 10_000)
		*clock = clock.Add(time.Millisecond)
	}
	texts := strings.Split(out.String(), "\r")[1:]
	if len(texts) != 100 || !strings.Contains(texts[1], "merging 100 of 10,000 ") {
		t.Errorf("%d texts in ten seconds, want 100: %q", len(texts), texts[:2])
	}
}

// TestClearNothing writes nothing if nothing was shown.
func TestClearNothing(t *testing.T) {
	var out strings.Builder
	line, _ := lineAt(&out)
	line.Clear()
	if out.Len() > 0 {
		t.Errorf("got %q", out.String())
	}
}

// TestOnFile writes nothing to a file that is not a terminal, even to a character device.
func TestOnFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "stderr")
	for _, name := range []string{name, os.DevNull} {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		line := New(file)
		line.Show("reading", 0, 1001)
		line.Clear()
		if line.out != nil {
			t.Errorf("%s counts as a terminal", name)
		}
	}
	if text, err := os.ReadFile(name); err != nil || len(text) > 0 {
		t.Errorf("got %q, %v", text, err)
	}
}
