package apply_test

import (
	"strings"
	"testing"

	"github.com/resource-merge/resource-merge/apply"
)

// TestHideSecrets: no form in which a Secret can be written shows a value, what is around it stays, and a changed value
// differs from one that stays.
func TestHideSecrets(t *testing.T) {
	const before, after = "c2VjcmV0LW9uZQ==", "c2VjcmV0LXR3bw=="
	forms := map[string]string{
		"block":        "apiVersion: v1\ndata:\n  a: VALUE\n  b: c2VjcmV0LXN0YXlz\nkind: Secret\nmetadata:\n  name: s\n# behind\n",
		"flow map":     "apiVersion: v1\nkind: Secret\ndata: {a: VALUE,\n  b: c2VjcmV0LXN0YXlz}\nmetadata: {name: s}\n# behind\n",
		"block text":   "kind: Secret\nstringData:\n  a: |\n    # VALUE\n\n    # VALUE\n# behind\n",
		"quoted lines": "kind: Secret\nstringData:\n  a: \"x\n    VALUE\n\n    # VALUE\"\n  \"b\": c2VjcmV0LXN0YXlz\n# behind\n",
		"list":         "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    a: VALUE\n  kind: Secret\n- data:\n    a: VALUE\n  kind: Secret\n  metadata: {name: s}\n- kind: ConfigMap # behind\nkind: List\n",
		"JSON":         "{\n  \"items\": [\n    {\n      \"kind\": \"Secret\",\n      \"data\": {\"a\": \"VALUE\"}\n    },\n    {\n      \"kind\": \"behind\"\n    }\n  ]\n}\n",
		"JSON in line": "{\"items\": [{\"kind\": \"Secret\", \"data\": {\"a\": \"VALUE\"}}, {\"kind\": \"ConfigMap\"}, {\"kind\": \"Secret\", \"data\": {\"a\": \"VALUE\"}}]}\n# behind\n",
		"last-applied": "kind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"data\":{\"a\":\"VALUE\"}}\n  name: behind\n",
		"documents":    "kind: Secret\ndata:\n  a: VALUE\n---\nkind: ConfigMap\ndata:\n  a: behind\n---\nkind: Secret\nmetadata: {name: t}\ndata:\n    a: VALUE\n",
		"no YAML":      "kind: Secret\ndata: [VALUE\n",
		"an alias":     "kind: Secret\nx: &x\n  b: behind\ndata: *x\n",
	}
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			hide := apply.HideSecrets()
			first := string(hide([]byte(strings.ReplaceAll(text, "VALUE", before))))
			same := string(hide([]byte(strings.ReplaceAll(text, "VALUE", before))))
			other := string(hide([]byte(strings.ReplaceAll(text, "VALUE", after))))
			for _, shown := range []string{first, other} {
				if strings.Contains(shown, "c2VjcmV0") {
					t.Errorf("a value is shown:\n%s", shown)
				}
				if name != "no YAML" && !strings.Contains(shown, "behind") {
					t.Errorf("what is behind a Secret is hidden:\n%s", shown)
				}
			}
			hasValue := name != "no YAML" && name != "an alias"
			if (first != same || first == other) && hasValue {
				t.Errorf("a changed value looks like one that stays, or one that stays does not:\n%s\n%s\n%s", first, same, other)
			}
		})
	}
	const plain = "kind: ConfigMap\ndata: {a: Secret}\n"
	if got := string(apply.HideSecrets()([]byte(plain))); got != plain {
		t.Errorf("got\n%s", got)
	}
}
