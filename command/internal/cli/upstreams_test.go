package cli_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestUpstreamsPage finds lines and configs of docs/upstreams.md that testdata/upstreams.txt does not run. There the hosts
// are servers of this process.
func TestUpstreamsPage(t *testing.T) {
	hosts := strings.NewReplacer("registry.example.com", "$REGISTRY", "https://example.com", "https://$ARCHIVES")
	page, script := hosts.Replace(readText(t, "../../../docs/upstreams.md")), readText(t, "testdata/upstreams.txt")
	lines := regexp.MustCompile("(?m)^\\|.*`(resource-merge .*)` \\|$").FindAllStringSubmatch(page, -1)
	for _, line := range lines {
		quoted := regexp.MustCompile(`'(.*\$.*)'`).ReplaceAllString(line[1], "$1") // a script has no variables in quotes
		if !strings.Contains(script, "exec "+quoted+"\n") {
			t.Errorf("no test runs %s", quoted)
		}
	}
	configs := regexp.MustCompile("(?m)^upstream: {command.*").FindAllString(page, -1)
	for _, config := range configs {
		if config = strings.NewReplacer("$REGISTRY", "REGISTRY", "$ARCHIVES", "ARCHIVES").Replace(config); !strings.Contains(script, config) {
			t.Errorf("no test has %s", config)
		}
	}
	if len(lines) != 11 || len(configs) != 2 {
		t.Errorf("found %d lines and %d configs", len(lines), len(configs))
	}
}

// upstreamHosts starts a registry with two versions of a chart and of an artifact of Flux, and a server of archives, and
// returns the variables of their hosts.
func upstreamHosts(t *testing.T) (variables []string) {
	t.Helper()
	blobs := map[string][]byte{}
	archives := map[string][]byte{}
	for i, versions := range [2][3]string{{"25.5.3", "v1.2.0", "1.2.0"}, {"25.5.4", "v1.3.0", "1.3.0"}} {
		text := fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: \"%d\"\n", i+1)
		addArtifact(blobs, "charts/redis", versions[0], "application/vnd.cncf.helm.chart.content.v1.tar+gzip", tarball(t, "redis/templates/a.yaml", text))
		addArtifact(blobs, "shop", versions[1], "application/vnd.cncf.flux.content.v1.tar+gzip", tarball(t, "deploy/a.yaml", text))
		archives["/shop-"+versions[2]+".tgz"] = tarball(t, "shop/deploy/a.yaml", text)
		archives["/metrics-"+versions[2]+".yaml"] = []byte(text)
	}
	index := "entries:\n  cache:\n"
	for version, key := range map[string]string{"1.0.0": "slave", "2.0.0+1": "replica"} {
		chart := tarball(t, "cache/Chart.yaml", "name: cache\nversion: "+version+"\n", "cache/values.yaml", "# Pods that follow\n"+key+":\n  count: 3\nsize: "+version[:1]+"\n",
			"cache/templates/a.yaml", "{{ .Values."+key+".count }} {{ .Values.size }}\n")
		archives["/charts/cache-"+version+".tgz"] = chart
		addArtifact(blobs, "charts/cache", strings.ReplaceAll(version, "+", "_"), "application/vnd.cncf.helm.chart.content.v1.tar+gzip", chart)
		index += "  - {version: " + version + ", urls: [cache-" + version + ".tgz]}\n"
	}
	archives["/charts/index.yaml"] = []byte(index)
	serve := func(files map[string][]byte) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			data, found := files[r.URL.Path]
			if !found {
				http.NotFound(w, r)
				return
			}
			if strings.Contains(r.URL.Path, "/manifests/") {
				w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
			}
			_, _ = w.Write(data)
		})
	}
	registry, server := httptest.NewServer(serve(blobs)), httptest.NewTLSServer(serve(archives))
	t.Cleanup(registry.Close)
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"REGISTRY=" + registry.Listener.Addr().String(), "ARCHIVES=" + server.Listener.Addr().String(), "SSL_CERT_FILE=" + ca}
}

// tarball returns an archive of files.
func tarball(t *testing.T, namesAndTexts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for i := 0; i+1 < len(namesAndTexts); i += 2 {
		name, text := namesAndTexts[i], namesAndTexts[i+1]
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// addArtifact adds the answers of a registry about an artifact.
func addArtifact(answers map[string][]byte, name, tag, mediaType string, layer []byte) {
	digest := func(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }
	config := []byte("{}")
	manifest := fmt.Appendf(nil, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":%q,"size":2},"layers":[{"mediaType":%q,"digest":%q,"size":%d}]}`,
		digest(config), mediaType, digest(layer), len(layer))
	at := "/v2/" + name
	answers[at+"/manifests/"+tag], answers[at+"/manifests/"+digest(manifest)] = manifest, manifest
	answers[at+"/blobs/"+digest(layer)], answers[at+"/blobs/"+digest(config)] = layer, config
	var list struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	_ = json.Unmarshal(answers[at+"/tags/list"], &list) // the first time there is none
	list.Name, list.Tags = name, append(list.Tags, tag)
	answers[at+"/tags/list"], _ = json.Marshal(list)
}

// TestRenovateExpression reads the config that docs/upstreams.md shows with the expression that it shows.
func TestRenovateExpression(t *testing.T) {
	page := readText(t, "../../../docs/upstreams.md")
	text := regexp.MustCompile("(?s)```json\n(.*?)```").FindStringSubmatch(page)
	shown := regexp.MustCompile("(?s)```yaml\n(# renovate.*?)```").FindStringSubmatch(page)
	var config struct {
		CustomManagers []struct{ MatchStrings []string }
	}
	if err := json.Unmarshal([]byte(text[1]), &config); err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(config.CustomManagers[0].MatchStrings[0]).FindStringSubmatch(shown[1])
	if got := strings.Join(match[min(1, len(match)):], " "); got != "github-tags metallb/metallb v0.13.10" {
		t.Errorf("the expression finds %q", got)
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
