package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// value continues a header with a value that upstream and local changed in turn.
func value(header, side string, i int) string {
	changed := "unchanged"
	if side == "upstream" && i%2 == 0 || side == "local" && i%2 == 1 {
		changed = side
	}
	return header + fmt.Sprintf("  data:\n    key: value %d\n    other: %s\n", i, changed)
}

func withComment(item, comment string) string {
	return strings.Replace(item, "  metadata:\n", "  metadata: # kpt-merge: "+comment+"\n", 1)
}

func inNamespace(item, namespace string) string {
	return strings.Replace(item, "    annotations:\n", "    namespace: "+namespace+"\n    annotations:\n", 1)
}

func annotated(item, annotation string) string {
	return strings.Replace(item, "    annotations:\n", "    annotations:\n      "+annotation+"\n", 1)
}

func generated(item string) string { return strings.Replace(item, "    name:", "    generateName:", 1) }

func nameless(item string) string { return strings.Replace(item, "    name: \n", "", 1) }

// inPackages is a resource of ten in a package.
func inPackages(side string, i, _ int) string {
	dir := fmt.Sprintf("package-%d", i/10)
	if i%10 == 0 {
		return header(side, "kpt.dev/v1 Kptfile", dir, dir+"/Kptfile") + fmt.Sprintf("  info:\n    description: %s\n", side)
	}
	return value(header(side, configMap, fmt.Sprintf("map-%d", i), fmt.Sprintf("%s/map-%d.yaml", dir, i)), side, i)
}

// nestedPackages are packages each in the one before it, up to 50, side by side.
func nestedPackages(n int) []byte {
	const depth = 50
	return perResource(func(side string, i, _ int) string {
		dir := fmt.Sprintf("top-%d%s", i/depth, strings.Repeat("/p", i%depth))
		return header(side, "kpt.dev/v1 Kptfile", "package", dir+"/Kptfile") + fmt.Sprintf("  info:\n    description: %s\n", side)
	})(n)
}

// dangling are pods that read ConfigMaps; upstream deleted all of the ConfigMaps.
func dangling(n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		for i := range n {
			if side != "upstream" {
				b.WriteString(header(side, configMap, fmt.Sprintf("map-%d", i), "maps.yaml") + "  data:\n    key: value\n")
			}
			b.WriteString(header(side, "v1 Pod", fmt.Sprintf("pod-%d", i), "pods.yaml"))
			fmt.Fprintf(b, "  spec:\n    containers:\n    - name: web\n      image: web:%s\n      envFrom:\n      - configMapRef:\n          name: map-%d\n", own(side, "upstream", "1", "2"), i)
		}
	})
}

// kindsOfTheirOwn are n CRDs and a resource of each.
func kindsOfTheirOwn(n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		for i := range n {
			name := fmt.Sprintf("kind%ds.example.com", i)
			b.WriteString(header(side, "apiextensions.k8s.io/v1 CustomResourceDefinition", name, "crds.yaml"))
			fmt.Fprintf(b, crdFormat, i)
			writeVersion(b, 1)
			b.WriteString(header(side, fmt.Sprintf("example.com/v1 Kind%d", i), "one", "ones.yaml"))
			fmt.Fprintf(b, "  spec:\n    parts:\n    - id: a\n      size: %s\n    - id: b\n      size: %s\n", own(side, "local", "1", "2"), own(side, "upstream", "1", "2"))
		}
	})
}

// manyVersions is a CRD of n versions, and a resource of each.
func manyVersions(n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		b.WriteString(header(side, "apiextensions.k8s.io/v1 CustomResourceDefinition", "kind0s.example.com", "crds.yaml"))
		fmt.Fprintf(b, crdFormat, 0)
		for i := range n {
			writeVersion(b, i+1)
		}
		for i := range n {
			b.WriteString(header(side, fmt.Sprintf("example.com/v%d Kind0", i+1), fmt.Sprintf("one-%d", i), "ones.yaml"))
			fmt.Fprintf(b, "  spec:\n    parts:\n    - id: a\n      size: %s\n    - id: b\n      size: %s\n", own(side, "local", "1", "2"), own(side, "upstream", "1", "2"))
		}
	})
}

const crdFormat = "  spec:\n    group: example.com\n    names:\n      kind: Kind%[1]d\n      plural: kind%[1]ds\n    scope: Namespaced\n    versions:\n"

func writeVersion(b *bytes.Buffer, version int) {
	fmt.Fprintf(b, `    - name: v%d
      schema:
        openAPIV3Schema:
          properties:
            spec:
              properties:
                parts:
                  items:
                    properties:
                      id:
                        type: string
                      size:
                        type: integer
                    type: object
                  type: array
                  x-kubernetes-list-map-keys: [id]
                  x-kubernetes-list-type: map
              type: object
          type: object
      served: true
      storage: %t
`, version, version == 1)
}

const configHead = "functionConfig:\n  apiVersion: fn.kpt.dev/v1alpha1\n  kind: ResourceMerge\n  metadata:\n    name: config\n"

// configured are n resources with a function config that says something of each.
func configured(n int, head string, entry func(i int) string) []byte {
	var config bytes.Buffer
	config.WriteString(configHead + head)
	for i := range n {
		config.WriteString(entry(i))
	}
	return perSide(config.String(), func(b *bytes.Buffer, side string) {
		for i := range n {
			b.WriteString(value(header(side, configMap, fmt.Sprintf("%s-%d", own(side, "upstream", "map", "new"), i), "maps.yaml"), side, i))
			b.WriteString(header(side, configMap, fmt.Sprintf("both-%d", i), "both.yaml") + "  data:\n    key: " + side + "\n")
		}
	})
}

func renamed(i int) string {
	return fmt.Sprintf("  - {kind: ConfigMap, from: map-%[1]d, to: new-%[1]d}\n", i)
}

func rule(i int) string {
	return fmt.Sprintf("    - {kind: ConfigMap, name: both-%d, path: data.key, prefer: local}\n", i)
}

func listRule(i int) string {
	return fmt.Sprintf("  - {kind: ConfigMap, path: data.list%d, keys: [name]}\n", i)
}
