package e2e

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// testImageAgain builds the image once more, from a copy of the checkout in another place
// whose files are younger, and compares digests: each byte of the two images is the same.
func testImageAgain(t *testing.T) {
	checkout := filepath.Join(t.TempDir(), "another checkout")
	succeed(t, "..", "", "mkdir", checkout)
	succeed(t, "..", "", "sh", "-c", `tar --exclude=./.git -cf - . | tar -xmf - -C "$0"`, checkout)
	again := "localhost/resource-merge:again"
	buildAgain(t, again, checkout)

	address := serveRegistry(t)
	first, second := push(t, image, address+"/first:v1"), push(t, again, address+"/second:v1")
	if first != second {
		t.Errorf("the image is %s, built again %s", first, second)
	}
}

// testImageSignature signs the image by its digest, by the script that the release signs
// with, and checks it by the commands of docs/releases.md. They name the digest to use. If
// the tag comes to name another image, they fail.
func testImageSignature(t *testing.T) {
	s, address := newSigner(t), serveRegistry(t)
	name := address + "/resource-merge/resource-merge"
	digest := push(t, image, name+":"+release)
	s.sign(t, name+"@"+digest)
	output, err := s.check(t, "", "Check the image", address)
	if want := "ghcr.io/resource-merge/resource-merge@" + digest + "\n"; err != nil || !strings.HasSuffix(output, want) {
		t.Errorf("%v, want %s\n%s", err, want, output)
	}

	push(t, "localhost/build", name+":"+release)
	if output, err := s.check(t, "", "Check the image", address); err == nil {
		t.Errorf("another image is accepted:\n%s", output)
	}
}

// serveRegistry is the address of a registry of images.
func serveRegistry(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// push pushes an image to a registry, and returns the digest that it has there.
func push(t *testing.T, from, to string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "digest")
	succeed(t, "", "", "buildah", "push", "--tls-verify=false", "--digestfile", file, from, "docker://"+to)
	digest, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(digest))
}
