package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// Growing is a shape of lists whose merge must not take more than in proportion to
// their size (rules/reading: bounds): each is one in which something that is done for
// every part could be done for every pair of parts.
type Growing struct {
	Name string
	// N is the size that perf measures.
	N int
	// Make makes the list of a size.
	Make func(n int) []byte
}

const configMap = "v1 ConfigMap"

// perResource returns a function that makes a list of n resources a side.
func perResource(item func(side string, i, n int) string) func(n int) []byte {
	return func(n int) []byte {
		return perSide("", func(b *bytes.Buffer, side string) {
			for i := range n {
				b.WriteString(item(side, i, n))
			}
		})
	}
}

// onlyOne returns a function that makes a list of one resource a side, which body continues after
// its metadata.
func onlyOne(kind string, body func(b *bytes.Buffer, side string, n int)) func(n int) []byte {
	return func(n int) []byte {
		return perSide("", func(b *bytes.Buffer, side string) {
			b.WriteString(header(side, kind, "large", "large.yaml"))
			body(b, side, n)
		})
	}
}

// header is an item of a side up to the end of its metadata. kind has its apiVersion:
// "apps/v1 Deployment".
func header(side, kind, name, path string) string {
	apiVersion, kind, _ := strings.Cut(kind, " ")
	return fmt.Sprintf("- apiVersion: %s\n  kind: %s\n  metadata:\n    name: %s\n", apiVersion, kind, name) + bookkeeping(side, path)
}

// own is a, but b on a side.
func own(side, which, a, b string) string {
	if side == which {
		return b
	}
	return a
}

// AllGrowing are the shapes: of packages, of single resources, and of texts.
func AllGrowing() []Growing {
	return slices.Concat(growingPackages(), growingResources(), growingTexts(), growingClusters())
}

// growingPackages are packages of many resources.
func growingPackages() []Growing {
	const many = 5_000
	return []Growing{
		{"packages", many, perResource(inPackages)},
		{"subpackages in each other", 500, nestedPackages},
		{"one name in many directories", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, "same", fmt.Sprintf("dir-%d/same.yaml", i)), side, i)
		})},
		{"one name in directories that local renamed", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, "same", fmt.Sprintf("%s-%d/same.yaml", own(side, "local", "dir", "mine"), i)), side, i)
		})},
		{"one name many times in one file", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, "same", "same.yaml"), side, i)
		})},
		{"one name many times in a file of local's", many, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				for i := range n {
					if side == "local" || i == 0 {
						b.WriteString(value(header(side, configMap, "same", "same.yaml"), side, i))
					}
				}
			})
		}},
		{"one merge comment on all", many, perResource(func(side string, i, _ int) string {
			text := value(header(side, configMap, fmt.Sprintf("map-%d", i), fmt.Sprintf("map-%d.yaml", i)), side, i)
			return withComment(text, "/same")
		})},
		{"all renamed locally", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, fmt.Sprintf("%s-%d", own(side, "local", "map", "mine"), i), fmt.Sprintf("map-%d.yaml", i)), side, i)
		})},
		{"all renamed upstream and changed locally", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, fmt.Sprintf("%s-%d", own(side, "upstream", "map", "new"), i), "maps.yaml"), side, i)
		})},
		{"all in another namespace locally", many, perResource(func(side string, i, _ int) string {
			return inNamespace(value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i), own(side, "local", "up", "mine"))
		})},
		{"each in another namespace locally", many, perResource(func(side string, i, _ int) string {
			return inNamespace(value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i), fmt.Sprintf("%s-%d", own(side, "local", "up", "mine"), i))
		})},
		{"one name in many namespaces, all others locally", many, perResource(func(side string, i, _ int) string {
			return inNamespace(value(header(side, configMap, "same", "maps.yaml"), side, i), fmt.Sprintf("%s-%d", own(side, "local", "up", "mine"), i))
		})},
		{"one generateName", many, perResource(func(side string, i, _ int) string {
			return generated(value(header(side, configMap, "same-", "same.yaml"), side, i))
		})},
		{"nameless", many, perResource(func(side string, i, _ int) string {
			return nameless(value(header(side, configMap, "", fmt.Sprintf("map-%d.yaml", i)), side, i))
		})},
		{"identifiers", many, perResource(func(side string, i, _ int) string {
			text := value(header(side, configMap, fmt.Sprintf("%s-%d", own(side, "local", "map", "mine"), i), "maps.yaml"), side, i)
			return annotated(text, fmt.Sprintf("internal.kpt.dev/upstream-identifier: '|ConfigMap|default|map-%d'", i))
		})},
		{"another group", many, perResource(func(side string, i, _ int) string {
			kind := own(side, "upstream", "extensions/v1beta1 Deployment", "apps/v1 Deployment")
			return header(side, kind, fmt.Sprintf("web-%d", i), "webs.yaml") + fmt.Sprintf("  spec:\n    replicas: %s\n", own(side, "local", "1", "2"))
		})},
		{"all conflicts", many, perResource(func(side string, i, _ int) string {
			return header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml") + "  data:\n    key: " + side + "\n"
		})},
		{"all added upstream", many, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				for i := range n {
					if side == "upstream" || i == 0 {
						b.WriteString(value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i))
					}
				}
			})
		}},
		{"all added upstream before local's own", many, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				for i := range n {
					if side == "upstream" || i == 0 {
						b.WriteString(value(header(side, configMap, fmt.Sprintf("map-%d", i), fmt.Sprintf("map-%d.yaml", i)), side, i))
					}
				}
				for i := range n {
					if side == "local" {
						b.WriteString(value(header(side, configMap, fmt.Sprintf("own-%d", i), fmt.Sprintf("own-%d.yaml", i)), side, i))
					}
				}
			})
		}},
		{"all deleted upstream", many, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				for i := range n {
					if side != "upstream" || i == 0 {
						b.WriteString(value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i))
					}
				}
			})
		}},
		{"all moved upstream", many, perResource(func(side string, i, _ int) string {
			return value(header(side, configMap, fmt.Sprintf("map-%d", i), fmt.Sprintf("%s/map-%d.yaml", own(side, "upstream", "a", "b"), i)), side, i)
		})},
		{"all in reverse", many, perResource(func(side string, i, n int) string {
			if side == "upstream" {
				i = n - 1 - i
			}
			return value(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml"), side, i)
		})},
		{"dangling references", many, dangling},
		{"elements that name a resource which local renamed", 8_000, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				b.WriteString(strings.Replace(header(side, configMap, own(side, "local", "web", "mine"), "map.yaml"), "metadata:", own(side, "local", "metadata:", "metadata: # kpt-merge: /web"), 1))
				b.WriteString(header(side, "example.com/v1 Routes", "all", "routes.yaml") + "  spec:\n    routes:\n")
				for i := range n {
					fmt.Fprintf(b, "    - when: %d\n      then: %s\n", i, own(side, "local", "web", "mine"))
				}
				if side == "upstream" {
					b.WriteString("    - when: never\n      then: web\n")
				}
			})
		}},
		{"a CRD and a resource of each kind", many / 5, kindsOfTheirOwn},
		{"a CRD of many versions", many / 5, manyVersions},
		{"renames", many, func(n int) []byte { return configured(n, "  renames:\n", renamed) }},
		{"rules", 1_000, func(n int) []byte { return configured(n, "  conflicts:\n    rules:\n", rule) }},
		{"lists", 1_000, func(n int) []byte { return configured(n, "  lists:\n", listRule) }},
		{"pairs of a namespace", many, perResource(func(side string, i, n int) string {
			name := fmt.Sprintf("map-%d", i)
			if i%2 == 0 {
				return header(side, "v1 Namespace", fmt.Sprintf("%s-%d", own(side, "local", "up", "mine"), i), "maps.yaml")
			}
			return inNamespace(value(header(side, configMap, name, "maps.yaml"), side, i), fmt.Sprintf("%s-%d", own(side, "local", "up", "mine"), i-1))
		})},
	}
}

