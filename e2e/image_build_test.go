package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// buildBase stands for the base of the Dockerfile's first stage, which a registry would
// have: a shell, with the machine's Go, its modules and its build cache mounted.
const buildBase = `FROM scratch
COPY --chmod=755 busybox /bin/sh
ENV PATH=/usr/local/go/bin:/bin HOME=/tmp GOMODCACHE=/go/mod GOCACHE=/go/cache GOPROXY=off GOTOOLCHAIN=local
WORKDIR /tmp
`

// buildImage builds the image from the Dockerfile.
func buildImage(t *testing.T) {
	t.Helper()
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal(err)
	}
	buildFrom(t, "localhost/build", buildBase, filepath.Dir(busybox))
	goTool(t, "mod", "download")
	buildAgain(t, image, "..")
}

// commitTime stands for the time of a commit, which every build of it has in its image.
const commitTime = "1767225600"

// buildAgain builds the image from a checkout, and takes nothing from earlier builds but
// what Go's cache has.
func buildAgain(t *testing.T, tag, checkout string) {
	t.Helper()
	succeed(t, checkout, "", "buildah", "bud", "--tag", tag, "--platform", "linux/"+runtime.GOARCH,
		"--no-cache", "--timestamp", commitTime,
		"--build-arg", "BUILD_IMAGE=localhost/build",
		"--build-arg", "VERSION=v1.2.3", "--build-arg", "REVISION=0123abc",
		"--volume", goTool(t, "env", "GOROOT")+":/usr/local/go:ro",
		"--volume", goTool(t, "env", "GOMODCACHE")+":/go/mod:ro",
		"--volume", goTool(t, "env", "GOCACHE")+":/go/cache",
		".")
}

// buildFrom builds an image from the text of a Dockerfile and a context.
func buildFrom(t *testing.T, tag, dockerfile, context string) {
	t.Helper()
	file := filepath.Join(tree{"Dockerfile": dockerfile}.write(t), "Dockerfile")
	succeed(t, "", "", "buildah", "bud", "--tag", tag, "--file", file, context)
}

// goTool runs go for the function's module, with the settings and the caches of
// who runs the tests, and returns its output.
func goTool(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
