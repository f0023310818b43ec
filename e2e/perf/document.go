package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// The marks around the part of benchmark.md that rewrite writes.
const (
	begin = "<!-- measured: begin -->\n"
	end   = "<!-- measured: end -->"
)

// rewrite replaces what is between the marks of a file.
func rewrite(file, text string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, found := strings.Cut(string(data), begin)
	_, tail, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		return errors.New(file + " lacks the marks around what is measured")
	}
	return os.WriteFile(file, []byte(head+begin+"\n"+text+"\n"+end+tail), 0o644)
}

// machine says on what was measured.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
}

// processor is the processor's name as Linux tells it.
func processor() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(data)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "an unknown processor"
}
