package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// maxDownload is the time for a download, from the connection to the last byte.
const maxDownload = 2 * time.Minute

// archive is a directory of an archive, on disk or at an https URL, as a package (rules/versions: archives).
type archive struct {
	name string // a path, or an https URL
	dir  string // in the archive; "." is the top
	sum  string // the SHA-256 digest in hex; "" is any
}

// IsArchive reports whether a file is an archive by its name.
func IsArchive(name string) bool {
	return strings.HasSuffix(name, ".tgz") || strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".zip")
}

// parseArchive parses NAME[//DIR][#sha256=DIGEST], in which the name may be a URL with a query. It returns false for a
// text that names neither an archive on disk nor the URL of one.
func parseArchive(text string) (a archive, is bool, err error) {
	name, fragment, hasFragment := strings.Cut(text, "#")
	name, query, hasQuery := strings.Cut(name, "?")
	scheme, rest, isURL := strings.Cut(name, "://")
	if !isURL {
		rest = name
	}
	file, dir, hasDir := strings.Cut(rest, "//")
	if !IsArchive(file) {
		return a, false, nil
	}
	a.name = file
	if isURL {
		a.name = scheme + "://" + file
		if hasQuery {
			a.name += "?" + query
		}
	} else if _, err := os.Stat(file); err != nil || hasQuery {
		return a, false, nil
	}
	if a.dir = path.Clean(dir); hasDir && !fs.ValidPath(a.dir) {
		return a, true, fmt.Errorf("%s: the directory %q leads out of the archive", redacted(a.name), dir)
	}
	if hasFragment {
		a.sum, err = parseSum(a.name, fragment)
	}
	return a, true, err
}

// parseSum returns the digest in the fragment of a name, which is sha256=DIGEST.
func parseSum(name, fragment string) (sum string, err error) {
	sum, found := strings.CutPrefix(fragment, "sha256=")
	if !found || !isDigest(sum) {
		return "", fmt.Errorf("%s: want #sha256= and 64 hexadecimal digits at the end, not #%s", redacted(name), fragment)
	}
	return sum, nil
}

// checkSum returns an error if data has another digest than the wanted one, "" for any.
func checkSum(data []byte, want string) error {
	if sum := sha256.Sum256(data); want != "" && !strings.EqualFold(want, hex.EncodeToString(sum[:])) {
		return fmt.Errorf("its SHA-256 digest is %x, want %s", sum, want)
	}
	return nil
}

// manifest is a file of documents at an https URL, as a package (rules/versions: manifests).
type manifest struct {
	url string
	sum string // the SHA-256 digest in hex; "" is any
}

// isManifestURL reports whether a text names a file of documents at an https URL, and not one of a repository, by its name.
func isManifestURL(text string) bool {
	name, _, _ := strings.Cut(text, "#")
	name, _, _ = strings.Cut(name, "?")
	scheme, rest, _ := strings.Cut(name, "://")
	isFile := strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") || strings.HasSuffix(name, ".json")
	return (scheme == "https" || scheme == "http") && isFile && !strings.Contains(rest, ".git/") && !strings.Contains(rest, "//")
}

// parseManifest parses URL[#sha256=DIGEST].
func parseManifest(text string) (m manifest, err error) {
	name, fragment, hasFragment := strings.Cut(text, "#")
	if m.url = name; hasFragment {
		m.sum, err = parseSum(name, fragment)
	}
	return m, err
}

// Read downloads the file.
func (m manifest) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := download(ctx, m.url)
	if err == nil {
		err = checkSum(data, m.sum)
	}
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("%s: %w", redacted(m.url), err)
	}
	name, _, _ := strings.Cut(m.url, "?")
	return newPackage(ctx, redacted(m.url), pkgmerge.File{Name: path.Base(name), Mode: 0o644, Data: data})
}

// isDigest reports whether a text is a SHA-256 digest in hex.
func isDigest(text string) bool {
	digest, err := hex.DecodeString(text)
	return err == nil && len(digest) == sha256.Size
}

// redacted returns a name without the password of a URL and without its query, which may have a token.
func redacted(name string) string {
	at, err := url.Parse(name)
	if err != nil || at.Host == "" {
		return name
	}
	at.RawQuery = ""
	return at.Redacted()
}

// Read reads or downloads the archive, and unpacks its directory.
func (a archive) Read(ctx context.Context) (pkgmerge.Package, error) {
	data, err := a.bytes(ctx)
	if err != nil {
		return pkgmerge.Package{}, err
	}
	files, err := a.files(data)
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("%s: %w", redacted(a.name), err)
	}
	p, err := newPackage(ctx, redacted(a.name), files...)
	p.IsStream = false
	return p, err
}

func (a archive) bytes(ctx context.Context) ([]byte, error) {
	if !strings.Contains(a.name, "://") {
		return os.ReadFile(a.name)
	}
	data, err := download(ctx, a.name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", redacted(a.name), err)
	}
	return data, nil
}

// files checks the digest of an archive, and returns the files of its directory.
func (a archive) files(data []byte) ([]pkgmerge.File, error) {
	if err := checkSum(data, a.sum); err != nil {
		return nil, err
	}
	files, err := Unpack(data)
	if err != nil {
		return nil, err
	}
	return within(files, a.dir)
}

// within returns the files of a directory, with their names in it. It is an error if a link leads out of the directory.
func within(files []pkgmerge.File, dir string) (out []pkgmerge.File, err error) {
	if dir == "." {
		return files, nil
	}
	for _, f := range files {
		if rest, found := strings.CutPrefix(f.Name, dir+"/"); found {
			f.Name = rest
			out = append(out, f)
		}
	}
	if out == nil {
		return nil, fmt.Errorf("there is no directory %q in it; the one directory at the top of an archive is not part of names", dir)
	}
	return sorted(out)
}

// download returns the bytes at an https URL. Redirects have to stay with https.
func download(ctx context.Context, from string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxDownload)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, errors.New("not a URL")
	}
	if request.URL.Scheme != "https" {
		return nil, errors.New("only https is secure; download it, and name the file")
	}
	data, err := body(request)
	if err != nil {
		return nil, fmt.Errorf("download it: %w", err)
	}
	return data, nil
}

// body sends a request and returns the body of the answer.
func body(request *http.Request) ([]byte, error) {
	client := http.Client{CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if next.URL.Scheme != "https" || len(before) == 10 {
			return errors.New("redirected to a URL without https, or too often")
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		var failed *url.Error // has the URL, perhaps with a password
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the server answers %s", response.Status)
	}
	return readAtMost(response.Body, maxUnpacked)
}
