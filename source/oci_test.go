package source_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

const (
	chartType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	gzipType  = ocispec.MediaTypeImageLayerGzip
	tarType   = ocispec.MediaTypeImageLayer
)

// blob is a layer: its media type and its bytes.
type blob struct {
	mediaType string
	data      []byte
}

func digestOf(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// registry is a registry on this machine that serves one artifact, without a password.
type registry struct {
	*httptest.Server
	manifest []byte
	kind     string
	blobs    map[string][]byte
	fetched  int // blobs
}

func newRegistry(t *testing.T) *registry {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	r := &registry{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		_, digest, isBlob := strings.Cut(request.URL.Path, "/blobs/")
		data := r.manifest
		if isBlob {
			data, r.fetched = r.blobs[digest], r.fetched+1
		}
		w.Header().Set("Content-Type", r.kind)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	}))
	t.Cleanup(r.Close)
	return r
}

// serve serves an artifact of layers, the lowest first, and returns its name.
func (r *registry) serve(layers ...blob) string {
	r.blobs, r.fetched, r.kind = map[string][]byte{}, 0, ocispec.MediaTypeImageManifest
	described := []map[string]any{}
	for _, l := range layers {
		described = append(described, map[string]any{"mediaType": l.mediaType, "digest": digestOf(l.data), "size": len(l.data)})
		r.blobs[digestOf(l.data)] = l.data
	}
	r.manifest = jsonOf(map[string]any{"schemaVersion": 2, "mediaType": r.kind, "layers": described})
	return "oci://" + strings.TrimPrefix(r.URL, "http://") + "/shop:v1"
}

func jsonOf(value any) []byte {
	data, _ := json.Marshal(value) // of maps and strings
	return data
}

// layerOf returns a layer of entries.
func layerOf(t *testing.T, entries ...entry) blob {
	t.Helper()
	return blob{tarType, tarred(t, entries, tar.FormatPAX)}
}

// What a layer hides of those below it. A link and a file hide a directory, a directory hides a link, and a name that lies
// below a link is refused.
func TestLayers(t *testing.T) {
	r := newRegistry(t)
	file := func(name string) entry { return entry{name, name, 0o644} }
	link := func(name, to string) entry { return entry{name, to, fs.ModeSymlink | 0o777} }
	dir := func(name string) entry { return entry{name, "", fs.ModeDir | 0o755} }
	lowest := layerOf(t, file("a"), dir("d/"), file("d/b"), file("d/e/c"), link("l", "d"))
	for what, c := range map[string]struct {
		layers []blob
		want   []string
		fault  string
	}{
		"replaced":           {[]blob{lowest, layerOf(t, entry{"a", "new", 0o755})}, []string{"a\nnew\n-rwxr-xr-x", "d/b\nd/b\n-rw-r--r--", "d/e/c\nd/e/c\n-rw-r--r--", "l\nd\nL---------"}, ""},
		"removed":            {[]blob{lowest, layerOf(t, file(".wh.a"), file("d/.wh.e"), file(".wh.l"))}, []string{"d/b\nd/b\n-rw-r--r--"}, ""},
		"removed and again":  {[]blob{lowest, layerOf(t, file("d/.wh..wh..opq"), file("d/e/c"), file(".wh.l"), file(".wh.a"))}, []string{"d/e/c\nd/e/c\n-rw-r--r--"}, ""},
		"a file for a dir":   {[]blob{lowest, layerOf(t, file("d"), file(".wh.a"), file(".wh.l"))}, []string{"d\nd\n-rw-r--r--"}, ""},
		"a dir for a link":   {[]blob{lowest, layerOf(t, dir("l/"), file("l/x"), file(".wh.d"), file(".wh.a"))}, []string{"l/x\nl/x\n-rw-r--r--"}, ""},
		"below a link":       {[]blob{lowest, layerOf(t, file("l/x"))}, nil, "l/x: it lies below a file or a link"},
		"a chain of layers":  {[]blob{layerOf(t, link("d/x", "..")), layerOf(t, link("d/l", "x/d/x/d/x/x/etc/passwd"))}, nil, "goes over another link"},
		"a link that is out": {[]blob{lowest, layerOf(t, link("d/m", "../../x"))}, nil, `d/m: the link to "../../x" leads out`},
		"twice":              {[]blob{layerOf(t, file("a"), file("a"))}, nil, "a: twice in the archive"},
		"zstd":               {[]blob{lowest, {ocispec.MediaTypeImageLayerZstd, []byte("a")}}, nil, "only tar and tar with gzip can be read"},
	} {
		files, err := readBy(r.serve(c.layers...))
		if diff := cmp.Diff(c.want, texts(files, true)); diff != "" || (err != nil) != (c.fault != "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %v, want %q (-want +got):\n%s", what, err, c.fault, diff)
		}
	}
}

