package wrapper

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Programs are the programs that a test runs.
type Programs struct {
	Server   string // Porch's wrapper server, of the version in go.mod
	Function string // resource-merge of this checkout
}

// Build builds the programs into a directory. The module in which it runs has the
// server among its tools.
func Build(ctx context.Context, dir string) (Programs, error) {
	p := Programs{Server: filepath.Join(dir, "wrapper-server"), Function: filepath.Join(dir, "resource-merge")}
	module, err := output(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}"))
	if err != nil {
		return p, err
	}
	server := exec.CommandContext(ctx, "go", "build", "-o", p.Server, "github.com/nephio-project/porch/func/wrapper-server")
	server.Dir = module
	if _, err := output(server); err != nil {
		return p, err
	}
	function := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.Function, ".")
	function.Dir = filepath.Join(module, "..", "..")
	_, err = output(function)
	return p, err
}

// Alone runs the function by itself, and returns its output.
func (p Programs) Alone(list []byte) ([]byte, error) {
	cmd := exec.Command(p.Function)
	cmd.Stdin = bytes.NewReader(list)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("a run alone: %w: %s", err, &stderr)
	}
	return out, nil
}

// output runs a command of go, without C, and returns its first line.
func output(cmd *exec.Cmd) (string, error) {
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return string(out[:max(0, len(out)-1)]), nil
}
