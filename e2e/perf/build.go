package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// empty is the program that start-up is compared with.
const empty = "package main\n\nfunc main() {}\n"

// buildAll builds the programs into a directory.
func buildAll(bin string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	source := filepath.Join(bin, "empty.go")
	if err := os.WriteFile(source, []byte(empty), 0o644); err != nil {
		return err
	}
	for _, program := range [][3]string{
		{"..", "resource-merge", "."},
		{"..", "contender", "./tests/bench/contender"},
		{".", "kpt", "./kpt"},
		{".", "timed", "./perf/timed"},
		{".", "empty", source},
	} {
		if err := build(program[0], filepath.Join(bin, program[1]), program[2]); err != nil {
			return err
		}
	}
	return nil
}

// build builds a package of the module in dir as releases are built: stripped,
// and without C.
func build(dir, program, pkg string) error {
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return nil
}
