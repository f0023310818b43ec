package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// changedAt is own, for one part in ten of upstream's and another of local's.
func changedAt(side string, i int) string {
	if side == "upstream" && i%10 == 3 || side == "local" && i%10 == 6 {
		return side
	}
	return "same"
}

// parts writes n parts of a resource in the given order.
func parts(n int, order func(i, n int) int, part func(i int)) {
	for i := range n {
		part(order(i, n))
	}
}

func straight(i, _ int) int  { return i }
func backwards(i, n int) int { return n - 1 - i }
func shuffled(i, n int) int  { return (i*7919 + 13) % n }

// ordered is an order on one side, and the straight one on the others.
func ordered(side string, orders map[string]func(i, n int) int) func(i, n int) int {
	if order := orders[side]; order != nil {
		return order
	}
	return straight
}

// withOrder returns a body that writes head, and below it n parts in the orders of the sides.
func withOrder(head string, orders map[string]func(i, n int) int, part func(b *bytes.Buffer, side string, i int)) func(*bytes.Buffer, string, int) {
	return func(b *bytes.Buffer, side string, n int) {
		b.WriteString(head)
		parts(n, ordered(side, orders), func(i int) { part(b, side, i) })
	}
}

const envHead = "  spec:\n    template:\n      spec:\n        containers:\n        - name: web\n          env:\n"

func envPart(b *bytes.Buffer, side string, i int) {
	fmt.Fprintf(b, "          - name: VARIABLE_%d\n            value: %s\n", i, changedAt(side, i))
}

func keyPart(b *bytes.Buffer, side string, i int) {
	fmt.Fprintf(b, "    key-%d: %s\n", i, changedAt(side, i))
}

