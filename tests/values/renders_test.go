package values_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"pgregory.net/rapid"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

var (
	helmProgram = flag.String("helm", "", "the helm that renders in place of the engine in this program")
	library     = flag.String("charts.library", "", "the directory of a chart in the repository on which the others depend")
	edited      = flag.Int("charts.edited", 2, "update each render with edits so many times")
)

// helmTemplate is `helm template release CHART` by Helm's engine: this test's program runs it when it is called with the
// word template.
func helmTemplate(dir string, out io.Writer) error {
	chart, err := loader.Load(dir)
	if err != nil {
		return err
	}
	if err := chartutil.ProcessDependencies(chart, map[string]any{}); err != nil {
		return err
	}
	release := common.ReleaseOptions{Name: "release", Namespace: "default", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, map[string]any{}, release, nil)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return err
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return strings.HasSuffix(name, "NOTES.txt") })
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return err
	}
	for _, crd := range chart.CRDObjects() {
		fmt.Fprintf(out, "---\n# Source: %s\n%s\n", crd.Filename, crd.File.Data)
	}
	for _, m := range manifests {
		fmt.Fprintf(out, "---\n# Source: %s\n%s\n", m.Name, m.Content)
	}
	for _, h := range hooks {
		fmt.Fprintf(out, "---\n# Source: %s\n%s\n", h.Path, h.Manifest)
	}
	return nil
}

// renders is a copy of the render of a chart in two versions.
type renders struct {
	dir, program string
	command      []string
}

// newRenders writes the versions of a chart, and builds the program.
func newRenders(t *testing.T, program string, versions map[string][]pkgmerge.File) renders {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := renders{t.TempDir(), program, []string{self, "template"}}
	if *helmProgram != "" {
		r.command = []string{*helmProgram, "template", "--include-crds", "release"}
	}
	for version, files := range versions {
		for _, f := range files {
			r.write(t, path.Join("charts", version, f.Name), f.Data)
		}
	}
	return r
}

func (r renders) write(t *testing.T, name string, data []byte) {
	t.Helper()
	name = filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// render renders a version, without hooks.
func (r renders) render(version string) (objects, error) {
	cmd := exec.Command(r.command[0], append(r.command[1:], filepath.Join(r.dir, "charts", version))...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	all, err := readObjects(out)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(o object) bool { return o.at("metadata", "annotations", "helm.sh/hook") != "" }), nil
}

// update updates the copy to v2, and returns its objects and the program's output.
func (r renders) update(t *testing.T, local objects) (objects, string) {
	t.Helper()
	text, err := local.text()
	if err != nil {
		t.Fatal(err)
	}
	command := strconv.Quote(r.command[0])
	for _, argument := range r.command[1:] {
		command += ", " + argument
	}
	r.write(t, "copy/.resource-merge.yaml", fmt.Appendf(nil, "upstream: {command: [%s, \"../charts/{version}\"], version: v1}\n", command))
	r.write(t, "copy/all.yaml", text)
	out, err := exec.Command(r.program, "update", filepath.Join(r.dir, "copy")+"@v2", "--allow-exec", "--force").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err = os.ReadFile(filepath.Join(r.dir, "copy", "all.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	merged, err := readObjects(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return merged, string(out)
}

// object is an object of a render.
type object struct{ *yaml.Node }

type objects []object

func readObjects(text []byte) (all objects, err error) {
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var n yaml.Node
		switch err := d.Decode(&n); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case n.Content[0].Kind == yaml.MappingNode:
			all = append(all, object{n.Content[0]})
		}
	}
}

func (all objects) text() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	for _, o := range all {
		if err := e.Encode(o.Node); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), e.Close()
}

// id is the kind and name of an object.
func (o object) id() string {
	return o.at("kind") + " " + o.at("metadata", "namespace") + "/" + o.at("metadata", "name")
}

// at returns the scalar at a path of fields, "" if there is none.
func (o object) at(fields ...string) string {
	n := o.Node
	for _, field := range fields {
		at := 0
		for at+1 < len(n.Content) && n.Content[at].Value != field {
			at += 2
		}
		if at+1 >= len(n.Content) {
			return ""
		}
		n = n.Content[at+1]
	}
	return n.Value
}

func (all objects) byID() map[string]object {
	out := map[string]object{}
	for _, o := range all {
		out[o.id()] = o
	}
	return out
}

func (o object) leaf(at string) *yaml.Node { return o.leaves()[at] }

