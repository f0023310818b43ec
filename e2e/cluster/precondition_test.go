package cluster

import (
	"errors"
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/e2e/cluster/server"
)

// preconditioned is an object whose config changes.
type preconditioned struct{ name, before, config, touch string }

// TestPrecondition: a patch with a precondition, of any form, goes through by kubectl patch
// as long as the object is the one that was recorded. After any change of the object the
// server answers with a conflict (rules/patches: patches for kustomize).
func TestPrecondition(t *testing.T) {
	for i, p := range []preconditioned{
		{
			"ConfigMap", `{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: "1"}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: cfg}, data: {a: "2"}}`, `{"data":{"other":"1"}}`,
		},
		{
			"Service", `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80, name: a}, {port: 81, name: b}]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 81, name: b}]}}`, `{"metadata":{"labels":{"a":"b"}}}`,
		},
		{
			"Widget", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1, items: [{name: a, size: 2}, {name: b, size: 2}]}}`,
			`{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1, items: [{name: b, size: 2}]}}`, `{"spec":{"mode":"fast"}}`,
		},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, form := range forms() {
				if p.name != "Widget" || form != "strategic" {
					t.Run(form, func(t *testing.T) { p.check(t, form, i) })
				}
			}
		})
	}
}

// check patches an object as it was recorded, as it is no more, and as it is.
func (p preconditioned) check(t *testing.T, form string, i int) {
	t.Helper()
	var before, config server.Object
	if err := errors.Join(yaml.Unmarshal([]byte(p.before), &before), yaml.Unmarshal([]byte(p.config), &config)); err != nil {
		t.Fatal(err)
	}
	target := target(config)
	s := named{Name: p.name, Before: before, Config: config}.situation("apply")
	c := comparison{situation: s, there: replay(t, s, fmt.Sprintf("precondition-%d-%s", i, form)), flags: []string{"--precondition"}}
	patch := c.recordAndPatch(t, form)
	if _, err := c.there.patch(t, target, form, patch, "--dry-run=server"); err != nil {
		t.Errorf("a patch of the version that is live is refused: %v", err)
	}
	if says := c.there.kubectl(t, step{args: []string{"patch", target, "--type=merge", "-p", p.touch}}); says.Refused() {
		t.Fatal(says.Stderr)
	}
	var refusal *server.Refusal
	if _, err := c.there.patch(t, target, form, patch); !errors.As(err, &refusal) || refusal.Reason != "Conflict" {
		t.Errorf("a patch of an older version is answered with %v", err)
	}
	if _, err := c.there.patch(t, target, form, c.recordAndPatch(t, form)); err != nil {
		t.Errorf("a patch of the newer version is refused: %v", err)
	}
	if left := c.recordAndPatch(t, form); left != "" {
		t.Errorf("after the patch there is still a difference:\n%s", left)
	}
}

// recordAndPatch records the live object, and returns its patch of a form as kubectl patch
// takes it.
func (c *comparison) recordAndPatch(t *testing.T, form string) string {
	t.Helper()
	c.recorded = c.there.recorded(t, c.situation)
	return sendable(t, form, c.patch(t, form))
}
