package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	registry "oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

const (
	// ociScheme begins the name of an artifact.
	ociScheme = "oci://"
	// maxManifest is the size of an artifact's manifest, in bytes, above which it is an error.
	maxManifest = 4 << 20
	// helmChart is the media type of a chart, an archive with one top directory.
	helmChart = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// fluxContent is the media type of Flux's artifacts.
	fluxContent = "application/vnd.cncf.flux.content.v1.tar+gzip"
	// dockerIndex is Docker's own media type of an image of several platforms.
	dockerIndex = "application/vnd.docker.distribution.manifest.list.v2+json"
)

// artifact is a directory of an OCI artifact in a registry as a package: a Helm chart, Flux's artifact or an image with
// a package, as kpt pushes it (rules/versions: OCI artifacts).
type artifact struct {
	reference string // host/repository:tag or host/repository@digest
	dir       string // "." is the top
}

// parseArtifact parses oci://host/repository:tag//dir.
func parseArtifact(text string) (artifact, error) {
	reference, dir, hasDir := strings.Cut(strings.TrimPrefix(text, ociScheme), "//")
	a := artifact{reference, path.Clean(dir)}
	if hasDir && !fs.ValidPath(a.dir) {
		return a, fmt.Errorf("%s: the directory %q leads out of the artifact", text, dir)
	}
	repository, err := registry.NewRepository(reference)
	if err != nil {
		return a, fmt.Errorf("%s: want oci://host/repository:tag or @sha256:digest: %w", text, err)
	}
	if repository.Reference.Reference == "" {
		return a, fmt.Errorf("%s: the version is missing; write %[1]s:TAG or %[1]s@sha256:DIGEST", text)
	}
	return a, nil
}

// Read fetches the artifact with the user's Docker credentials, and unpacks its directory.
func (a artifact) Read(ctx context.Context) (pkgmerge.Package, error) {
	name := ociScheme + a.reference
	deadline, cancel := context.WithTimeout(ctx, maxDownload)
	defer cancel()
	files, err := a.fetch(deadline)
	if err == nil {
		files, err = within(files, a.dir)
	}
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("%s: %w", name, err)
	}
	p, err := newPackage(ctx, name, files...)
	p.IsStream = false
	return p, err
}

// fetch returns the files of the whole artifact.
func (a artifact) fetch(ctx context.Context) ([]pkgmerge.File, error) {
	repository, err := a.repository()
	if err != nil {
		return nil, err
	}
	manifest, err := readManifest(ctx, repository, repository.Reference.Reference)
	if tag := repository.Reference.Reference; errors.Is(err, errdef.ErrNotFound) && repository.Reference.ValidateReferenceAsDigest() != nil {
		all, _ := tagsOf(ctx, repository) // without them the error says enough
		err = version.Explain(err, tag, all)
	}
	if err != nil {
		return nil, withLogin(fmt.Errorf("fetch its manifest: %w", err), repository.Reference.Registry)
	}
	layers, err := layersOf(manifest)
	if err != nil {
		return nil, err
	}
	u := unpacking{room: maxUnpacked}
	if err := u.fetchLayers(ctx, repository, layers); err != nil {
		return nil, err
	}
	if layers[0].MediaType == helmChart {
		dropTop(u.files)
	}
	return sorted(u.files)
}

// fetchLayers fetches the layers of an image, from the uppermost down. Each counts as an entry.
func (u *unpacking) fetchLayers(ctx context.Context, repository *registry.Repository, layers []ocispec.Descriptor) error {
	above := newPlace()
	for _, layer := range layers {
		if u.entries++; u.entries > maxEntries {
			return errTooManyEntries()
		}
		data, err := content.FetchAll(ctx, repository, layer)
		if err == nil {
			err = u.layer(data, above)
		}
		if err != nil {
			return fmt.Errorf("layer %s: %w", layer.Digest, err)
		}
	}
	return nil
}

// withLogin adds to an error of missing or wrong credentials how to log in.
func withLogin(err error, host string) error {
	var answer *errcode.ErrorResponse
	isRefused := errors.As(err, &answer) && (answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden)
	if isRefused || errors.Is(err, auth.ErrBasicCredentialNotFound) {
		return fmt.Errorf("%w; log in with docker login %s", err, host)
	}
	return err
}

// repository returns the artifact's repository. A registry on this machine is asked without TLS.
func (a artifact) repository() (*registry.Repository, error) {
	repository, err := registry.NewRepository(a.reference)
	if err != nil {
		return nil, err
	}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, fmt.Errorf("read the credentials of Docker: %w", err)
	}
	host := repository.Reference.Host()
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(host)
	repository.PlainHTTP = host == "localhost" || ip != nil && ip.IsLoopback()
	client := &http.Client{Transport: careful{repository.Reference.Host()}}
	repository.Client = &auth.Client{Client: client, Cache: auth.NewCache(), Credential: credentials.Credential(store)}
	return repository, nil
}

// tagsOf returns the tags of an artifact.
func tagsOf(ctx context.Context, of *registry.Repository) (names []string, err error) {
	deadline, cancel := context.WithTimeout(ctx, maxDownload)
	defer cancel()
	err = of.Tags(deadline, "", func(page []string) error {
		names = append(names, page...)
		return nil
	})
	return names, err
}

