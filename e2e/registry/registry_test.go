// Package registry_test reads packages from a real registry, distribution's, on this machine.
package registry_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"github.com/google/go-cmp/cmp"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/crypto/bcrypt"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"

	"github.com/resource-merge/resource-merge/source"
)

// start starts a registry that asks for a password, writes a Docker config with it, and returns the registry's host.
func start(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	hash, err := bcrypt.GenerateFromPassword([]byte("secret"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "htpasswd", fmt.Sprintf("ann:%s\n", hash))
	config := &configuration.Configuration{
		Storage: configuration.Storage{"inmemory": nil},
		Auth:    configuration.Auth{"htpasswd": {"realm": "test", "path": filepath.Join(dir, "htpasswd")}},
	}
	config.Log.Level = "fatal"
	config.Log.AccessLog.Disabled = true
	server := httptest.NewServer(handlers.NewApp(context.Background(), config))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	login := base64.StdEncoding.EncodeToString([]byte("ann:secret"))
	write(t, dir, "config.json", fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, login))
	t.Setenv("DOCKER_CONFIG", dir)
	return host
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// layer is a layer of an artifact: names and texts of its files.
type layer struct {
	mediaType string
	files     []string
}

// tarball returns a tar with gzip of a layer's files.
func (l layer) tarball(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for i := 0; i < len(l.files); i += 2 {
		text := l.files[i+1]
		if err := w.WriteHeader(&tar.Header{Name: l.files[i], Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// push pushes an artifact of layers under a tag, and returns its digest.
func push(t *testing.T, reference, artifactType string, layers ...layer) string {
	t.Helper()
	ctx := context.Background()
	repository, err := remote.NewRepository(reference)
	if err != nil {
		t.Fatal(err)
	}
	repository.PlainHTTP = true
	repository.Client = &auth.Client{Credential: auth.StaticCredential(repository.Reference.Host(), auth.Credential{Username: "ann", Password: "secret"})}
	var options oras.PackManifestOptions
	for _, l := range layers {
		pushed, err := oras.PushBytes(ctx, repository, l.mediaType, l.tarball(t))
		if err != nil {
			t.Fatal(err)
		}
		options.Layers = append(options.Layers, pushed)
	}
	manifest, err := oras.PackManifest(ctx, repository, oras.PackManifestVersion1_1, artifactType, options)
	if err == nil {
		err = repository.Tag(ctx, manifest, repository.Reference.Reference)
	}
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Digest.String()
}

const configMap = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

func read(text string) (names []string, err error) {
	s, err := source.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	p, err := s.Read(context.Background())
	for _, f := range p.Files {
		names = append(names, f.Name)
	}
	return names, err
}

// Charts, artifacts of Flux and images, by tag and digest, whole and a directory of them.
func TestArtifacts(t *testing.T) {
	const (
		chart = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
		flux  = "application/vnd.cncf.flux.content.v1.tar+gzip"
	)
	host := start(t)
	push(t, host+"/charts/shop:1.2.3", "application/vnd.cncf.helm.config.v1+json", layer{chart, []string{"shop/Chart.yaml", "name: shop\n", "shop/templates/a.yaml", configMap}},
		layer{"application/vnd.cncf.helm.chart.provenance.v1.prov", nil})
	digest := push(t, host+"/flux/shop:v1", "application/vnd.cncf.flux.config.v1+json", layer{flux, []string{"./deploy/a.yaml", configMap}})
	image := func(files ...string) layer { return layer{ocispec.MediaTypeImageLayerGzip, files} }
	push(t, host+"/kpt/shop:v1", "application/vnd.oci.image.config.v1+json", image("a.yaml", configMap, "b/c.yaml", configMap, "b/d.yaml", configMap, "e/f.yaml", configMap),
		image("b/.wh.c.yaml", "", "e/.wh..wh..opq", "", "e/g.yaml", configMap))
	push(t, host+"/other:v1", "application/x", layer{"text/plain", nil})
	push(t, host+"/evil:v1", "application/x", layer{flux, []string{"../a.yaml", configMap}})
	for name, want := range map[string][]string{
		"/charts/shop:1.2.3":                {"Chart.yaml", "templates/a.yaml"},
		"/charts/shop:1.2.3//templates":     {"a.yaml"},
		"/flux/shop:v1":                     {"deploy/a.yaml"},
		"/flux/shop@" + digest + "//deploy": {"a.yaml"},
		"/flux/shop:v1@" + digest:           {"deploy/a.yaml"},
		"/kpt/shop:v1":                      {"a.yaml", "b/d.yaml", "e/g.yaml"},
	} {
		got, err := read("oci://" + host + name)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	for name, want := range map[string]string{
		"/charts/shop":          "the version is missing; write oci://" + host + "/charts/shop:TAG",
		"/charts/shop:1//../a":  "leads out of the artifact",
		"/charts/shop:9":        "oci://" + host + "/charts/shop:9: fetch its manifest",
		"/flux/shop:v1//none":   `there is no directory "none" in it`,
		"/flux/shop@sha256:123": "want oci://host/repository:tag or @sha256:digest",
		"/other:v1":             "the artifact (application/x) has no layer of files",
		"/evil:v1":              "the name leads out of the archive",
	} {
		if _, err := read("oci://" + host + name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, want)
		}
	}
}

// Without a password the registry refuses, and the error names the artifact.
func TestCredentials(t *testing.T) {
	host := start(t)
	push(t, host+"/shop:v1", "application/x", layer{"application/vnd.cncf.flux.content.v1.tar+gzip", []string{"a.yaml", configMap}})
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	want := "oci://" + host + "/shop:v1: fetch its manifest"
	if _, err := read("oci://" + host + "/shop:v1"); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "docker login "+host) {
		t.Errorf("got %v, want an error with %q", err, want)
	}
}
