package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/overlay"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// TestAdopt compares resources that upstream adds, as the merge adopts them, with kustomize's build
// of them with the transformers that an overlay finds for the fork (rules/adopt: as kustomize does
// it).
func TestAdopt(t *testing.T) {
	var documents []string
	for _, file := range [2]string{"testdata/shop.yaml", "testdata/additions.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, strings.Split(string(text), "---\n")...)
	}
	compared := map[string]int{}
	for i := range number("OVERLAY_DRAWS", 200) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			packages, renames := drawAdditions(t, documents, rand.New(rand.NewPCG(uint64(i), uint64(number("OVERLAY_SEED", 0)))))
			adopts(t, packages, pkgmerge.Options{Renames: renames}, compared)
			if t.Failed() {
				for side, p := range packages {
					t.Logf("%v\n%s", identity.Side(side), p.Files[0].Data)
				}
			}
		})
	}
	t.Log(compared)
	for _, kind := range []string{
		"APIService", "ClusterRoleBinding", "CustomResourceDefinition", "NetworkPolicy", "PodDisruptionBudget", "RoleBinding",
		"ServiceMonitor", "ValidatingWebhookConfiguration",
	} {
		if compared[kind] == 0 {
			t.Errorf("no %s was compared", kind)
		}
	}
}

// drawAdditions draws origin, upstream, which has more resources, and local, which changes all of
// origin's as people change a whole copy, and the renames of local.
func drawAdditions(t *testing.T, documents []string, random *rand.Rand) (out [3]pkgmerge.Package, renames []identity.Rename) {
	t.Helper()
	var all [3][]resource
	seen := map[patch.Target]bool{}
	drawn := some(documents, random)
	for _, document := range drawn {
		isOld := random.IntN(3) > 0
		for side := range all {
			var r resource
			if err := yaml.Unmarshal([]byte(document), &r); err != nil {
				t.Fatal(err)
			}
			target := patch.Target{Kind: r["kind"].(string), Name: meta(r)["name"].(string)}
			if side == 0 && seen[target] {
				break
			}
			seen[target] = true
			if side == int(identity.Upstream) || isOld {
				all[side] = append(all[side], r)
			}
		}
	}
	for _, habit := range []func([]resource, *rand.Rand){movedAll, affixed} {
		if len(all[identity.Local]) > 0 && random.IntN(2) == 0 {
			habit(all[identity.Local], random)
		}
	}
	for i, o := range all[identity.Origin] {
		l := all[identity.Local][i]
		if was, is := called(o), called(l); was != is {
			renames = append(renames, identity.Rename{Kind: l["kind"].(string), From: is, To: was})
		}
	}
	for side, resources := range all {
		var err error
		if out[side], err = packageOf(resources); err != nil {
			t.Fatal(err)
		}
	}
	return out, renames
}

// called is the namespace and the name of a resource.
func called(r resource) string {
	if namespace := meta(r)["namespace"]; namespace != nil {
		return fmt.Sprint(namespace, "/", meta(r)["name"])
	}
	return fmt.Sprint(meta(r)["name"])
}

// adopts merges with all that the overlay of the fork says by transformers, and compares.
func adopts(t *testing.T, packages [3]pkgmerge.Package, options pkgmerge.Options, compared map[string]int) {
	t.Helper()
	o, u, l := packages[identity.Origin], packages[identity.Upstream], packages[identity.Local]
	isAnywhere := func(r *pkgmerge.Resource) bool { return r.Meta.Namespace == "" }
	if len(slices.DeleteFunc(slices.Clone(o.Resources), isAnywhere)) < 2 {
		return // one resource is no evidence
	}
	over, err := overlay.Make(context.Background(), [3]pkgmerge.Package{o, o, l}, overlay.Options{Resources: "../base", Merge: options})
	if err != nil {
		return
	}
	base := tree{}
	base.put("overlay", over.Files)
	base.put("base", u.Files)
	base["base/kustomization.yaml"] = []byte("resources: [" + u.Files[0].Name + "]\n")
	k := base["overlay/kustomization.yaml"]
	own, _ := base.kustomization()["resources"].([]any)
	if options.Adopt = adoptionsOf(base.kustomization()); len(options.Adopt) == 0 || len(own) > 1 { // a file in a resource's place has its references lost
		return
	}
	want, err := base.build("overlay")
	if err != nil {
		t.Log("kustomize:", err)
		return
	}
	result, err := pkgmerge.Merge(context.Background(), packages, options)
	if err != nil {
		t.Fatal(err)
	}
	added := map[string]any{}
	for _, c := range result.Changes {
		if c.Action != pkgmerge.Added {
			continue
		}
		n, err := c.Result.Tree()
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := n.Decode(&v); err != nil {
			t.Fatal(err)
		}
		target := patch.TargetOf(n)
		added[target.Kind+" "+target.Namespace+"/"+target.Name] = settled(v, "")
		compared[target.Kind]++
	}
	byName := map[string]any{}
	for _, r := range want {
		byName[r.target.Kind+" "+r.target.Namespace+"/"+r.target.Name] = r.value
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		if byName[name] == nil {
			t.Errorf("%s: kustomize has none, under\n%s", name, k)
		} else if err := (built{name: {value: byName[name]}}).differs(built{name: {value: added[name]}}); err != nil {
			t.Errorf("%v\nunder\n%s", err, k)
		}
	}
}

// adoptionsOf are the changes that a kustomization makes in all resources.
func adoptionsOf(k map[string]any) (out []pkgmerge.Adoption) {
	for field, adoption := range map[string]pkgmerge.Adoption{
		"namespace": pkgmerge.AdoptNamespace, "namePrefix": pkgmerge.AdoptNames, "nameSuffix": pkgmerge.AdoptNames,
	} {
		if k[field] != nil {
			out = append(out, adoption)
		}
	}
	return out
}
