// Package applier applies patches as the API server and kustomize do. The libraries that do so are
// in a module of their own, tests/oracle: the package builds the program of that module, and asks
// it. Only tests use it.
package applier

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/resource-merge/resource-merge/patch"
)

// Request asks for the result of a patch. Resource and patch are JSON.
type Request struct {
	Form             patch.Form // any but Auto
	APIVersion, Kind string
	Resource, Patch  []byte
}

// Answer is the patched resource as JSON, or the library's error. Unknown says that the program
// has no Go type of the kind, without which no strategic patch is applied.
type Answer struct {
	Resource []byte
	Unknown  bool
	Error    string
}

// module is the path of the module that has tests/oracle in a directory.
const module = "github.com/resource-merge/resource-merge"

// Applier is the running program.
type Applier struct {
	dir  string
	cmd  *exec.Cmd
	ask  *json.Encoder
	hear *json.Decoder
	done func() error
}

// Start builds the program and starts it. The working directory is one of the module's.
func Start() (*Applier, error) {
	dir, err := os.MkdirTemp("", "applier")
	if err != nil {
		return nil, err
	}
	a, err := start(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return a, nil
}

func start(dir string) (*Applier, error) {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, fmt.Errorf("finding the module: %w", err)
	}
	program := filepath.Join(dir, "oracle")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join(strings.TrimSpace(string(root)), "tests", "oracle")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building tests/oracle: %w\n%s", err, out)
	}
	cmd := exec.Command(program)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Applier{dir: dir, cmd: cmd, ask: json.NewEncoder(in), hear: json.NewDecoder(out), done: in.Close}, cmd.Start()
}

// Apply applies a patch. known is false where a strategic patch cannot be tried, since the program
// has no Go type of the kind.
func (a *Applier) Apply(r Request) (got []byte, known bool, err error) {
	var answer Answer
	if err := errors.Join(a.ask.Encode(r), a.hear.Decode(&answer)); err != nil {
		return nil, false, fmt.Errorf("asking tests/oracle: %w", err)
	}
	if answer.Error != "" {
		return nil, true, errors.New(answer.Error)
	}
	return answer.Resource, !answer.Unknown, nil
}

// Close ends the program.
func (a *Applier) Close() error {
	return errors.Join(a.done(), a.cmd.Wait(), os.RemoveAll(a.dir))
}
