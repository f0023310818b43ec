// Package directory reads the resources of a directory (design 1.1), as kpt does
// it: with kyaml's reader.
package directory

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Read reads a directory with its subpackages and Kptfiles, .krmignore honoured. A
// relative directory is relative to the process. The documents have kyaml's
// annotations of their places, and the texts that they have in their files. A file that is a bare list is no resource and is
// left out; so is one that is no YAML, as a Helm chart has them (design 8), unless
// it is a Kptfile.
func Read(dir string) (documents []Document, skipped []pkgmerge.SkippedFile, err error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, nil, err
	}
	if !info.IsDir() {
		return nil, nil, fmt.Errorf("%s is no directory", dir)
	}
	if err := checkFiles(dir); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", dir, err)
	}
	nodes, skipped, err := readNodes(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %s", dir, withoutContents(relativeTo(dir, err)))
	}
	t := texts{dir: dir, files: map[string][][]byte{}}
	for _, n := range nodes {
		if n.Field(kyaml.BareSeqNodeWrappingKey) == nil {
			documents = append(documents, Document{Node: n.Document(), Text: t.of(n)})
		}
	}
	return documents, skipped, nil
}

// readNodes reads the resources of a directory, and which files it left out. To
// find these every file is read alone, but only if the directory as a whole
// cannot be read.
func readNodes(dir string) (nodes []*kyaml.RNode, skipped []pkgmerge.SkippedFile, err error) {
	reader := kio.LocalPackageReader{
		PackagePath:        dir,
		PackageFileName:    "Kptfile",
		MatchFilesGlob:     patterns(),
		IncludeSubpackages: true,
		PreserveSeqIndent:  true,
		WrapBareSeqNode:    true,
	}
	if nodes, err = reader.Read(); err == nil {
		return nodes, nil, nil
	}
	reader.FileSkipFunc = func(file string) bool {
		name := filepath.Base(file)
		if !isRead(name) || name == "Kptfile" {
			return false
		}
		reason := whyUnreadable(filepath.Join(dir, file))
		if reason == "" {
			return false
		}
		skipped = append(skipped, pkgmerge.SkippedFile{File: filepath.ToSlash(file), Reason: reason})
		return true
	}
	nodes, err = reader.Read()
	return nodes, skipped, err
}
