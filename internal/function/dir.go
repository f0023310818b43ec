package function

import (
	"fmt"
	"os"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// readDir reads a side from a directory (DESIGN 1.1): with its subpackages and
// Kptfiles, .krmignore honoured. A relative directory is relative to the
// process. A file that is a bare list is no resource and is left out.
func readDir(dir string) ([]*item, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory", dir)
	}
	nodes, err := kio.LocalPackageReader{
		PackagePath:        dir,
		PackageFileName:    "Kptfile",
		MatchFilesGlob:     append([]string{"Kptfile"}, kio.DefaultMatch...),
		IncludeSubpackages: true,
		PreserveSeqIndent:  true,
		WrapBareSeqNode:    true,
	}.Read()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	var found []*resourcelist.Item
	for _, n := range nodes {
		if n.Field(kyaml.BareSeqNodeWrappingKey) == nil {
			found = append(found, resourcelist.NewItem(n.Document()))
		}
	}
	return readItems(found)
}
