package apply_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/resource-merge/resource-merge/apply"
)

// TestHelmRelease: an upgrade deletes the objects of its release that the render lacks, unless an annotation keeps them or
// the upgrade fails, and it refuses objects of no release or of another one.
func TestHelmRelease(t *testing.T) {
	live := func(name, release, more string) string {
		labels, annotations := "", ""
		if release != "" {
			labels, annotations = "app.kubernetes.io/managed-by: Helm", fmt.Sprintf("meta.helm.sh/release-name: %s, meta.helm.sh/release-namespace: shop%s", release, more)
		}
		return fmt.Sprintf(`---
apiVersion: v1
kind: ConfigMap
metadata:
  name: %s
  namespace: shop
  labels: {%s}
  annotations: {%s}
  managedFields:
  - {manager: helm, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:a": {}}}}
  - {manager: ops, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}
data: {a: "1", b: "1"}
`, name, labels, annotations)
	}
	config := func(name, data string) string {
		return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: shop}\ndata: %s\n", name, data)
	}
	recorded := live("kept", "web", ", helm.sh/resource-policy: keep") + live("left", "web", "") + live("of-other", "other", "") + live("stays", "web", "")
	tests := []struct{ name, live, config, want string }{
		{"deletes and keeps", recorded, config("stays", `{a: "2"}`), `update ConfigMap shop/stays: 1 field
keep ConfigMap shop/kept: its annotation helm.sh/resource-policy: keep protects it from the upgrade
prune ConfigMap shop/left`},
		{"fails and deletes nothing", recorded, config("stays", `{a: "1", b: "2"}`), `refuse ConfigMap shop/stays: it conflicts with manager "ops" using v1
keep ConfigMap shop/kept: its annotation helm.sh/resource-policy: keep protects it from the upgrade
keep ConfigMap shop/left: the render lacks it, and an upgrade that fails deletes nothing`},
		{"of another release", recorded, config("stays", `{a: "2"}`) + config("left", `{a: "1"}`) + config("of-other", `{a: "1"}`),
			`skip ConfigMap shop/stays: Helm refuses the upgrade before it changes anything
skip ConfigMap shop/left: Helm refuses the upgrade before it changes anything
refuse ConfigMap shop/of-other: release other in namespace shop owns the live object
keep ConfigMap shop/kept: its annotation helm.sh/resource-policy: keep protects it from the upgrade`},
		{"of no release", live("free", "", ""), config("free", `{a: "1"}`), "refuse ConfigMap shop/free: no release of Helm owns the live object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var steps []string
			for line := range strings.SplitSeq(foreseen(t, apply.Strategy{ServerSide: true, Manager: apply.Helm}, test.live, test.config), "\n") {
				if strings.Contains(line, " ConfigMap shop/") {
					line, _, _ = strings.Cut(line, "; Helm refuses")
					steps = append(steps, line)
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(steps, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
