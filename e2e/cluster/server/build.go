package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	kubernetes = "k8s.io/kubernetes"
	etcd       = "go.etcd.io/etcd/server/v3"
	etcdMain   = "github.com/resource-merge/resource-merge/e2e/cluster/etcd"
)

// Programs has the directory of the programs, and their versions.
type Programs struct {
	Dir, Kubernetes, Etcd string
}

// Build builds etcd, kube-apiserver and kubectl at the versions of the go.mod of the
// module in which the tests run. They lie in the user's cache directory, and are built
// once for each state of that go.mod and each release of Go. The first time takes
// minutes.
func Build(ctx context.Context) (Programs, error) {
	p, err := versions(ctx)
	if err != nil {
		return p, err
	}
	if p.Dir, err = cacheDir(ctx); err != nil {
		return p, err
	}
	if _, err := os.Stat(p.Dir); err == nil {
		return p, nil
	}
	return p, p.build(ctx)
}

// versions reads the versions of the programs from the module.
func versions(ctx context.Context) (Programs, error) {
	out, err := goCommand(ctx, "list", "-m", "-f", "{{.Version}}", kubernetes, etcd)
	if err != nil {
		return Programs{}, err
	}
	found := strings.Fields(out)
	if len(found) != 2 {
		return Programs{}, fmt.Errorf("the versions of %s and %s: %q", kubernetes, etcd, out)
	}
	return Programs{Kubernetes: found[0], Etcd: found[1]}, nil
}

// cacheDir is a directory below the user's caches whose name tells what it was built
// from: go.mod, go.sum and the release of Go.
func cacheDir(ctx context.Context) (string, error) {
	mod, err := goCommand(ctx, "env", "GOMOD")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH)
	for _, file := range []string{mod, strings.TrimSuffix(mod, ".mod") + ".sum"} {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		hash.Write(text)
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(caches, "resource-merge-e2e", hex.EncodeToString(hash.Sum(nil)[:8])), nil
}

// build builds into a directory beside that of p and renames it, so that half a build
// is never taken for a whole one.
func (p Programs) build(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(p.Dir), 0o755); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(p.Dir), "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, err = goCommand(ctx, "build", "-buildvcs=false", "-ldflags", p.linkerFlags(), "-o", dir+"/",
		kubernetes+"/cmd/kube-apiserver", kubernetes+"/cmd/kubectl", etcdMain)
	if err != nil {
		return err
	}
	err = os.Rename(dir, p.Dir)
	if errors.Is(err, os.ErrExist) {
		return nil // another run was faster
	}
	return err
}

// linkerFlags gives the programs their version, which the module proxy's text of
// Kubernetes lacks: without one, the API server emulates no version.
func (p Programs) linkerFlags() string {
	number := strings.SplitN(strings.TrimPrefix(p.Kubernetes, "v"), ".", 3)
	flags := []string{"-s", "-w"}
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags,
			"-X", pkg+".gitVersion="+p.Kubernetes,
			"-X", pkg+".gitMajor="+number[0],
			"-X", pkg+".gitMinor="+number[1])
	}
	return strings.Join(flags, " ")
}

// goCommand runs the go command without C, and returns its output.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}
