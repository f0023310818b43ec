// Package cluster compares the function with the real kubectl and API server, on drawn
// situations.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// cluster is the API server of all tests, and function is the path of resource-merge.
var (
	cluster  *server.Cluster
	function string
)

func TestMain(m *testing.M) {
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// runTests builds what is missing, starts the server and runs the tests.
func runTests(m *testing.M) (code int, err error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "resource-merge-e2e-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	function = filepath.Join(dir, "resource-merge")
	if err := buildFunction(function); err != nil {
		return 1, err
	}
	programs, err := server.Build(ctx)
	if err != nil {
		return 1, err
	}
	fmt.Printf("kube-apiserver and kubectl %s, etcd %s; situations drawn from seed %d\n", programs.Kubernetes, programs.Etcd, *seed)
	if cluster, err = server.Start(ctx, programs); err != nil {
		return 1, err
	}
	if err := defineWidgets(ctx); err != nil {
		return 1, errors.Join(err, cluster.Stop())
	}
	defer func() {
		if stopped := cluster.Stop(); stopped != nil && err == nil {
			code, err = 1, stopped
		}
	}()
	return m.Run(), nil
}

// defineWidgets defines the custom resource, and waits until it is served.
func defineWidgets(ctx context.Context) error {
	text, err := testdata.ReadFile("testdata/widgets.yaml")
	if err != nil {
		return err
	}
	for _, args := range [][]string{
		{"create", "-f", "-"},
		{"wait", "--for=condition=Established", "--timeout=60s", "CustomResourceDefinition/" + widgets},
	} {
		if says := cluster.Kubectl(ctx, string(text), args...); says.Refused() {
			return fmt.Errorf("kubectl %s: %s", args[0], says.Stderr)
		}
	}
	return nil
}

// buildFunction builds the function of this checkout.
func buildFunction(path string) error {
	cmd := exec.Command("go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build resource-merge: %w\n%s", err, out)
	}
	return nil
}
