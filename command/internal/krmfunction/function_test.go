package krmfunction

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestUnwritten: if the result cannot be written exactly, the output has the
// input's items as they came, and the error.
func TestUnwritten(t *testing.T) {
	const items = "items:\n- apiVersion: v1\n  kind:   ConfigMap\n  metadata:\n    name: a\n"
	cause := errors.New("no text was found")
	texts, err := unwritten([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"+items), cause)
	out := bytes.Join(texts, nil)
	if !errors.Is(err, cause) || !strings.Contains(string(out), items) || !strings.Contains(string(out), "message: no text was found") {
		t.Errorf("%v\n%s", err, out)
	}
}
