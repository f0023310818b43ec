package server

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
)

// Answer is the output of a program.
type Answer struct {
	Stdout, Stderr string
	Err            error // why it did not end with exit code 0
}

// Refused reports whether the program failed.
func (a Answer) Refused() bool { return a.Err != nil }

// Kubectl runs kubectl with a home of its own, and gives it what it reads from stdin.
func (c *Cluster) Kubectl(ctx context.Context, stdin string, args ...string) Answer {
	cmd := exec.CommandContext(ctx, c.program("kubectl"), args...)
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "KUBECONFIG="+c.file("config"))
	return Run(cmd, stdin)
}

// Run runs a program that reads stdin.
func Run(cmd *exec.Cmd, stdin string) Answer {
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	return Answer{Stdout: stdout.String(), Stderr: stderr.String(), Err: err}
}
