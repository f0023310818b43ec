package krmfunction

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/resource-merge/resource-merge/identity"
)

// unreadable is a file of a side's dir that is no YAML or holds something other
// than maps and lists.
type unreadable struct {
	side         identity.Side
	path, reason string
}

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
