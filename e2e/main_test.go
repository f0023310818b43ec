// Package e2e runs the function under the clients that users run it with, kpt and
// kustomize, built from their Go modules (docs/testing.md).
package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// bin is the directory that has kpt, kustomize and resource-merge.
var bin string

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests builds the programs and runs the tests. A program that cannot be
// built fails them all: none is skipped.
func runTests(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "resource-merge-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	bin = dir
	err = errors.Join(
		build(".", "kpt", "./kpt"),
		build(".", "kustomize", "sigs.k8s.io/kustomize/kustomize/v5"),
		build("..", "resource-merge", "."),
	)
	if err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// build builds a package of the module in dir, without C: kpt's wasm runtime
// would need it.
func build(dir, program, pkg string) error {
	cmd := exec.Command("go", "build", "-o", filepath.Join(bin, program), pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", program, err, out)
	}
	return nil
}
