package overlay_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// web is a Deployment and a Service, with holes for a case's changes.
const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: web:1}
      - {name: log, image: web:1}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
`

// packageOf is a package of one file.
func packageOf(t *testing.T, text string) pkgmerge.Package {
	t.Helper()
	p, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: "web.yaml", Mode: 0o644, Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTransformers has kustomize's fields exactly where they make the fork's changes
// (rules/overlay: transformers).
func TestTransformers(t *testing.T) {
	for name, test := range map[string]struct {
		change []string
		want   string
	}{
		"an image": {
			change: []string{"web:1", "mirror/web:2"},
			want:   "images:\n- name: web\n  newName: mirror/web\n  newTag: \"2\"\n",
		},
		"an image of one container": {
			change: []string{"log, image: web:1", "log, image: web:2"},
			want:   "patches:\n- path: patches/deployment-web.yaml\n",
		},
		"an image without its tag": {
			change: []string{"web:1", "web"},
			want:   "patches:\n- path: patches/deployment-web.yaml\n",
		},
		"replicas": {
			change: []string{"replicas: 1", "replicas: 5"},
			want:   "replicas:\n- name: web\n  count: 5\n",
		},
		"no replicas": {
			change: []string{"replicas: 1", "paused: true"},
			want:   "patches:\n- path: patches/deployment-web.yaml\n",
		},
		"a label on all, in templates too": {
			change: []string{"{app: web}", "{app: web, team: shop}"},
			want:   "labels:\n- pairs:\n    team: shop\n  includeTemplates: true\n",
		},
		"a label on all": {
			change: []string{"name: web, labels: {", "name: web, labels: {team: shop, "},
			want:   "labels:\n- pairs:\n    team: shop\n",
		},
		"a label on one": {
			change: []string{"Service\nmetadata: {name: web, labels: {", "Service\nmetadata: {name: web, labels: {team: shop, "},
			want:   "patches:\n- path: patches/service-web.yaml\n",
		},
		"an annotation on all, in templates too": {
			change: []string{"labels: {app: web}}", "labels: {app: web}, annotations: {a: b}}"},
			want:   "commonAnnotations:\n  a: b\n",
		},
		"an annotation not in templates": {
			change: []string{"name: web, labels: {app: web}}", "name: web, labels: {app: web}, annotations: {a: b}}"},
			want:   "patches:\n- path: patches/deployment-web.yaml\n- path: patches/service-web.yaml\n",
		},
		"a namespace": {
			change: []string{"name: web, labels", "name: web, namespace: shop, labels"},
			want:   "namespace: shop\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			base, fork := packageOf(t, web), packageOf(t, strings.NewReplacer(test.change...).Replace(web))
			made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
			if err != nil {
				t.Fatal(err)
			}
			want := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- ../base\n" + test.want
			if diff := cmp.Diff(want, string(made.Files[0].Data)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- web.yaml\n"; string(made.Base) != want {
				t.Errorf("the base gets\n%s", made.Base)
			}
		})
	}
}

// TestRefusedImages has a patch in place of an entry of images where kustomize would not build it (rules/overlay: transformers).
func TestRefusedImages(t *testing.T) {
	const images, patches = "images:\n- name: web\n  newTag: \"2\"\n", "patches:\n- path: patches/deployment-web.yaml\n"
	for spec, want := range map[string]string{
		"{volumes: [nfs]}":                        patches,
		"{template: {spec: {containers: [web]}}}": patches,
		"{template: web}":                         patches,
		"{volumes: [{image: web}]}":               patches,
		"{volumes: [{image: {reference: db}}, null], template: null}": images,
	} {
		base := packageOf(t, web+"---\napiVersion: example.com/v1\nkind: Rule\nmetadata: {name: all}\nspec: "+spec+"\n")
		fork := packageOf(t, strings.ReplaceAll(web, "web:1", "web:2")+"---\napiVersion: example.com/v1\nkind: Rule\nmetadata: {name: all}\nspec: "+spec+"\n")
		made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
		if err != nil {
			t.Fatal(err)
		}
		want := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- ../base\n" + want
		if diff := cmp.Diff(want, string(made.Files[0].Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", spec, diff)
		}
	}
}

// TestListed has the resources that a kustomization of each version lists, and no others (rules/overlay: compared resources).
func TestListed(t *testing.T) {
	const a, b, changed = "a.yaml", "a.yaml, b.yaml", "a.yaml, b.yaml #"
	for name, test := range map[string]struct {
		origin, upstream, local string
		files                   []string
		changes                 []overlay.Status
	}{
		"only local lists it":                {a, a, b, []string{"kustomization.yaml", "configmap-b.yaml"}, []overlay.Status{overlay.Needed}},
		"local lists no more":                {b, b, a, []string{"kustomization.yaml", "patches/configmap-b.yaml"}, []overlay.Status{overlay.Needed}},
		"upstream lists it, too":             {a, b, b, []string{"kustomization.yaml"}, []overlay.Status{overlay.Redundant}},
		"upstream lists no more":             {b, a, b, []string{"kustomization.yaml"}, nil},
		"upstream lists no more, changed":    {b, a, changed, []string{"kustomization.yaml"}, []overlay.Status{overlay.Dead}},
		"nobody lists it, and it is changed": {a, a, "a.yaml #", []string{"kustomization.yaml"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var versions [3]pkgmerge.Package
			for i, listed := range [3]string{test.origin, test.upstream, test.local} {
				versions[i] = listing(t, listed)
			}
			made, err := overlay.Make(context.Background(), versions, overlay.Options{Resources: "../base"})
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range made.Files {
				files = append(files, f.Name)
			}
			var changes []overlay.Status
			for _, c := range made.Changes {
				changes = append(changes, c.Status)
			}
			if diff := cmp.Diff(test.files, files) + cmp.Diff(test.changes, changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestOwnPatches has the patches of the fork's kustomization behind the ones that make the fork's resources, and no
// transformer, which would come last (rules/overlay: the fork's kustomization).
func TestOwnPatches(t *testing.T) {
	const head, own = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- ../base\n", "patches:\n- path: patches/deployment-web.yaml\n"
	base := patching(t, "replicas: 1", "")
	for field, want := range map[string]string{
		"patches: [{path: own.yaml}]":                 own + "- {path: own.yaml}\n",
		"patchesStrategicMerge: [own.yaml]":           own + "- path: own.yaml\n",
		"patchesStrategicMerge: [\"kind: A\\na: 1\"]": own + "- patch: \"kind: A\\na: 1\"\n",
		"patchesJson6902: [{path: own.yaml}]":         "patchesJson6902:\n- {path: own.yaml}\n" + own,
	} {
		made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, patching(t, "replicas: 2", field+"\n")}, overlay.Options{Resources: "../base"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(head+want, string(made.Files[0].Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", field, diff)
		}
	}
	made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, patching(t, "replicas: 1", "patchesStrategicMerge: [own.yaml]\n")}, overlay.Options{Resources: "../base"})
	if err != nil || string(made.Files[0].Data) != head+"patchesStrategicMerge:\n- own.yaml\n" {
		t.Errorf("%v: without other patches it is\n%s", err, made.Files[0].Data)
	}
}

// TestDirectories names the differences in kustomizations of directories, and in components, also where one side alone
// builds the directory (rules/overlay: changes that the overlay cannot express).
func TestDirectories(t *testing.T) {
	const below = "it differs, and the overlay has one kustomization for the whole package"
	for name, test := range map[string]struct{ base, dir, fork, forkDir, want string }{
		"no longer built":  {"resources: [sub]", "namePrefix: a-", "resources: [sub/web.yaml]", "namePrefix: a-", "sub/kustomization.yaml: namePrefix: " + below},
		"dropped":          {"resources: [sub]", "namePrefix: a-", "resources: []", "namePrefix: a-", ""},
		"newly built":      {"resources: [sub/web.yaml]", "namePrefix: a-", "resources: [sub]", "namePrefix: a-", "sub/kustomization.yaml: namePrefix: " + below},
		"a component":      {"components: [sub]", "namePrefix: a-", "components: [sub]", "namePrefix: b-", "sub/kustomization.yaml: namePrefix: " + below},
		"no kustomization": {"resources: [sub/web.yaml]\nnamePrefix: a-", "", "", "", "kustomization.yaml: namePrefix: it differs, and a kustomization over the base cannot express that"},
	} {
		base, fork := directories(t, test.base, test.dir), directories(t, test.fork, test.forkDir)
		made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
		if err != nil {
			t.Fatal(err)
		}
		isPatched := func(text string) bool { return strings.Contains(text, "before the overlay's patches") }
		if got := strings.Join(slices.DeleteFunc(made.Unexpressed, isPatched), "; "); got != test.want {
			t.Errorf("%s: %q; want %q", name, got, test.want)
		}
	}
}

// directories is a package with a Service in a directory, with fields of the kustomizations of both, "" for none at the top.
func directories(t *testing.T, top, sub string) pkgmerge.Package {
	t.Helper()
	files := []pkgmerge.File{
		{Name: "sub/kustomization.yaml", Mode: 0o644, Data: []byte("resources: [web.yaml]\n" + sub + "\n")},
		{Name: "sub/web.yaml", Mode: 0o644, Data: []byte("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")},
	}
	if top != "" {
		files = append(files, pkgmerge.File{Name: "kustomization.yaml", Mode: 0o644, Data: []byte(top + "\n")})
	}
	p, err := pkgmerge.NewPackage(files)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// patching is a package of a Deployment and of a patch, with more fields of its kustomization.
func patching(t *testing.T, replicas, fields string) pkgmerge.Package {
	t.Helper()
	p, err := pkgmerge.NewPackage([]pkgmerge.File{
		{Name: "kustomization.yaml", Mode: 0o644, Data: []byte("resources: [web.yaml]\n" + fields)},
		{Name: "own.yaml", Mode: 0o644, Data: []byte("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n")},
		{Name: "web.yaml", Mode: 0o644, Data: []byte(strings.Replace(web, "replicas: 1", replicas, 1))},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// listing is a package of two files whose kustomization lists some. With # the second file differs.
func listing(t *testing.T, listed string) pkgmerge.Package {
	t.Helper()
	listed, changed := strings.CutSuffix(listed, " #")
	configMap := func(name, value string) []byte {
		return []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\ndata: {a: " + value + "}\n")
	}
	value := "old"
	if changed {
		value = "new"
	}
	p, err := pkgmerge.NewPackage([]pkgmerge.File{
		{Name: "a.yaml", Mode: 0o644, Data: configMap("a", "old")},
		{Name: "b.yaml", Mode: 0o644, Data: configMap("b", value)},
		{Name: "kustomization.yaml", Mode: 0o644, Data: []byte("resources: [" + listed + "]\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNames has a prefix or a suffix where all names have it, and else a patch of each name
// (rules/overlay: names and namespaces). Merge comments tell which resource is which.
func TestNames(t *testing.T) {
	named := func(deployment, service, claims string) string {
		return "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: # kpt-merge: /web\n  name: " + deployment + "\nspec:\n  serviceName: " + claims +
			"\n---\napiVersion: v1\nkind: Service\nmetadata: # kpt-merge: /db\n  name: " + service + "\n"
	}
	for name, test := range map[string]struct{ fork, want string }{
		"a prefix": {named("shop-web", "shop-db", "shop-db"), "namePrefix: shop-\n"},
		"a suffix": {named("web-2", "db-2", "db-2"), "nameSuffix: \"-2\"\n"},
		"one name": {
			named("web", "my-db", "my-db"),
			"patches:\n- path: patches/service-db.yaml\n  target:\n    version: v1\n    kind: Service\n    name: db\n  options:\n    allowNameChange: true\n",
		},
		"a prefix that a reference lacks": {
			named("shop-web", "shop-db", "db"),
			"- service-shop-db.yaml\npatches:\n- path: patches/statefulset-web.yaml\n  target:\n    group: apps\n    version: v1\n    kind: StatefulSet\n    name: web\n" +
				"  options:\n    allowNameChange: true\n- path: patches/service-db.yaml\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			base, fork := packageOf(t, named("web", "db", "db")), packageOf(t, test.fork)
			made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
			if err != nil {
				t.Fatal(err)
			}
			want := "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- ../base\n" + test.want
			if diff := cmp.Diff(want, string(made.Files[0].Data)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRenamedWithoutLabel has a JSON patch where the fork renamed a resource and deleted labels or annotations of it:
// kustomize gives a strategic patch with a target the resource's own (rules/overlay: patches).
func TestRenamedWithoutLabel(t *testing.T) {
	const text = "apiVersion: v1\nkind: Service\nmetadata: # kpt-merge: /web\n  name: web\n  labels: {a: b, c: d}\n  annotations: {a: b}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: db}\n"
	const remove = "- op: remove\n  path: /metadata/"
	base := packageOf(t, text)
	for change, want := range map[[2]string]string{
		{"{a: b, c: d}", "{c: d}"}:      remove + "labels/a\n",
		{"  annotations: {a: b}\n", ""}: remove + "annotations\n",
	} {
		fork := packageOf(t, strings.NewReplacer("name: web", "name: my-web", change[0], change[1]).Replace(text))
		made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(made.Files[1].Data); !strings.Contains(got, want) {
			t.Errorf("%q:\n%s", change, got)
		}
	}
}

// TestNamesOfFiles tells resources apart whose kinds and names are alike.
func TestNamesOfFiles(t *testing.T) {
	base := packageOf(t, web)
	var own strings.Builder
	for _, head := range []string{"v1|a", "v1|b", "example.com/v1|a", "example.org/v1|b"} {
		version, namespace, _ := strings.Cut(head, "|")
		own.WriteString("---\napiVersion: " + version + "\nkind: Service\nmetadata: {name: my:own, namespace: " + namespace + "}\n")
	}
	fork := packageOf(t, web+own.String())
	made, err := overlay.Make(context.Background(), [3]pkgmerge.Package{base, base, fork}, overlay.Options{Resources: "../base"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range made.Files {
		names = append(names, f.Name)
	}
	want := []string{"kustomization.yaml", "service-my-own.yaml", "service-my-own-b.yaml", "service-my-own-a.yaml", "service-my-own-b-example.org.yaml"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMakeStops(t *testing.T) {
	stopped, stop := context.WithCancel(context.Background())
	stop()
	base := packageOf(t, web)
	if _, err := overlay.Make(stopped, [3]pkgmerge.Package{base, base, base}, overlay.Options{}); err == nil {
		t.Error("it does not stop")
	}
}

// TestDuplicates refuses a package that kustomize cannot build (rules/overlay: compared resources).
func TestDuplicates(t *testing.T) {
	files := func(names ...string) []pkgmerge.File {
		var out []pkgmerge.File
		for _, name := range names {
			out = append(out, pkgmerge.File{Name: name, Mode: 0o644, Data: []byte("apiVersion: v1\nkind: Service\nmetadata: {name: web}\n")})
		}
		return out
	}
	kustomization := pkgmerge.File{Name: "a/kustomization.yaml", Mode: 0o644, Data: []byte("resources: [web.yaml]\n")}
	for name, test := range map[string]struct {
		files []pkgmerge.File
		want  string
	}{
		"files": {
			files("a.yaml", "b.yaml"),
			"Service web is in a.yaml and in b.yaml, and kustomize builds only one of a name: write a kustomization.yaml that lists the files in use",
		},
		"directories": {
			append(files("a/web.yaml", "b/web.yaml"), kustomization),
			"Service web is in a/web.yaml and in b/web.yaml, and kustomize builds only one of a name: " +
				"give a directory that has a kustomization.yaml, such as a, or write one that lists the files in use",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := pkgmerge.NewPackage(test.files)
			if err != nil {
				t.Fatal(err)
			}
			_, err = overlay.Make(context.Background(), [3]pkgmerge.Package{p, p, p}, overlay.Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v, want %s", err, test.want)
			}
		})
	}
}