// growingClusters are applies of one large object, by either strategy, and what kpt's ids are
// about.
func growingClusters() []Growing {
	const many = 5_000
	out := []Growing{
		{"keys that have ids of kpt", many, onlyOne(configMap, withOrder("  data:\n", nil, keyPart))},
		{"a keyed list that has ids of kpt", many, onlyOne("apps/v1 Deployment", withOrder(envHead, map[string]func(i, n int) int{"upstream": backwards}, envPart))},
		{"mounts of one volume that have ids of kpt", many, onlyOne("apps/v1 Deployment", withOrder(strings.Replace(envHead, "env:", "volumeMounts:", 1), nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "          - name: data\n            mountPath: /%d\n            subPath: %s\n", i, changedAt(side, i))
		}))},
	}
	for _, strategy := range []string{"apply", "server-side-apply"} {
		many := many
		if strategy == "apply" {
			many = 2_000 // the annotations of an object, last-applied among them, have 256 KiB at most
		}
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

// applied returns a live object with n parts below a field and its config. Somebody else changed
// all of the parts, and so does the config. part returns a part with a value, and its path in
// managedFields.
func applied(strategy, kind, field string, part func(i int, value string) (text, path string)) func(n int) []byte {
	apiVersion, name, _ := strings.Cut(kind, " ")
	above := fmt.Sprintf("- apiVersion: %s\n  kind: %s\n  metadata:\n    name: large\n    namespace: prod\n", apiVersion, name)
	within, open := "", "  "+field+":\n"
	if field == "ports" {
		within, open = "f:spec:\n          ", "  spec:\n    ports:\n"
	}
	return func(n int) []byte {
		var owned, live, config bytes.Buffer
		fmt.Fprintf(&owned, "    managedFields:\n    - apiVersion: v1\n      fieldsType: FieldsV1\n      fieldsV1:\n        %sf:%s:\n", within, strings.Replace(field, "stringData", "data", 1))
		for i := range n {
			text, path := part(i, "live")
			live.WriteString(text)
			indent := strings.Repeat(" ", 10+strings.Count(within, " ")/5)
			fmt.Fprintf(&owned, "%s'%s': {}\n", indent, path)
			text, _ = part(i, "config")
			config.WriteString(text)
		}
		owned.WriteString("      manager: somebody\n      operation: Update\n      time: \"2026-01-02T03:04:05Z\"\n")
		return perSide(fmt.Sprintf("functionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  kind: ResourceMerge\n  strategy: %s\n", strategy), func(b *bytes.Buffer, side string) {
			switch side {
			case "local":
				fmt.Fprintf(b, "%s%s%s    resourceVersion: \"1\"\n    uid: 6f1d4a52-0c2b-4c5e-9d43-000000000000\n%s%s", above, bookkeeping(side, "large.yaml"), owned.String(), strings.Replace(open, "stringData", "data", 1), live.String())
			case "upstream":
				fmt.Fprintf(b, "%s%s%s%s", above, bookkeeping(side, "large.yaml"), open, config.String())
			}
		})
	}
}