// careful sends the requests of a registry's client. The registry says where it wants the credentials (the realm): a request that
// has credentials goes to another host, or another port, only over https.
type careful struct {
	host string // the registry's, with its port
}

func (c careful) RoundTrip(request *http.Request) (*http.Response, error) {
	form := request.Body != nil && request.Body != http.NoBody // of a request for a token
	if (form || request.Header.Get("Authorization") != "") && request.URL.Scheme != "https" && request.URL.Host != c.host {
		if form {
			_ = request.Body.Close() // as RoundTripper asks for; nothing was sent
		}
		return nil, fmt.Errorf("the registry asks for its credentials at %s, which is another host, without TLS; they are sent there only over https", request.URL.Host)
	}
	return http.DefaultTransport.RoundTrip(request)
}

// readManifest returns the manifest of a reference. Of an image of several platforms it is the first one's: packages
// are the same on all of them.
func readManifest(ctx context.Context, repository *registry.Repository, reference string) (m ocispec.Manifest, err error) {
	described, answer, err := repository.FetchReference(ctx, reference)
	if err != nil {
		return m, err
	}
	defer answer.Close()
	if described.Size > maxManifest {
		return m, fmt.Errorf("it has more than %d MiB", maxManifest>>20)
	}
	data, err := content.ReadAll(answer, described)
	if err != nil {
		return m, err
	}
	if described.MediaType != ocispec.MediaTypeImageIndex && described.MediaType != dockerIndex {
		return m, json.Unmarshal(data, &m)
	}
	if data, err = firstManifest(ctx, repository, data); err != nil {
		return m, err
	}
	return m, json.Unmarshal(data, &m)
}

// firstManifest fetches the manifest of the first platform of an index.
func firstManifest(ctx context.Context, repository *registry.Repository, text []byte) ([]byte, error) {
	var index struct {
		specs.Versioned
		Manifests []ocispec.Descriptor `json:"manifests"`
	}
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, err
	}
	if len(index.Manifests) == 0 {
		return nil, errors.New("the index has no manifest")
	}
	if index.Manifests[0].Size > maxManifest {
		return nil, fmt.Errorf("it has more than %d MiB", maxManifest>>20)
	}
	return content.FetchAll(ctx, repository, index.Manifests[0])
}

// layersOf returns the layers with files, from the uppermost down: the content of a chart or of Flux's artifact, else all layers of an
// image. A layer that is there several times is returned once: the uppermost hides all files of the others.
func layersOf(m ocispec.Manifest) (layers []ocispec.Descriptor, err error) {
	for _, layer := range m.Layers {
		switch kind := layer.MediaType; {
		case kind == helmChart || kind == fluxContent:
			return []ocispec.Descriptor{layer}, checkSize(layer)
		case strings.HasSuffix(kind, "tar") || strings.HasSuffix(kind, "tar+gzip") || strings.HasSuffix(kind, "tar.gzip"):
			layers = append(layers, layer)
		case strings.Contains(kind, ".tar"):
			err = fmt.Errorf("layer %s is a %s, and only tar and tar with gzip can be read", layer.Digest, kind)
		}
	}
	if err != nil {
		return nil, err
	}
	if layers == nil {
		return nil, fmt.Errorf("the artifact (%s) has no layer of files, tar or tar with gzip", cmp.Or(m.ArtifactType, m.Config.MediaType, "of no type"))
	}
	slices.Reverse(layers)
	above := map[string]bool{}
	layers = slices.DeleteFunc(layers, func(layer ocispec.Descriptor) bool {
		isAbove := above[string(layer.Digest)]
		above[string(layer.Digest)] = true
		return isAbove
	})
	return layers, checkSize(layers...)
}

// checkSize returns an error if layers are too large to be fetched.
func checkSize(layers ...ocispec.Descriptor) error {
	room := int64(maxUnpacked)
	for _, layer := range layers {
		if room -= layer.Size; layer.Size < 0 || room < 0 {
			return fmt.Errorf("the artifact has more than %d MiB", maxUnpacked>>20)
		}
	}
	return nil
}

// layer puts the files of a layer below those of the layers above it, which hide some of them. A name that begins with .wh.
// hides a name of the layers below.
func (u *unpacking) layer(data []byte, above *place) error {
	kept := u.files
	u.files = nil
	if err := u.tar(data); err != nil {
		return err
	}
	layer, removed := splitRemovals(u.files)
	for _, f := range layer {
		if !above.hides(f.Name) {
			kept = append(kept, f)
		}
	}
	u.files = kept
	for _, f := range layer {
		above.cover(f.Name, f.Mode)
	}
	for _, dir := range u.dirs {
		above.cover(dir, fs.ModeDir)
	}
	for _, name := range removed {
		above.cover(name, fs.ModeIrregular)
	}
	return nil
}

// splitRemovals returns the files of a layer, and the names that the layer removes.
func splitRemovals(layer []pkgmerge.File) (files []pkgmerge.File, removed []string) {
	for _, f := range layer {
		dir, base := path.Split(f.Name)
		switch rest, isRemoval := strings.CutPrefix(base, ".wh."); {
		case base == ".wh..wh..opq":
			removed = append(removed, path.Clean(dir))
		case isRemoval:
			removed = append(removed, dir+rest)
		default:
			files = append(files, f)
		}
	}
	return files, removed
}