// A layer that a manifest has 10,000 times is fetched once. Layers and their directories count for the limit of entries.
func TestManyLayers(t *testing.T) {
	r := newRegistry(t)
	lower, upper := layerOf(t, entry{"a.yaml", "a: 1\n", 0o644}, entry{"b.yaml", "", 0o644}), layerOf(t, entry{"a.yaml", "a: 2\n", 0o644})
	var layers []blob
	for range 5_000 {
		layers = append(layers, lower, upper)
	}
	files, err := readBy(r.serve(layers...))
	if diff := cmp.Diff([]string{"a.yaml\na: 2\n", "b.yaml\n"}, texts(files, false)); diff != "" || err != nil || r.fetched != 2 {
		t.Errorf("%v, %d layers fetched (-want +got):\n%s", err, r.fetched, diff)
	}
	var dirs [2][]entry
	for i := range 50_000 {
		dirs[i%2] = append(dirs[i%2], entry{fmt.Sprintf("d%d/", i), "", fs.ModeDir | 0o755})
	}
	if _, err := readBy(r.serve(layerOf(t, dirs[0]...), layerOf(t, dirs[1]...))); err == nil || !strings.Contains(err.Error(), "more than 50000 files, links and directories") {
		t.Errorf("50,000 directories in two layers: %v", err)
	}
}

// The manifest in an index is not fetched if it says that it is huge.
func TestHugeManifest(t *testing.T) {
	r := newRegistry(t)
	name := r.serve()
	r.kind = ocispec.MediaTypeImageIndex
	r.manifest = jsonOf(map[string]any{"schemaVersion": 2, "mediaType": r.kind, "manifests": []any{
		map[string]any{"mediaType": ocispec.MediaTypeImageManifest, "digest": digestOf(nil), "size": int64(1) << 50}}})
	if _, err := readBy(name); err == nil || !strings.Contains(err.Error(), "more than 4 MiB") {
		t.Errorf("got %v", err)
	}
}

// The credentials of a registry go where it asks for them: to the registry itself, but to another host or port only over
// https. A password and an identity token are credentials, and a redirect is no way around.
func TestCredentialsGoToAnotherHostOnlyOverHTTPS(t *testing.T) {
	var asked []string
	answer := func(w http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		if request.Header.Get("Authorization") != "" || bytes.Contains(body, []byte("secret")) {
			asked = append(asked, request.Host)
		}
		_, _ = w.Write([]byte(`{"token": "t", "access_token": "t"}`))
	}
	other := httptest.NewServer(http.HandlerFunc(answer))
	defer other.Close()
	secure := httptest.NewTLSServer(http.HandlerFunc(answer))
	defer secure.Close()
	data := layerOf(t, entry{"a.yaml", "a: 1\n", 0o644}).data
	manifest := jsonOf(map[string]any{"schemaVersion": 2, "mediaType": ocispec.MediaTypeImageManifest,
		"layers": []any{map[string]any{"mediaType": tarType, "digest": digestOf(data), "size": len(data)}}})
	var realm string
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		switch {
		case request.URL.Path == "/token":
			answer(w, request)
		case request.URL.Path == "/moved":
			http.Redirect(w, request, other.URL+"/token", http.StatusTemporaryRedirect)
		case request.Header.Get("Authorization") != "Bearer t":
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm=%q,service="s"`, realm))
			w.WriteHeader(http.StatusUnauthorized)
		case strings.Contains(request.URL.Path, "/blobs/"):
			_, _ = w.Write(data)
		default:
			w.Header().Set("Content-Type", ocispec.MediaTypeImageManifest)
			_, _ = w.Write(manifest)
		}
	}))
	defer registry.Close()
	dir := t.TempDir()
	t.Setenv("DOCKER_CONFIG", dir)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(filepath.Join(dir, "ca.pem"), ca, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SSL_CERT_FILE", filepath.Join(dir, "ca.pem"))
	host := strings.TrimPrefix(registry.URL, "http://")
	login := base64.StdEncoding.EncodeToString([]byte("ann:secret"))
	for login, config := range map[string]string{
		"password": fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, login),
		"token":    fmt.Sprintf(`{"auths": {%q: {"auth": %q, "identitytoken": "secret"}}}`, host, base64.StdEncoding.EncodeToString([]byte("ann:"))),
	} {
		if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		for at, want := range map[string]struct {
			asked string // who gets the credentials
			fault string
		}{
			registry.URL + "/token": {host, ""},
			secure.URL + "/token":   {strings.TrimPrefix(secure.URL, "https://"), ""},
			other.URL + "/token":    {"", "only over https"},
			strings.Replace(other.URL, "127.0.0.1", "localhost", 1) + "/token": {"", "localhost"},
		} {
			asked, realm = nil, at
			_, err := readBy("oci://" + host + "/shop:v1")
			if got := strings.Join(asked, " "); got != want.asked || (err != nil) != (want.fault != "") || err != nil && !strings.Contains(err.Error(), want.fault) {
				t.Errorf("%s at %s: %q has the credentials, want %q; %v", login, at, got, want.asked, err)
			}
		}
		asked, realm = nil, registry.URL+"/moved"
		if _, _ = readBy("oci://" + host + "/shop:v1"); len(asked) > 0 {
			t.Errorf("%s: a redirect leads the credentials to %q", login, asked)
		}
	}
}
