package function

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/internal/resourcelist"
)

// relativeTo is kyaml's error with the file below dir: kyaml names it by its
// absolute path, and the same input is to give the same output anywhere.
func relativeTo(dir string, err error) string {
	absolute, absErr := filepath.Abs(dir)
	if absErr != nil {
		return err.Error()
	}
	return strings.ReplaceAll(err.Error(), filepath.ToSlash(absolute)+"/", "")
}

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
		return nil, fmt.Errorf("read %s: %s", dir, relativeTo(dir, err))
	}
	var found []*resourcelist.Item
	for _, n := range nodes {
		if n.Field(kyaml.BareSeqNodeWrappingKey) == nil {
			found = append(found, resourcelist.NewItem(n.Document()))
		}
	}
	return readItems(found)
}
