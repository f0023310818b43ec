package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// image is the name of the image that TestImage builds.
const image = "localhost/resource-merge:test"

// TestImage builds the image and runs it as users and kpt do: as nobody and
// without a network.
func TestImage(t *testing.T) {
	needContainers(t)
	useOwnStorage(t)
	buildImage(t)
	t.Run("size", testImageSize)
	t.Run("config", testImageConfig)
	t.Run("files", testImageFiles)
	t.Run("buildah run", testImageBuildah)
	t.Run("podman run", testImagePodman)
	t.Run("version", testImageVersion)
	t.Run("kpt fn eval", testImageEval)
	t.Run("kpt fn eval fails", testImageEvalFails)
	t.Run("kpt fn render", testImageRender)
	t.Run("built again", testImageAgain)
	t.Run("signature", testImageSignature)
}

// testImageBuildah merges where no container can be had: buildah changes root,
// and that is all. On a busy machine buildah may drop all that a command wrote
// before it ended; then the command runs once more.
func testImageBuildah(t *testing.T) {
	input, from := quickstart(t), container(t)
	run := func() outcome {
		return succeed(t, "", input, "buildah", "run", "--isolation", "chroot", "--user", "nobody", from, "--", binary)
	}
	out := run()
	for tries := 1; out.stdout == "" && tries < 3; tries++ {
		out = run()
	}
	checkMerged(t, input, out)
}

// testImagePodman merges under the tightest flags that users run functions
// with.
func testImagePodman(t *testing.T) {
	input := quickstart(t)
	checkMerged(t, input, podmanRun(t, input))
}

// testImageVersion asks the binary itself for the version that the image was
// built as.
func testImageVersion(t *testing.T) {
	if got, want := podmanRun(t, "", "--version").stdout, "v1.2.3\n"; got != want {
		t.Errorf("the image's --version is %q, want %q", got, want)
	}
}

// testImageEval merges a package in place, as TestEval does.
func testImageEval(t *testing.T) {
	t.Setenv("KRM_FN_RUNTIME", "podman")
	dir := packageOf(t, "fork").write(t)
	out := succeed(t, dir, "", "kpt", "fn", "eval", ".", "--image", image, "--image-pull-policy", "never")
	expectedOf(t, "fork").check(t, dir)
	out.shows(t, "[info]: merged 13 resources: 6 changed, 2 added, 2 deleted, 3 unchanged; 1 conflict: upstream's value taken")
}

func testImageEvalFails(t *testing.T) {
	t.Setenv("KRM_FN_RUNTIME", "podman")
	files := tree{"web.yaml": configMap("fork"), "origin/web.yaml": configMap("web")}
	dir := files.write(t)
	fail(t, "no upstream items", dir, "kpt", "fn", "eval", ".", "--image", image, "--image-pull-policy", "never")
	files.check(t, dir)
}

// testImageRender runs the image as a step of the package's own pipeline, as
// TestRender does.
func testImageRender(t *testing.T) {
	t.Setenv("KRM_FN_RUNTIME", "podman")
	before := withImage(packageOf(t, "render"))
	want := withImage(expectedOf(t, "render")).and(before.below("origin", "upstream"))
	dir := before.write(t)
	succeed(t, dir, "", "kpt", "fn", "render", ".", "--image-pull-policy", "never")
	want.check(t, dir)
}

// withImage is a package whose pipeline has the image in the binary's place.
func withImage(files tree) tree {
	kptfile := strings.ReplaceAll(files["Kptfile"], "exec: resource-merge", "image: "+image)
	return files.and(tree{"Kptfile": kptfile})
}

// podmanRun runs the image as kpt does, and with a root that cannot be written.
func podmanRun(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	run := []string{"run", "--rm", "-i", "--pull", "never", "--network", "none", "--user", "nobody",
		"--security-opt=no-new-privileges", "--read-only", image}
	return succeed(t, "", stdin, "podman", append(run, args...)...)
}

// quickstart is README's list.
func quickstart(t *testing.T) string {
	t.Helper()
	list, err := os.ReadFile(filepath.Join("..", "testdata", "quickstart", "input.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(list)
}

// checkMerged checks that the output of the image is the binary's, byte for byte.
func checkMerged(t *testing.T, input string, got outcome) {
	t.Helper()
	want := succeed(t, "", input, "resource-merge")
	if diff := cmp.Diff(want.stdout, got.stdout); diff != "" {
		t.Errorf("the image's output (-binary +image):\n%s", diff)
	}
}
