package e2e

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// TestOverlayLaws checks the laws of overlays with the real kustomize, on all cases of
// testdata that kustomize can build (design 16.5): over origin the overlay builds local, and
// without any one patch it does not; over upstream it builds the merge that prefers
// local, but for resources that upstream dropped.
func TestOverlayLaws(t *testing.T) {
	tally := map[string]int{}
	for _, dir := range casesOf(t) {
		t.Run(strings.TrimPrefix(filepath.ToSlash(dir), "../testdata/"), func(t *testing.T) {
			w := workshop{t: t, dir: t.TempDir()}
			for _, side := range [3]string{"origin", "upstream", "local"} {
				w.copy(filepath.Join(dir, side+".yaml"), side)
			}
			tally[w.overOrigin()]++
			tally[w.overUpstream()]++
		})
	}
	t.Log(tally)
	for _, law := range [2]string{"over origin", "over upstream"} {
		if tally[law] < 100 {
			t.Errorf("only %d cases %s", tally[law], law)
		}
	}
}

// TestOverlayLawsDrawn checks the same laws on versions that are drawn: the quickstart's, each
// with changes of its own. OVERLAY_DRAWS is how many.
func TestOverlayLawsDrawn(t *testing.T) {
	draws := 60
	if asked, err := strconv.Atoi(os.Getenv("OVERLAY_DRAWS")); err == nil {
		draws = asked
	}
	tally := map[string]int{}
	for seed := range draws {
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			w, random := workshop{t: t, dir: t.TempDir()}, rand.New(rand.NewPCG(uint64(seed), 0))
			from := [2]string{"origin", "upstream"}[random.IntN(2)]
			for _, side := range [3]string{"origin", "upstream", "local"} {
				var all []string
				for _, name := range [3]string{"config", "mysql", "wordpress"} {
					w.copy(filepath.Join("..", "testdata", "quickstart", "package", from, name+".yaml"), "drawn")
					text, err := os.ReadFile(w.path("drawn", "resources.yaml"))
					if err != nil {
						t.Fatal(err)
					}
					for document := range strings.SplitSeq(string(text), "---\n") {
						all = append(all, w.changed(document, side != "origin", random))
					}
				}
				w.write(strings.Join(all, "---\n"), side, "resources.yaml")
			}
			tally[w.overOrigin()]++
			tally[w.overUpstream()]++
		})
	}
	t.Log(tally)
}

