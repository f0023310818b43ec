package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// bench measures contenders.
type bench struct {
	options
	bin, dir string
	progress io.Writer
}

// measure is how long a program took and the most memory that it had, as timed
// prints it.
type measure struct{ Seconds, Bytes float64 }

// measure returns the median of the runs of a contender at a size, after one
// that does not count. A contender that takes long has fewer, at least one.
func (b *bench) measure(c contender, n int) (measure, error) {
	in, err := os.MkdirTemp(b.dir, "input-")
	if err != nil {
		return measure{}, err
	}
	defer os.RemoveAll(in)
	if err := c.lay(in, n); err != nil {
		return measure{}, err
	}
	var runs []measure
	for start := time.Now(); len(runs) <= b.runs && (len(runs) == 0 || time.Since(start) < b.cap); {
		run, err := b.runOnce(c, in)
		if err != nil {
			return measure{}, fmt.Errorf("%s at %d: %w", c.name, n, err)
		}
		runs = append(runs, run)
	}
	m := medianOf(runs[min(1, len(runs)-1):])
	fmt.Fprintf(b.progress, "%s %d: %s, %s, %d runs\n", c.name, n, duration(m.Seconds), megabytes(m.Bytes), len(runs))
	return m, nil
}

// runOnce runs a contender on its input or, if it changes that, on a copy.
func (b *bench) runOnce(c contender, in string) (measure, error) {
	if c.writes {
		fresh := filepath.Join(b.dir, "copy")
		defer os.RemoveAll(fresh)
		if err := os.CopyFS(fresh, os.DirFS(in)); err != nil {
			return measure{}, err
		}
		in = fresh
	}
	if c.ready != nil {
		if err := c.ready(in); err != nil {
			return measure{}, err
		}
	}
	return b.time(filepath.Join(in, c.within), c.command...)
}

// time runs a program by timed.
func (b *bench) time(dir string, command ...string) (measure, error) {
	var m measure
	program := b.find(command[0])
	out, err := output(b.command(dir, "timed", append([]string{program}, command[1:]...)...))
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(out, &m)
}

// medianOf is the medians of time and of memory.
func medianOf(runs []measure) measure {
	middle := len(runs) / 2
	bySeconds := slices.SortedFunc(slices.Values(runs), func(a, b measure) int { return cmp.Compare(a.Seconds, b.Seconds) })
	byBytes := slices.SortedFunc(slices.Values(runs), func(a, b measure) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return measure{Seconds: bySeconds[middle].Seconds, Bytes: byBytes[middle].Bytes}
}

// command is a program that was built, or else one that the machine has, with a
// home of its own and without the settings of who runs it.
func (b *bench) command(dir, program string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.find(program), args...)
	cmd.Dir = dir
	inherited := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GIT_") || strings.HasPrefix(variable, "KPT_")
	})
	cmd.Env = append(inherited, "HOME="+b.dir, "XDG_CONFIG_HOME=", "GIT_CONFIG_NOSYSTEM=1")
	return cmd
}

func (b *bench) find(program string) string {
	built := filepath.Join(b.bin, program)
	if _, err := os.Stat(built); err != nil {
		return program
	}
	return built
}

// succeed runs a program that must succeed.
func succeed(cmd *exec.Cmd) error {
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said.String())
	}
	return nil
}

// output returns the stdout of a program that must succeed.
func output(cmd *exec.Cmd) ([]byte, error) {
	var out strings.Builder
	cmd.Stdout = &out
	err := succeed(cmd)
	return []byte(out.String()), err
}
