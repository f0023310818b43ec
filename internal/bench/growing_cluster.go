package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// growingClusters are applies of one large object, by either strategy, and what kpt's ids are
// about.
func growingClusters() []Growing {
	const many = 5_000
	out := []Growing{
		{"keys that have ids of kpt", many, withIDs(onlyOne(configMap, withOrder("  data:\n", nil, keyPart)))},
		{"a keyed list that has ids of kpt", many, withIDs(onlyOne("apps/v1 Deployment", withOrder(envHead, map[string]func(i, n int) int{"upstream": backwards}, envPart)))},
		{"mounts of one volume that have ids of kpt", many, withIDs(onlyOne("apps/v1 Deployment", withOrder(strings.Replace(envHead, "env:", "volumeMounts:", 1), nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "          - name: data\n            mountPath: /%d\n            subPath: %s\n", i, changedAt(side, i))
		})))},
	}
	for _, strategy := range []string{"apply", "server-side-apply"} {
		out = append(out,
			Growing{strategy + " of keys", many, applied(strategy, configMap, "data", func(i int, value string) (string, string) {
				return fmt.Sprintf("    key-%d: %s\n", i, value), fmt.Sprintf("f:key-%d", i)
			})},
			Growing{strategy + " of elements", many, applied(strategy, "v1 Service", "ports", func(i int, value string) (string, string) {
				return fmt.Sprintf("    - name: port-%[1]d\n      port: %[1]d\n      targetPort: %[2]s\n", i+1, value), fmt.Sprintf(`k:{"port":%d,"protocol":"TCP"}`, i+1)
			})},
			Growing{strategy + " of keys of a Secret", many, applied(strategy, "v1 Secret", "stringData", func(i int, value string) (string, string) {
				return fmt.Sprintf("    key-%d: %s\n", i, value), fmt.Sprintf("f:key-%d", i)
			})},
		)
	}
	return out
}

// withIDs gives the items ids as kpt does, each its own.
func withIDs(list func(n int) []byte) func(n int) []byte {
	return func(n int) []byte {
		parts := strings.Split(string(list(n)), "    annotations:\n")
		var b strings.Builder
		for i, part := range parts {
			if i > 0 {
				fmt.Fprintf(&b, "    annotations:\n      internal.config.k8s.io/kpt-resource-id: '%d'\n", i)
			}
			b.WriteString(part)
		}
		return []byte(b.String())
	}
}

// applied is a live object with n parts below a field, all of which somebody else changed, and
// its config, which changes all of them too. part is a part with a value, and its path in
// managedFields.
func applied(strategy, kind, field string, part func(i int, value string) (text, path string)) func(n int) []byte {
	apiVersion, name, _ := strings.Cut(kind, " ")
	above := fmt.Sprintf("- apiVersion: %s\n  kind: %s\n  metadata:\n    name: large\n    namespace: prod\n", apiVersion, name)
	within, open := "", "  "+field+":\n"
	if field == "ports" {
		within, open = "f:spec:\n          ", "  spec:\n    ports:\n"
	}
	return func(n int) []byte {
		var b, owned bytes.Buffer
		fmt.Fprintf(&b, "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  kind: ResourceMerge\n  strategy: %s\nitems:\n", strategy)
		fmt.Fprintf(&owned, "    managedFields:\n    - apiVersion: v1\n      fieldsType: FieldsV1\n      fieldsV1:\n        %sf:%s:\n", within, strings.Replace(field, "stringData", "data", 1))
		var live, config bytes.Buffer
		for i := range n {
			text, path := part(i, "live")
			live.WriteString(text)
			indent := strings.Repeat(" ", 10+strings.Count(within, " ")/5)
			fmt.Fprintf(&owned, "%s'%s': {}\n", indent, path)
			text, _ = part(i, "config")
			config.WriteString(text)
		}
		owned.WriteString("      manager: somebody\n      operation: Update\n      time: \"2026-01-02T03:04:05Z\"\n")
		fmt.Fprintf(&b, "%s%s    resourceVersion: \"1\"\n    uid: 6f1d4a52-0c2b-4c5e-9d43-000000000000\n%s%s", above, owned.String(), strings.Replace(open, "stringData", "data", 1), live.String())
		fmt.Fprintf(&b, "%s    annotations:\n      config.kubernetes.io/merge-source: upstream\n%s%s", above, open, config.String())
		return b.Bytes()
	}
}
