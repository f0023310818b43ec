package directory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
)

// checkFiles finds a file that is none of the directory's own: a symbolic link
// that leads out of it, a device, a pipe. A package from elsewhere must not have
// the function read what nobody gave it.
func checkFiles(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type().IsRegular() || !isRead(d.Name()) {
			return err
		}
		target, err := filepath.EvalSymlinks(file)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, target)
		if err != nil || !filepath.IsLocal(below) {
			return fmt.Errorf("%s leads out of the directory", d.Name())
		}
		if info, err := os.Stat(target); err != nil || !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file", d.Name())
		}
		return nil
	})
}

// isRead reports whether the reader takes files of that name.
func isRead(name string) bool {
	return slices.ContainsFunc(patterns(), func(pattern string) bool {
		match, err := filepath.Match(pattern, name)
		return match && err == nil
	})
}

// patterns are the names of the files that are read.
func patterns() []string { return append([]string{"Kptfile"}, kio.DefaultMatch...) }

// whyUnreadable is why the reader does not take a file's contents, "" if it
// does, or if the file itself cannot be read.
func whyUnreadable(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	_, err = (&kio.ByteReader{
		Reader:            bytes.NewReader(data),
		DisableUnwrapping: true,
		PreserveSeqIndent: true,
		WrapBareSeqNode:   true,
		SetAnnotations:    map[string]string{kioutil.PathAnnotation: "a"},
	}).Read()
	if err == nil {
		return ""
	}
	fault := faultOf(data)
	if fault == nil {
		return "a document in it is no resource"
	}
	return withoutContents(strings.TrimPrefix(fault.Error(), "yaml: "))
}

// faultOf is what is wrong with a stream of documents, with the line counted
// from the first one's; nil if it is YAML.
func faultOf(data []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}
