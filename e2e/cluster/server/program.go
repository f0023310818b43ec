package server

import (
	"context"
	"os"
	"os/exec"
)

// Program is a program that finds the server as kubectl does, and has a home of its own.
func (c *Cluster) Program(ctx context.Context, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "KUBECONFIG="+c.file("config"))
	return cmd
}
