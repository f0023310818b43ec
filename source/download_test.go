package source_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/source"
)

// zipped returns a zip with a script, a file and a link below one directory.
func zipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range []struct {
		name, text string
		mode       fs.FileMode
	}{
		{"pkg/", "", fs.ModeDir | 0o755}, {"pkg/run.sh", "run", 0o755}, {"pkg/deploy/a.yaml", configMap("1"), 0o644},
		{"pkg/link", "deploy/a.yaml", fs.ModeSymlink | 0o777},
	} {
		h := zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode)
		entry, err := w.CreateHeader(&h)
		if err == nil {
			_, err = entry.Write([]byte(f.text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// names returns the names and modes of a package's files.
func names(t *testing.T, s source.Source) (out []string) {
	t.Helper()
	for _, f := range read(t, s).Files {
		out = append(out, f.Name+" "+f.Mode.String())
	}
	return out
}

// An archive on disk or behind a URL, whole or a directory of it, with its digest.
func TestDownload(t *testing.T) {
	data := zipped(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1.zip":
			_, _ = w.Write(data)
		case "/moved.zip":
			http.Redirect(w, r, "/v1.zip", http.StatusFound)
		case "/plain.zip":
			http.Redirect(w, r, "http://127.0.0.1:1/v1.zip", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	for name, text := range map[string][]byte{"ca.pem": ca, "v1.zip": data} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SSL_CERT_FILE", filepath.Join(dir, "ca.pem"))
	t.Chdir(dir)
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	whole := []string{"deploy/a.yaml -rw-r--r--", "link L---------", "run.sh -rwxr-xr-x"}
	part := []string{"a.yaml -rw-r--r--"}
	for text, want := range map[string][]string{
		"v1.zip":         whole,
		"v1.zip//deploy": part,
		"v1.zip//deploy/#sha256=" + strings.ToUpper(sum): part,
		server.URL + "/v1.zip":                           whole,
		server.URL + "/moved.zip?token=a//b":             whole,
		server.URL + "/v1.zip//deploy?a=b#sha256=" + sum: part,
	} {
		if diff := cmp.Diff(want, names(t, parsed(t, text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	other := strings.Repeat("0", 64)
	for text, want := range map[string]string{
		"v1.zip//../a":                        `v1.zip: the directory "../a" leads out of the archive`,
		"v1.zip//none":                        `v1.zip: there is no directory "none" in it`,
		"v1.zip#sha256=1":                     "v1.zip: want #sha256= and 64 hexadecimal digits at the end, not #sha256=1",
		"v1.zip#" + sum:                       "v1.zip: want #sha256= and",
		"v1.zip#sha256=" + other:              "v1.zip: its SHA-256 digest is " + sum + ", want " + other,
		"none.zip":                            `"none.zip": no such file or directory`,
		server.URL + "/none.zip?token=secret": "/none.zip: download it: the server answers 404 Not Found",
		server.URL + "/plain.zip":             "/plain.zip: download it: redirected to a URL without https",
		"http://127.0.0.1:1/v1.zip":           "http://127.0.0.1:1/v1.zip: only https is secure",
		"https://u:secret@127.0.0.1:1/v1.zip": "https://u:xxxxx@127.0.0.1:1/v1.zip: download it: dial tcp",
	} {
		s, err := source.Parse(text, nil)
		if err == nil {
			_, err = s.Read(context.Background())
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error with %q", text, err, want)
		}
	}
}
