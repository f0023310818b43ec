package source

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestVersions lists names of directories and archives, and tags of an artifact.
func TestVersions(t *testing.T) {
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/charts/redis/tags/list" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"name": "charts/redis", "tags": []string{"v1.0", "v2.0", "latest"}})
	}))
	defer registry.Close()
	host := strings.TrimPrefix(registry.URL, "http://")
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	dir := t.TempDir()
	for _, name := range []string{"v1/deploy", "v2/deploy", "v3"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"s-1.tgz", "s-2.tgz", "other.tgz"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		dir + "/{version}/deploy":                       "v1 v2",
		dir + "/s-{version}.tgz//deploy":                "1 2",
		"oci://" + host + "/charts/redis:v{version}//d": "1.0 2.0",
	} {
		got, err := Versions(t.Context(), text, "{version}")
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %s", text, got, err, want)
		}
	}
	if _, err := (HelmChart{Repository: "oci://" + host + "/charts", Name: "redis", Version: "v1.5"}).Read(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "; the nearest versions are v1.0, v2.0") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		dir + "/v1":                             "has no {version}",
		"https://u:secret@h/s-{version}.tgz":    "no list of archives can be read by https; name a version",
		"https://h/r.git/{version}@main":        "only versions behind the @ can be listed",
		"oci://" + host + "/{version}/r:v1":     "only versions that are tags can be listed",
		"oci://" + host + "/gone:{version}":     "404",
		dir + "@{version}":                      "is in no git repository",
		filepath.Join(dir, "gone", "{version}"): "no such file or directory",
	} {
		_, err := Versions(t.Context(), text, "{version}")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
