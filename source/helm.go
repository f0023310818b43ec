package source

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/version"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// HelmChart is a version of a chart in a repository of Helm: an https URL with an index.yaml, or oci://host/path
// (rules/versions: sources). A + in the version is a _ in the tag of an artifact.
type HelmChart struct {
	Repository, Name, Version string
}

// Read downloads the chart.
func (c HelmChart) Read(ctx context.Context) (pkgmerge.Package, error) {
	from, err := c.source(ctx)
	if err != nil {
		return pkgmerge.Package{}, fmt.Errorf("%s of %s: %w", c.Name, gitrepo.Redact(c.Repository), err)
	}
	return from.Read(ctx)
}

// source returns the archive or artifact of the chart.
func (c HelmChart) source(ctx context.Context) (Source, error) {
	repository := strings.TrimSuffix(c.Repository, "/")
	if strings.HasPrefix(repository, ociScheme) {
		return parseArtifact(repository + "/" + c.Name + ":" + strings.ReplaceAll(c.Version, "+", "_"))
	}
	text, err := download(ctx, repository+"/index.yaml")
	if err != nil {
		return nil, err
	}
	var index struct {
		Entries map[string][]struct {
			Version string
			URLs    []string
		}
	}
	if err := yaml.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("index.yaml: %w", err)
	}
	var all []string
	for _, entry := range index.Entries[c.Name] {
		all = append(all, entry.Version)
		if strings.TrimPrefix(entry.Version, "v") == strings.TrimPrefix(c.Version, "v") && len(entry.URLs) > 0 {
			return at(repository, entry.URLs[0])
		}
	}
	if len(index.Entries[c.Name]) == 0 {
		return nil, errors.New("the index of the repository has no chart of this name")
	}
	return nil, version.Explain(fmt.Errorf("the index of the repository has no version %s", c.Version), c.Version, all)
}

// at returns the archive at a URL that may be relative to its repository's.
func at(repository, name string) (Source, error) {
	base, err := url.Parse(repository + "/")
	if err != nil {
		return nil, errors.New("not a URL")
	}
	full, err := base.Parse(name)
	if err != nil {
		return nil, errors.New("the index has no URL of the chart")
	}
	if full.Scheme == "oci" {
		return parseArtifact(full.String())
	}
	return archive{name: full.String(), dir: "."}, nil
}