// growingResources are single resources with many parts.
func growingResources() []Growing {
	const many = 10_000
	type orders = map[string]func(i, n int) int
	const deployment = "apps/v1 Deployment"
	return []Growing{
		{"a keyed list", many, onlyOne(deployment, withOrder(envHead, nil, envPart))},
		{"a keyed list that upstream turned around", many, onlyOne(deployment, withOrder(envHead, orders{"upstream": backwards}, envPart))},
		{"a keyed list that local turned around", many, onlyOne(deployment, withOrder(envHead, orders{"local": backwards}, envPart))},
		{"a keyed list that all shuffled", many, onlyOne(deployment, withOrder(envHead, orders{"upstream": shuffled, "local": backwards}, envPart))},
		{"a keyed list with new elements of both", many, onlyOne(deployment, withOrder(envHead, nil, func(b *bytes.Buffer, side string, i int) {
			if side != "origin" && i > 0 {
				fmt.Fprintf(b, "          - name: %s_%d\n            value: same\n", side, i)
			} else {
				envPart(b, side, i)
			}
		}))},
		{"a keyed list that upstream removed", many, onlyOne(deployment, func(b *bytes.Buffer, side string, n int) {
			if side != "upstream" {
				withOrder(envHead, nil, envPart)(b, side, n)
			} else {
				b.WriteString("  spec:\n    replicas: 1\n")
			}
		})},
		{"a keyed list with each key twice", many, onlyOne(deployment, withOrder(envHead, nil, func(b *bytes.Buffer, side string, i int) { envPart(b, side, i/2*2); _ = i }))},
		{"a keyed list of one key", many, onlyOne(deployment, withOrder(envHead, nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "          - name: VARIABLE\n            value: %s-%d\n", changedAt(side, i), i)
		}))},
		{"mounts that both moved", many, onlyOne(deployment, withOrder(strings.Replace(envHead, "env:", "volumeMounts:", 1), nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "          - name: data\n            mountPath: /%s/%d\n            subPath: sub-%d\n", side, i, i)
		}))},
		{"volumes that both renamed", many, onlyOne(deployment, withOrder("  spec:\n    template:\n      spec:\n        volumes:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "        - name: %s-%d\n          configMap:\n            name: map-%d\n", side, i, i)
		}))},
		{"volumes that both renamed, all alike", many, onlyOne(deployment, withOrder("  spec:\n    template:\n      spec:\n        volumes:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "        - name: %s-%d\n          emptyDir: {}\n", side, i)
		}))},
		{"ports that both renumbered", many, onlyOne("v1 Service", withOrder("  spec:\n    ports:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    - name: port-%d\n      port: %d\n", i, i+map[string]int{"upstream": 100_000, "local": 200_000}[side])
		}))},
		{"ports that upstream renumbered", many, onlyOne("v1 Service", withOrder("  spec:\n    ports:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    - name: port-%d\n      port: %d\n      nodePort: %s%d\n", i, i+map[string]int{"upstream": 100_000}[side], own(side, "local", "3", "4"), i)
		}))},
		{"a list without keys", many, onlyOne("example.com/v1 Thing", withOrder("  spec:\n    words:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    - word %d %s\n", i, changedAt(side, i))
		}))},
		{"a list without keys, united", many, func(n int) []byte {
			return perSide(configHead+"  conflicts: {prefer: union}\n", func(b *bytes.Buffer, side string) {
				b.WriteString(header(side, "example.com/v1 Thing", "large", "large.yaml"))
				withOrder("  spec:\n    words:\n", nil, func(b *bytes.Buffer, side string, i int) {
					fmt.Fprintf(b, "    - word %d %s\n", i, changedAt(side, i))
				})(b, side, n)
			})
		}},
		{"a list without keys that all shuffled, united", many, func(n int) []byte {
			return perSide(configHead+"  conflicts: {prefer: union}\n", func(b *bytes.Buffer, side string) {
				b.WriteString(header(side, "example.com/v1 Thing", "large", "large.yaml"))
				withOrder("  spec:\n    words:\n", orders{"upstream": shuffled, "local": backwards}, func(b *bytes.Buffer, side string, i int) {
					fmt.Fprintf(b, "    - word %d\n", i%97)
				})(b, side, n)
			})
		}},
		{"rules of a role", many, onlyOne("rbac.authorization.k8s.io/v1 ClusterRole", withOrder("  rules:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "  - apiGroups: [group-%d]\n    resources: [%s]\n    verbs: [get]\n", i, changedAt(side, i))
		}))},
		{"a list with inferred keys", many, onlyOne("example.com/v1 Thing", withOrder("  spec:\n    disks:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    - name: disk-%d\n      size: %s\n", i, changedAt(side, i))
		}))},
		{"a set", many, onlyOne(configMap, withOrder("    finalizers:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    - example.com/%d-%s\n", i, changedAt(side, i))
		}))},
		{"keys", many, onlyOne(configMap, withOrder("  data:\n", nil, keyPart))},
		{"keys that upstream turned around", many, onlyOne(configMap, withOrder("  data:\n", orders{"upstream": backwards}, keyPart))},
		{"keys that all shuffled", many, onlyOne(configMap, withOrder("  data:\n", orders{"upstream": shuffled, "local": backwards}, keyPart))},
		{"keys that all are new", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    %s-%d: value\n", side, i)
		}))},
		{"keys of a Secret", many, onlyOne("v1 Secret", withOrder("  stringData:\n", nil, keyPart))},
		{"keys that are conflicts", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    key-%d: %s\n", i, side)
		}))},
		{"keys with comments", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    # Comment %d of %s.\n    key-%d: %s # and %s\n\n", i, changedAt(side, i+1), i, changedAt(side, i), changedAt(side, i+2))
		}))},
		{"keys with anchors", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    a-%[1]d: &a%[1]d %[2]s\n    b-%[1]d: *a%[1]d\n", i, changedAt(side, i))
		}))},
		{"nulls", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			if side == "local" && i%2 == 0 {
				fmt.Fprintf(b, "    key-%d: null\n", i)
			} else {
				keyPart(b, side, i)
			}
		}))},
		{"keys in brackets", many, onlyOne(configMap, func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  data: {")
			for i := range n {
				fmt.Fprintf(b, "key-%d: %s, ", i, changedAt(side, i))
			}
			b.WriteString("}\n")
		})},
		{"keys in brackets that all are new", many, onlyOne(configMap, func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  data: {")
			for i := range n {
				fmt.Fprintf(b, "%s-%d: value, ", side, i)
			}
			b.WriteString("}\n")
		})},
		{"a list in brackets", many, onlyOne("example.com/v1 Thing", func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  spec:\n    words: [")
			for i := range n {
				fmt.Fprintf(b, "%d-%s, ", i, changedAt(side, i))
			}
			b.WriteString("]\n")
		})},
		{"quoted keys", many, onlyOne(configMap, withOrder("  data:\n", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "    \"key %d\": '%s'\n", i, changedAt(side, i))
		}))},
		{"annotations", many, onlyOne(configMap, withOrder("", nil, func(b *bytes.Buffer, side string, i int) {
			fmt.Fprintf(b, "      example.com/%d: %s\n", i, changedAt(side, i))
		}))},
		{"images of a kustomization", many, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				b.WriteString(nameless(header(side, "kustomize.config.k8s.io/v1beta1 Kustomization", "", "kustomization.yaml")) + "  images:\n")
				for i := range n {
					fmt.Fprintf(b, "  - name: image-%d\n    newTag: %s\n", i, changedAt(side, i))
				}
				b.WriteString("  resources:\n")
				for i := range n {
					fmt.Fprintf(b, "  - %s-%d.yaml\n", changedAt(side, i), i)
				}
			})
		}},
		{"functions of a Kptfile", 2_000, func(n int) []byte {
			return perSide("", func(b *bytes.Buffer, side string) {
				b.WriteString(header(side, "kpt.dev/v1 Kptfile", "app", "Kptfile") + "  pipeline:\n    mutators:\n")
				for i := range n {
					fmt.Fprintf(b, "    - image: gcr.io/fn/set-%d:v1\n      configMap:\n        key: %s\n", i%7, changedAt(side, i))
				}
			})
		}},
		{"deep", 900, onlyOne("example.com/v1 Thing", func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  spec:\n")
			for i := range n {
				fmt.Fprintf(b, "%sa:\n", strings.Repeat(" ", i+3))
			}
			fmt.Fprintf(b, "%sb: %s\n", strings.Repeat(" ", n+3), side)
		})},
		{"deep in brackets", 900, onlyOne("example.com/v1 Thing", func(b *bytes.Buffer, side string, n int) {
			fmt.Fprintf(b, "  spec: %s%s%s\n", strings.Repeat("[", n), side, strings.Repeat("]", n))
		})},
		{"wide and deep", many, onlyOne("example.com/v1 Thing", func(b *bytes.Buffer, side string, n int) {
			b.WriteString("  spec:\n")
			for i := range n / 50 {
				for level := range 50 {
					fmt.Fprintf(b, "%sa%d:\n", strings.Repeat(" ", level+4), i)
				}
				fmt.Fprintf(b, "%sb: %s\n", strings.Repeat(" ", 54), changedAt(side, i))
			}
		})},
	}
}