// leaves returns the values of an object: scalars, empty maps, and lists whose elements have no names.
func (o object) leaves() map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	var walk func(n *yaml.Node, at string)
	walk = func(n *yaml.Node, at string) {
		named := n.Kind == yaml.SequenceNode && len(n.Content) > 0
		for _, e := range n.Content {
			named = named && nameOf(e) != ""
		}
		switch {
		case n.Kind == yaml.MappingNode && len(n.Content) > 0:
			for i := 0; i+1 < len(n.Content); i += 2 {
				walk(n.Content[i+1], strings.TrimPrefix(at+"/"+strings.ReplaceAll(n.Content[i].Value, "/", "~"), "/"))
			}
		case named:
			for _, e := range n.Content {
				walk(e, at+"/"+nameOf(e))
			}
		case n.Kind != yaml.ScalarNode || n.ShortTag() != "!!null": // null is the same as absent
			out[at] = n
		}
	}
	walk(o.Node, "")
	return out
}

// nameOf returns the name of an element, "" if it has none.
func nameOf(e *yaml.Node) string {
	for i := 0; i+1 < len(e.Content) && e.Kind == yaml.MappingNode; i += 2 {
		if e.Content[i].Value == "name" {
			return e.Content[i+1].Value
		}
	}
	return ""
}

// value returns a leaf as text.
func value(n *yaml.Node) string {
	if n == nil {
		return "(absent)"
	}
	var v any
	if err := n.Decode(&v); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%#v", v)
}

// differing returns the leaves that differ between two renders, and the kinds of objects that one of them has.
func differing(a, b objects) map[string]bool {
	out := map[string]bool{}
	others := b.byID()
	for _, o := range a {
		other, found := others[o.id()]
		if !found {
			kind, _, _ := strings.Cut(o.id(), " ")
			out[kind] = true
			continue
		}
		before, after, id := o.leaves(), other.leaves(), o.id()
		for at := range before {
			if value(before[at]) != value(after[at]) {
				out[id+" "+at] = true
			}
		}
	}
	return out
}

// edit is a change by hand of one value.
type edit struct{ id, at, value string }

// drawEdits changes values of local that upstream does not change.
func drawEdits(t *rapid.T, local, upstream objects, random map[string]bool) (edits []edit) {
	after := upstream.byID()
	var candidates []edit
	for _, o := range local {
		kept, found := after[o.id()]
		if !found {
			continue
		}
		leaves, kepts, id := o.leaves(), kept.leaves(), o.id()
		for _, at := range slices.Sorted(maps.Keys(leaves)) {
			n := leaves[at]
			isName := slices.Contains([]string{"name", "namespace", "kind", "apiVersion"}, path.Base(at))
			if n.Kind == yaml.ScalarNode && !isName && !random[id+" "+at] && kepts[at] != nil && value(kepts[at]) == value(n) {
				candidates = append(candidates, edit{id: id, at: at})
			}
		}
	}
	count := rapid.IntRange(1, 5).Draw(t, "edits")
	if len(candidates) == 0 {
		return nil
	}
	all := local.byID()
	for i := range count {
		e := rapid.SampledFrom(candidates).Draw(t, "edit")
		n := all[e.id].leaf(e.at)
		n.Style &^= yaml.LiteralStyle | yaml.FoldedStyle
		switch n.ShortTag() {
		case "!!int":
			n.Value = strconv.Itoa(1000 + i)
		case "!!bool":
			n.Value = strconv.FormatBool(n.Value != "true")
		default:
			n.Tag, n.Value = "!!str", fmt.Sprintf("edited-%d", i)
		}
		edits = append(edits, e)
	}
	for i := range edits {
		edits[i].value = value(all[edits[i].id].leaf(edits[i].at))
	}
	return edits
}

