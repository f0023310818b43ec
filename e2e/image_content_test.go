package e2e

import (
	"debug/elf"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// binary is the path of the function in the image.
const binary = "/usr/local/bin/resource-merge"

func testImageSize(t *testing.T) {
	const limit = 20_000_000
	size := inspectImage(t).Size
	t.Logf("the image has %.2f MB", float64(size)/1e6)
	if size >= limit {
		t.Errorf("the image has %d bytes, want less than %d", size, limit)
	}
}

func testImageConfig(t *testing.T) {
	want := imageConfig{
		User:       "65534:65534",
		Entrypoint: []string{binary},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "resource-merge",
			"org.opencontainers.image.description": "KRM function that merges a new version of a package into a customised copy of it",
			"org.opencontainers.image.source":      "https://github.com/resource-merge/resource-merge",
			"org.opencontainers.image.licenses":    "Apache-2.0",
			"org.opencontainers.image.version":     "v1.2.3",
			"org.opencontainers.image.revision":    "0123abc",
		},
	}
	got := inspectImage(t).Config
	delete(got.Labels, "io.buildah.version")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the image's config (-want +got):\n%s", diff)
	}
}

// testImageFiles checks that the image adds the binary to its base and nothing
// else, and that the binary needs nothing of the base.
func testImageFiles(t *testing.T) {
	root := strings.TrimSpace(succeed(t, "", "", "buildah", "mount", container(t)).stdout)
	got := slices.Sorted(maps.Keys(readTree(t, root)))
	if diff := cmp.Diff([]string{"etc/passwd", binary[1:]}, got); diff != "" {
		t.Errorf("the image's files (-want +got):\n%s", diff)
	}
	checkStatic(t, filepath.Join(root, binary))
}

// checkStatic checks that a program needs no loader.
func checkStatic(t *testing.T, file string) {
	t.Helper()
	program, err := elf.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, segment := range program.Progs {
		if segment.Type == elf.PT_INTERP || segment.Type == elf.PT_DYNAMIC {
			t.Errorf("%s is linked dynamically: it has %s", filepath.Base(file), segment.Type)
		}
	}
}

// container is a container of the image, which buildah has not run anything in.
func container(t *testing.T) string {
	t.Helper()
	return strings.TrimSpace(succeed(t, "", "", "buildah", "from", "--pull-never", image).stdout)
}

// inspected is an image as podman describes it.
type inspected struct {
	Size   int64
	Config imageConfig
}

type imageConfig struct {
	User       string
	Entrypoint []string
	Labels     map[string]string
}

func inspectImage(t *testing.T) inspected {
	t.Helper()
	var images []inspected
	out := succeed(t, "", "", "podman", "image", "inspect", image)
	if err := json.Unmarshal([]byte(out.stdout), &images); err != nil || len(images) != 1 {
		t.Fatalf("%d images: %v", len(images), err)
	}
	return images[0]
}
