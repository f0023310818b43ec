// Package values_test checks edits of values files with Helm's own engine.
package values_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/tests/seed"
	"github.com/resource-merge/resource-merge/values"
)

// version is a version of a chart as files, and as the program reads it.
type version struct {
	*values.Chart
	files []pkgmerge.File
}

func newVersion(name string, files []pkgmerge.File) (*version, error) {
	c, err := values.NewChart(name, files)
	return &version{c, files}, err
}

// render returns the engine's output for the chart with values files; a later file wins.
func (v *version) render(files ...pkgmerge.File) (string, error) {
	rendered, err := v.rendered(files)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(rendered)) {
		fmt.Fprintf(&b, "---\n# Source: %s\n%s\n", name, rendered[name])
	}
	return b.String(), nil
}

// rendered returns the engine's output by the names of the templates.
func (v *version) rendered(files []pkgmerge.File) (map[string]string, error) {
	var buffered []*archive.BufferedFile
	for _, f := range v.files {
		buffered = append(buffered, &archive.BufferedFile{Name: f.Name, Data: f.Data})
	}
	chart, err := loader.LoadFiles(buffered) // anew, as ProcessDependencies alters it
	if err != nil {
		return nil, err
	}
	user := map[string]any{}
	for _, f := range files {
		one := map[string]any{}
		if err := yaml.Unmarshal(f.Data, &one); err != nil {
			return nil, fmt.Errorf("%w in\n%s", err, f.Data)
		}
		user = loader.MergeMaps(user, one)
	}
	if err := chartutil.ProcessDependencies(chart, user); err != nil {
		return nil, err
	}
	release := common.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValuesWithSchemaValidation(chart, user, release, nil, true)
	if err != nil {
		return nil, err
	}
	return engine.Render(chart, all)
}

// renderer is the engine as a renderer for proofs.
func renderer(versions ...*version) values.Renderer {
	return func(_ context.Context, c *values.Chart, files []pkgmerge.File) ([]byte, error) {
		for _, v := range versions {
			if v.Chart == c {
				text, err := v.render(files...)
				return []byte(text), err
			}
		}
		return nil, fmt.Errorf("%s: not a version", c.Name)
	}
}

// same reports whether files are the same.
func same(a, b []pkgmerge.File) bool {
	return slices.EqualFunc(a, b, func(a, b pkgmerge.File) bool { return bytes.Equal(a.Data, b.Data) })
}

// TestMain silences the engine, which logs a warning for each map that a user replaces. With the word template the
// program renders a chart.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	if len(os.Args) == 3 && os.Args[1] == "template" {
		if err := helmTemplate(os.Args[2], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	seed.Main(m)
}