// checkRenders checks the laws of updates of renders: without edits the copy equals the new render but for what is
// random, which stays; and edits stay. It returns the number of edits, and false if the chart does not render.
func checkRenders(t *testing.T, r renders) (edits int, rendered bool) {
	var first, second [2]objects
	for i, version := range []string{"v1", "v2"} {
		for _, to := range []*objects{&first[i], &second[i]} {
			var err error
			if *to, err = r.render(version); err != nil || len(*to) == 0 || len(to.byID()) < len(*to) {
				t.Logf("%s has %d objects, %d names: %v", version, len(*to), len(to.byID()), err)
				return 0, false
			}
		}
	}
	random := differing(first[0], second[0])
	maps.Copy(random, differing(first[1], second[1]))
	local, upstream := first[0], first[1]
	was := local.byID()
	merged, said := r.update(t, local)
	checkEqual(t, merged, upstream, was, random)
	if t.Failed() {
		t.Logf("it said\n%.3000s", said)
		return 0, true
	}
	for i := range *edited {
		text, err := first[0].text()
		if err != nil {
			t.Fatal(err)
		}
		local, err := readObjects(text)
		if err != nil {
			t.Fatal(err)
		}
		drawn := rapid.Custom(func(t *rapid.T) []edit { return drawEdits(t, local, upstream, random) }).Example(i)
		merged, said := r.update(t, local)
		after := merged.byID()
		for _, e := range drawn {
			if o, found := after[e.id]; !found || value(o.leaf(e.at)) != e.value {
				t.Errorf("%s %s was edited to %s, and is lost\n%.3000s", e.id, e.at, e.value, said)
			}
		}
		edits += len(drawn)
	}
	return edits, true
}

// checkEqual compares the updated copy with the new render. What is random is as it was.
func checkEqual(t *testing.T, merged, upstream objects, was map[string]object, random map[string]bool) {
	t.Helper()
	is := merged.byID()
	if len(merged) != len(upstream) {
		t.Errorf("%d objects, and the new render has %d", len(merged), len(upstream))
	}
	for _, o := range upstream {
		kind, _, _ := strings.Cut(o.id(), " ")
		copied, found := is[o.id()]
		if !found {
			if !random[kind] {
				t.Errorf("%s is missing", o.id())
			}
			continue
		}
		want, got, id := o.leaves(), copied.leaves(), o.id()
		before := map[string]*yaml.Node{}
		if old, found := was[id]; found {
			before = old.leaves()
		}
		for _, at := range slices.Sorted(maps.Keys(want)) {
			wanted := want[at]
			if random[id+" "+at] && before[at] != nil {
				wanted = before[at]
			} else if random[id+" "+at] || refers(wanted, random, was) {
				continue
			}
			if value(got[at]) != value(wanted) {
				t.Errorf("%s %s is %.200s, want %.200s", id, at, value(got[at]), value(wanted))
			}
		}
		for at := range got {
			if want[at] == nil {
				t.Errorf("%s %s is %.200s, and the new render has none", id, at, value(got[at]))
			}
		}
	}
}

// refers reports whether a value may be a reference to a resource with a random name.
func refers(n *yaml.Node, random map[string]bool, was map[string]object) bool {
	for id := range was {
		kind, name, _ := strings.Cut(id, " ")
		if random[kind] && strings.Contains(n.Value, path.Base(name)) {
			return true
		}
	}
	return false
}

// buildProgram builds resource-merge.
func buildProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "resource-merge")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// TestRendersOfCharts updates renders of public charts, of two versions each. It needs a clone of their repository.
func TestRendersOfCharts(t *testing.T) {
	if *charts == "" {
		t.Skip("no -charts")
	}
	program := buildProgram(t)
	pairs, failing, edits := 0, 0, 0
	for name := range strings.FieldsSeq(git(t, "ls-tree", "-d", "--name-only", "HEAD", *below+"/")) {
		commits := strings.Fields(git(t, "log", "--format=%H", "--", name+"/Chart.yaml"))
		commits = slices.DeleteFunc(commits, func(commit string) bool { return git(t, "ls-tree", commit, name+"/Chart.yaml") == "" })
		if len(commits) < 2 {
			continue
		}
		t.Run(path.Base(name), func(t *testing.T) {
			n, rendered := checkRenders(t, newRenders(t, program, map[string][]pkgmerge.File{
				"v1": withLibrary(t, commits[min(*versions, len(commits)-1)], name), "v2": withLibrary(t, commits[0], name),
			}))
			if rendered {
				pairs, edits = pairs+1, edits+n
			}
			if t.Failed() {
				failing++
			}
		})
	}
	t.Logf("%d pairs of versions, %d fail; %d edits", pairs, failing, edits)
}

// withLibrary returns the files of a chart at a commit, and the library's.
func withLibrary(t *testing.T, commit, name string) []pkgmerge.File {
	t.Helper()
	files := filesAt(t, commit, name)
	if *library == "" {
		return files
	}
	for _, f := range filesAt(t, commit, *library) {
		f.Name = path.Join("charts", path.Base(*library), f.Name)
		files = append(files, f)
	}
	return files
}
