package bench

import (
	"bytes"
	"fmt"
)

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