// TestOverlayPrefix checks the laws on a fork with a prefix in all names: what refers to them
// needs no patch.
func TestOverlayPrefix(t *testing.T) {
	w := workshop{t: t, dir: t.TempDir()}
	for side, dir := range map[string]string{"origin": "origin", "upstream": "upstream", "local": "."} {
		var all []string
		for _, name := range [3]string{"config", "mysql", "wordpress"} {
			w.copy(filepath.Join("..", "testdata", "quickstart", "package", dir, name+".yaml"), "read")
			text, err := os.ReadFile(w.path("read", "resources.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
		prefix := map[bool]string{true: "shop-"}[side == "local"]
		all = append(all, "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: "+prefix+"web}\n"+
			"spec: {defaultBackend: {service: {name: "+prefix+"wordpress, port: {number: 80}}}}\n")
		if side == "local" {
			all[3] = strings.Replace(all[3], "metadata: {", "metadata: {namespace: shop, ", 1)
		}
		w.write(strings.Join(all, "---\n"), side, "resources.yaml")
	}
	if over := w.overOrigin(); over != "over origin" {
		t.Error(over)
	}
	if over := w.overUpstream(); over != "over upstream" {
		t.Error(over)
	}
	if text := w.text("over-origin"); !strings.Contains(text, "namePrefix: shop-") || strings.Contains(text, "statefulset") {
		t.Errorf("it is\n%s", text)
	}
}

// changed is a resource with changes that keep its name.
func (w workshop) changed(document string, changes bool, random *rand.Rand) string {
	var v map[string]any
	if err := yaml.Unmarshal([]byte(document), &v); err != nil {
		w.t.Fatal(err)
	}
	for range random.IntN(6) {
		for _, field := range [3]string{"spec", "data", "metadata"} {
			if v[field] != nil && changes {
				change(v[field], field, random)
			}
		}
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// change changes something in a map or a list: a scalar, the order, a field or an
// element that goes or comes.
func change(v any, at string, random *rand.Rand) {
	switch v := v.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		if len(names) == 0 {
			return
		}
		name := names[random.IntN(len(names))]
		list, isList := v[name].([]any)
		switch _, isMap := v[name].(map[string]any); {
		case name == "name", name == "namespace", name == "labels", name == "selector", name == "kind":
		case random.IntN(8) == 0:
			delete(v, name)
		case isList && random.IntN(3) == 0:
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		case isList && len(list) > 0 && random.IntN(4) == 0:
			at := random.IntN(len(list))
			v[name] = slices.Delete(slices.Clone(list), at, at+1)
		case isList && len(list) > 0 && random.IntN(4) == 0:
			v[name] = append(slices.Clone(list), another(list[0], name, random))
		case isList || isMap:
			change(v[name], name, random)
		default:
			v[name] = scalar(name, v[name], random)
		}
	case []any:
		if len(v) > 0 {
			change(v[random.IntN(len(v))], at, random)
		}
	}
}

// another is an element of a list with another key.
func another(element any, of string, random *rand.Rand) any {
	m, isMap := element.(map[string]any)
	if !isMap {
		return fmt.Sprint(element, random.IntN(3))
	}
	out := maps.Clone(m)
	switch {
	case of == "ports" && m["port"] != nil:
		out["port"] = 7000 + random.IntN(3)
	case of == "ports":
		out["containerPort"] = 7000 + random.IntN(3)
	case of == "volumeMounts":
		out["mountPath"] = fmt.Sprint("/", random.IntN(3))
	}
	if m["name"] != nil && of != "volumeMounts" {
		out["name"] = fmt.Sprint("new", random.IntN(3))
	}
	return out
}

func scalar(name string, v any, random *rand.Rand) any {
	switch {
	case name == "image":
		return fmt.Sprint("web:", random.IntN(3))
	case name == "protocol":
		return []string{"TCP", "UDP"}[random.IntN(2)]
	}
	if _, isNumber := v.(int); isNumber {
		return random.IntN(5) + 1
	}
	return []string{"on", "other", "10", "a: b"}[random.IntN(4)]
}

// casesOf are the cases of testdata that have three versions.
func casesOf(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir("../testdata", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "local.yaml" {
			dirs = append(dirs, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// workshop is a directory with versions of a package.
type workshop struct {
	t   *testing.T
	dir string
}

func (w workshop) path(parts ...string) string {
	return filepath.Join(append([]string{w.dir}, parts...)...)
}

// copy gives a version the resources of a file that kustomize could build.
func (w workshop) copy(file, side string) {
	w.t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	var kept []string
	for _, document := range regexp.MustCompile(`(?m)^---.*\n`).Split(string(text), -1) {
		var is struct {
			Kind     string
			Metadata struct{ Name string }
		}
		if yaml.Unmarshal([]byte(document), &is) == nil && is.Kind != "Kptfile" && is.Metadata.Name != "" {
			kept = append(kept, document)
		}
	}
	if err := os.MkdirAll(w.path(side), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if kept != nil {
		w.write(strings.Join(kept, "---\n"), side, "resources.yaml")
	}
}

func (w workshop) write(text string, parts ...string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(parts...)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(parts...), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// build builds a directory in this process.
func (w workshop) build(dir string) (resources map[string]any, err error) {
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), w.path(dir))
	if err != nil {
		return nil, err
	}
	resources = map[string]any{}
	for _, r := range built.Resources() {
		text, err := r.AsYAML()
		if err != nil {
			return nil, err
		}
		if resources[r.CurId().String()], err = valueOf(text); err != nil {
			return nil, err
		}
	}
	return resources, nil
}

func valueOf(text []byte) (v any, err error) {
	err = yaml.Unmarshal(text, &v)
	return settled(v, ""), err
}

// listed builds a version of a package that has no kustomization.yaml.
func (w workshop) listed(side string) (map[string]any, error) {
	w.write("resources: [resources.yaml]\n", side, "kustomization.yaml")
	defer os.Remove(w.path(side, "kustomization.yaml"))
	return w.build(side)
}

// overOrigin checks the first and the second law.
func (w workshop) overOrigin() string {
	want, err := w.listed("local")
	if err != nil {
		return "local is nothing to kustomize"
	}
	if len(want) == 0 {
		return "nothing to build"
	}
	if _, err := w.listed("origin"); err != nil {
		return "origin is nothing to kustomize"
	}
	out := run(w.t, w.dir, "", "resource-merge", "overlay", "--origin", "origin", "--local", "local", "-o", "over-origin")
	if out.err != nil {
		return "no merge"
	}
	if strings.Contains(out.stderr, "takes lists of resources apart") {
		return "a list"
	}
	got, err := w.build("over-origin")
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.text("over-origin"))
	}
	if diff := differing(want, got); diff != "" {
		w.t.Fatalf("over origin: %s\n%s", diff, w.text("over-origin"))
	}
	w.checkMinimal("over-origin", want)
	return "over origin"
}

// checkMinimal finds a patch that the overlay does not need.
func (w workshop) checkMinimal(dir string, want map[string]any) {
	file := filepath.Join(dir, "kustomization.yaml")
	text, err := os.ReadFile(w.path(file))
	if err != nil {
		w.t.Fatal(err)
	}
	var k map[string]any
	if err := yaml.Unmarshal(text, &k); err != nil {
		w.t.Fatal(err)
	}
	patches, _ := k["patches"].([]any)
	for i := range patches {
		k["patches"] = slices.Delete(slices.Clone(patches), i, i+1)
		fewer, err := yaml.Marshal(k)
		if err != nil {
			w.t.Fatal(err)
		}
		w.write(string(fewer), file)
		if got, err := w.build(dir); err == nil && differing(want, got) == "" {
			w.t.Errorf("it needs no %v\n%s", patches[i], w.text(dir))
		}
	}
	w.write(string(text), file)
}

// overUpstream checks the third law.
func (w workshop) overUpstream() string {
	if _, err := w.listed("upstream"); err != nil {
		return "upstream is nothing to kustomize"
	}
	out := run(w.t, w.dir, "", "resource-merge", "overlay", "--origin", "origin", "--upstream", "upstream", "--local", "local", "-o", "over-upstream")
	if out.err != nil {
		return "no merge with upstream"
	}
	merged := run(w.t, w.dir, "", "resource-merge", "merge", "--origin", "origin", "--upstream", "upstream", "--local", "local",
		"--conflicts", "local", "-o", "merged", "--quiet")
	if merged.err != nil {
		return "no merge with upstream"
	}
	if _, err := os.Stat(w.path("merged", "resources.yaml")); err != nil {
		return "the merge is empty"
	}
	want, err := w.listed("merged")
	if err != nil {
		return "the merge is nothing to kustomize"
	}
	if len(want) == 0 {
		return "nothing to build"
	}
	if strings.Contains(out.stderr, "takes lists of resources apart") {
		return "a list"
	}
	if strings.Contains(out.stderr, "\ndead ") || strings.HasPrefix(out.stderr, "dead ") {
		return "upstream dropped a resource"
	}
	got, err := w.build("over-upstream")
	if err != nil {
		w.t.Fatalf("%v\n%s", err, w.text("over-upstream"))
	}
	if diff := differing(want, got); diff != "" {
		w.t.Fatalf("over upstream: %s\n%s\n%s", diff, w.text("over-upstream"), out.stderr)
	}
	return "over upstream"
}

// text is all files of a directory.
func (w workshop) text(dir string) string {
	var b strings.Builder
	files := readTree(w.t, w.path(dir))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "--- %s\n%s", name, files[name])
	}
	return b.String()
}

// differing describes a resource in which two builds differ, "" if they do not.
func differing(want, got map[string]any) string {
	for id := range want {
		if !reflect.DeepEqual(want[id], got[id]) {
			return fmt.Sprintf("%s is\n%v\nwant\n%v", id, got[id], want[id])
		}
	}
	for id := range got {
		if _, found := want[id]; !found {
			return id + " should not be there"
		}
	}
	return ""
}

// settled is a value as the laws compare it: lists with keys in one order, quantities and times
// as text, without nulls, which the server drops, and without bookkeeping.
func settled(v any, at string) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format(time.DateOnly)
	case string:
		return strings.TrimSuffix(v, "T00:00:00Z") // kustomize writes a date so that no patch changed
	case int:
		if at == "limits" || at == "requests" || at == "cpu" {
			return fmt.Sprint(v)
		}
	case map[string]any:
		for name, field := range v {
			v[name] = settled(field, name)
			if m, isMap := v[name].(map[string]any); field == nil || name == "annotations" && isMap && len(m) == 0 ||
				strings.HasPrefix(name, "internal.") || name == "kustomize.config.k8s.io/id" {
				delete(v, name)
			}
		}
	case []any:
		for i, e := range v {
			v[i] = settled(e, at)
		}
		if slices.Contains([]string{"containers", "initContainers", "ephemeralContainers", "env", "ports", "volumes", "volumeMounts", "volumeDevices",
			"imagePullSecrets", "secrets", "hostAliases", "topologySpreadConstraints", "webhooks", "conditions", "ownerReferences", "finalizers"}, at) {
			slices.SortStableFunc(v, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
	}
	return v
}
