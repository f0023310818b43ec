package krmfunction

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/report"
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

// checkUnreadable finds a file that cannot be read on one side and has resources
// on another: without it, these would seem to be deleted or added.
func (s *sides) checkUnreadable() error {
	bad := map[string]unreadable{}
	for _, u := range s.unreadable {
		bad[u.path] = u
	}
	for _, side := range identity.Sides() {
		for _, it := range s.items[side] {
			if u, found := bad[it.File]; found {
				return fmt.Errorf("functionConfig: sources.%s.dir: %s is no YAML, but the %s side has %s there: %s",
					u.side, u.path, side, it.ID(), u.reason)
			}
		}
	}
	return nil
}

// unreadableFiles warns of the files that are left out.
func (s sides) unreadableFiles() framework.Results {
	var warnings framework.Results
	for _, u := range s.unreadable {
		warnings = append(warnings, &framework.Result{
			Severity: framework.Warning,
			Message:  wording.Cut(fmt.Sprintf("sources.%s.dir: %s is no YAML and left out: %s", u.side, u.path, u.reason), report.MaxMessage),
			File:     &framework.File{Path: u.path},
		})
	}
	return warnings
}
