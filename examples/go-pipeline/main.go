// Command go-pipeline upgrades a customised package in one program: it reads the package, sets a namespace, merges the
// new version of upstream, checks the result, and writes it.
//
//	go run . shop versions/v1 versions/v2
package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/api/filters/namespace"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/engines/fn/kyamlmerge"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: go-pipeline PACKAGE OLD_VERSION NEW_VERSION")
		os.Exit(2)
	}
	results, err := upgrade(os.Args[1], os.Args[2], os.Args[3])
	for _, r := range results {
		fmt.Println(r)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// upgrade merges the new version into the package in a directory. After an error, no file is changed.
func upgrade(dir, oldVersion, newVersion string) (framework.Results, error) {
	place := namespace.Filter{
		Namespace: "shop",
		FsSlice:   types.FsSlice{{Path: "metadata/namespace", CreateIfNotPresent: true}},
	}
	merge := &kyamlmerge.ResourceMerge{
		Sources: kyamlmerge.Sources{
			Origin:   kyamlmerge.OriginSource{Dir: oldVersion},
			Upstream: kyamlmerge.Source{Dir: newVersion},
		},
		Conflicts: kyamlmerge.Conflicts{
			Prefer: "fail",
			Rules:  []kyamlmerge.ConflictRule{{Kind: "Deployment", Path: "spec.replicas", Prefer: "local"}},
		},
	}
	files := &kio.LocalPackageReadWriter{
		PackagePath: dir, PreserveSeqIndent: true,
		FileSystem: filesys.FileSystemOrOnDisk{FileSystem: filesys.MakeFsOnDisk()},
	}
	err := kio.Pipeline{
		Inputs:  []kio.Reader{files},
		Filters: []kio.Filter{place, merge, kio.FilterFunc(checkLimits)},
		Outputs: []kio.Writer{files},
	}.Execute()
	return merge.Results, err
}

// checkLimits returns an error if a container of a Deployment has no limit of memory.
func checkLimits(items []*yaml.RNode) ([]*yaml.RNode, error) {
	for _, item := range items {
		if item.GetKind() != "Deployment" {
			continue
		}
		containers, err := item.Pipe(yaml.Lookup("spec", "template", "spec", "containers"))
		if err != nil {
			return nil, err
		}
		err = containers.VisitElements(func(c *yaml.RNode) error {
			if limit, err := c.Pipe(yaml.Lookup("resources", "limits", "memory")); err != nil || limit == nil {
				return fmt.Errorf("container %s of Deployment %s has no limit of memory", c.Field("name").Value.YNode().Value, item.GetName())
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}
