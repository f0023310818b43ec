package e2e

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestOutputOverlay has the function write an overlay under kpt (rules/overlay: the output
// overlay): what kustomize builds of it is the merge that prefers local, and over origin it
// is local. The forked package keeps its Kptfile.
func TestOutputOverlay(t *testing.T) {
	fork := quickstartFork(t)
	dir := fork.write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge", "-o", "../merged", "--", "origin-path=origin", "upstream-path=upstream", "local-path=shop", "conflicts=local")
	out := succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge", "-o", "../over-upstream", "--", "origin-path=origin", "upstream-path=upstream", "local-path=shop", "output=overlay")
	out.shows(t, ", 0 redundant, 1 colliding, ")
	out.shows(t, "[warning] apps/v1/Deployment/shop/shop-wordpress spec.template.spec.containers[name=\"wordpress\"].livenessProbe.periodSeconds: ")
	out.shows(t, "[info]: upstream/kustomization.yaml: the base needs one, and gets one that lists its files")
	sameBuild(t, listed(t, dir, "../merged/shop"), built(t, dir, "../over-upstream/shop"))
	if _, err := os.Stat(filepath.Join(dir, "../over-upstream/shop/Kptfile")); err != nil {
		t.Error(err)
	}

	dir = fork.below("origin", "shop").write(t)
	succeed(t, dir, "", "kpt", "fn", "eval", ".", "--exec", "resource-merge", "--", "origin-path=origin", "local-path=shop", "output=overlay")
	sameBuild(t, listed(t, fork.write(t), "shop"), built(t, dir, "shop"))
}

// TestOutputPatches has the function write patches under kpt, in the forms that kustomize
// reads (rules/patches: the output patches): on top of upstream they build the merge.
func TestOutputPatches(t *testing.T) {
	dir := quickstartFork(t).write(t)
	eval := func(to string, settings ...string) {
		args := []string{"fn", "eval", ".", "--exec", "resource-merge", "-o", "../" + to, "--", "origin-path=origin", "upstream-path=upstream", "local-path=shop", "conflicts=local", "keep-sources=true"}
		succeed(t, dir, "", "kpt", append(args, settings...)...)
	}
	eval("merged")
	want := listed(t, dir, "../merged/shop")
	for _, form := range [2]string{"kustomize", "json"} {
		in := "../" + form + "/upstream"
		eval(form, "output=patches", "patch-from=upstream", "patch-form="+form)
		k := kustomization{Resources: files(t, dir, in)}
		if form == "json" {
			k.Components = []string{"patches"}
		} else {
			k.add(t, dir, in)
		}
		k.write(t, dir, in)
		sameBuild(t, want, built(t, dir, in))
	}
}

// quickstartFork is the package of the quickstart with local's files in a directory of their
// own.
func quickstartFork(t *testing.T) tree {
	t.Helper()
	fork := tree{}
	for name, text := range readTree(t, "../testdata/quickstart/package") {
		if !strings.HasPrefix(name, "origin/") && !strings.HasPrefix(name, "upstream/") {
			name = "shop/" + name
		}
		fork[name] = text
	}
	return fork
}

// kustomization has the fields of a kustomization that the tests write.
type kustomization struct {
	Resources  []string
	Components []string         `yaml:",omitempty"`
	Patches    []map[string]any `yaml:",omitempty"`
}

// add lists the patches of a directory, and what is new beside them: resources of names that
// the directory does not have.
func (k *kustomization) add(t *testing.T, dir, in string) {
	t.Helper()
	known := map[string]bool{}
	for _, name := range k.Resources {
		for _, it := range resourcesIn(t, filepath.Join(dir, in, name)) {
			known[it] = true
		}
	}
	for _, name := range files(t, dir, in+"/patches") {
		name = path.Join("patches", name)
		if known[resourcesIn(t, filepath.Join(dir, in, name))[0]] {
			k.Patches = append(k.Patches, map[string]any{"path": name})
		} else {
			k.Resources = append(k.Resources, name)
		}
	}
}

// resourcesIn are the kinds and names of the resources in a file.
func resourcesIn(t *testing.T, file string) (names []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	for {
		var is struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
		}
		if decoder.Decode(&is) != nil {
			return names
		}
		names = append(names, is.Kind+" "+is.Metadata.Namespace+"/"+is.Metadata.Name)
	}
}

func (k *kustomization) write(t *testing.T, dir, in string) {
	t.Helper()
	text, err := yaml.Marshal(k)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, in, "kustomization.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// files are the files of resources in a directory.
func files(t *testing.T, dir, in string) (names []string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(readTree(t, filepath.Join(dir, in)))) {
		if path.Dir(name) == "." && path.Ext(name) == ".yaml" && name != "kustomization.yaml" {
			names = append(names, name)
		}
	}
	return names
}

// listed builds a directory that has no kustomization.yaml.
func listed(t *testing.T, dir, in string) []any {
	t.Helper()
	k := kustomization{Resources: files(t, dir, in)}
	k.write(t, dir, in)
	return built(t, dir, in)
}

// built returns the resources that kustomize builds from the directory in, below dir.
func built(t *testing.T, dir, in string) (resources []any) {
	t.Helper()
	decoder := yaml.NewDecoder(strings.NewReader(succeed(t, dir, "", "kustomize", "build", in).stdout))
	for {
		var v map[string]any
		if decoder.Decode(&v) != nil {
			return resources
		}
		resources = append(resources, v)
	}
}

// sameBuild compares builds but for the order of lists of maps, in which kustomize puts the
// elements of a patch first.
func sameBuild(t *testing.T, want, got []any) {
	t.Helper()
	for _, all := range [2][]any{want, got} {
		for _, v := range all {
			sortLists(v)
		}
	}
	if !reflect.DeepEqual(want, got) {
		a, _ := yaml.Marshal(want)
		b, _ := yaml.Marshal(got)
		t.Errorf("kustomize builds\n%s\nwant\n%s", b, a)
	}
}

func sortLists(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			sortLists(inner)
		}
	case []any:
		for _, inner := range v {
			sortLists(inner)
		}
		slices.SortStableFunc(v, func(a, b any) int {
			x, xIs := a.(map[string]any)
			y, yIs := b.(map[string]any)
			if !xIs || !yIs || x["name"] == nil || y["name"] == nil {
				return 0
			}
			return strings.Compare(x["name"].(string), y["name"].(string))
		})
	}
}
