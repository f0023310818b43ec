// Package bench makes the lists and packages that benchmarks run on, and has what they
// compare with (rules/reading: linear time). Only tests and e2e/perf use it.
package bench

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/filters"
)

// Load is how much the sides changed: upstream one resource in Upstream, local
// one in Local.
type Load struct {
	Upstream, Local int
	// Conflicts adds a field that both sides changed to the resources that upstream changed.
	Conflicts bool
}

// Few is 1 % changed upstream and 5 % locally.
func Few() Load { return Load{Upstream: 100, Local: 20} }

// All is everything changed on both sides.
func All() Load { return Load{Upstream: 1, Local: 1} }

// version returns the image and the replicas in a side's resource i: upstream changes
// the image, local the replicas.
func (l Load) version(side string, i int) (image string, replicas int) {
	image, replicas = "1.0", 1
	if side == "upstream" && i%l.Upstream == 0 {
		image = "1.1"
		if l.Conflicts {
			replicas = 5
		}
	}
	if side == "local" && i%l.Local == 0 {
		replicas = 3
	}
	return image, replicas
}

// sides are the sides in the order in which kpt sends them, by path: local's files have none of the names of the others' directories.
func sides() [3]string { return [3]string{"origin", "upstream", "local"} }

// perSide makes a list of the items that part writes for each side, as kpt sends it: each item has its index in its
// file and the ids that kpt gives it, and config, which may be "", comes last.
func perSide(config string, part func(b *bytes.Buffer, side string)) []byte {
	var items, out bytes.Buffer
	for _, side := range sides() {
		part(&items, side)
	}
	out.WriteString(listHead)
	indices := map[string]int{}
	above, rest, found := strings.Cut(items.String(), fileMark)
	for number := 0; found; number++ {
		file, below, _ := strings.Cut(rest, "\n")
		fmt.Fprintf(&out, "%s"+sentFormat, above, file, indices[file], number, number+1)
		indices[file]++
		above, rest, found = strings.Cut(below, fileMark)
	}
	out.WriteString(above)
	out.WriteString(cmp.Or(config, noConfig))
	return out.Bytes()
}

// noConfig is the function config that `kpt fn eval` sends where it is given none.
const noConfig = "functionConfig:\n  metadata:\n    name: function-input\n  data: {}\n  kind: ConfigMap\n  apiVersion: v1\n"

const listHead = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"

// sentFormat is the annotations that kpt gives an item. It takes the file, the index in that, and the number of the item
// from 0 and from 1.
const sentFormat = `      config.kubernetes.io/index: '%[3]d'
      config.kubernetes.io/path: '%[2]s'
      internal.config.kubernetes.io/index: '%[3]d'
      internal.config.kubernetes.io/path: '%[2]s'
      internal.config.kubernetes.io/seqindent: 'compact'
      internal.config.kubernetes.io/annotations-migration-resource-id: '%[4]d'
      internal.config.kubernetes.io/id: '%[5]d'
      config.k8s.io/id: '%[5]d'
`

// List is a list of n Deployments a side, each of about 2.3 KB.
func (l Load) List(n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		for i := range n {
			image, replicas := l.version(side, i)
			name := fmt.Sprintf("web-%d", i)
			b.WriteString(deployment(name, bookkeeping(side, name+".yaml"), image, replicas))
		}
	})
}

// bookkeeping is the annotations of an item in a file of a side: a mark of the file, which perSide replaces by kpt's.
func bookkeeping(side, file string) string {
	if side != "local" {
		file = side + "/" + file
	}
	return "    annotations:\n" + fileMark + file + "\n"
}

// fileMark stands before the file of an item for which perSide writes annotations.
const fileMark = "      FILE: "

// deployment is an item with three containers.
func deployment(name, annotations, image string, replicas int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `- apiVersion: apps/v1
  kind: Deployment
  metadata: # kpt-merge: prod/%[1]s
    name: %[1]s
    namespace: prod
    labels:
      app: %[1]s
%[2]s  spec:
    replicas: %[3]d
    selector:
      matchLabels:
        app: %[1]s
    template:
      metadata:
        labels:
          app: %[1]s
      spec:
        containers:
`, name, annotations, replicas)
	for _, container := range [3]string{"web", "proxy", "metrics"} {
		fmt.Fprintf(&b, containerFormat, container, image)
	}
	b.WriteString("        volumes:\n        - name: data\n          emptyDir: {}\n")
	return b.String()
}

// containerFormat takes the name and the tag of the image.
const containerFormat = `        - name: %[1]s
          image: registry.example.com/%[1]s:%[2]s # kpt-set: ${image}
          args: ["--listen", ":8080"]
          env:
          - name: LOG_LEVEL
            value: "info"
          - name: POD_NAME
            valueFrom:
              fieldRef:
                fieldPath: metadata.name
          ports:
          - name: http
            containerPort: 8080
          # Slow to start.
          livenessProbe:
            httpGet:
              path: /healthz
              port: http
            initialDelaySeconds: 10
          resources:
            limits:
              cpu: 500m
              memory: 256Mi
          volumeMounts:
          - name: data
            mountPath: /data
`

// Package writes the resources of List as files, a directory a side.
func (l Load) Package(dir string, n int) error {
	for _, side := range sides() {
		if err := l.writeSide(filepath.Join(dir, side), side, n); err != nil {
			return err
		}
	}
	return nil
}

func (l Load) writeSide(dir, side string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		image, replicas := l.version(side, i)
		name := fmt.Sprintf("web-%d", i)
		text := document(deployment(name, "", image, replicas))
		if err := os.WriteFile(filepath.Join(dir, name+".yaml"), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// document is an item as a document: without the dash and its indentation.
func document(item string) string {
	return strings.ReplaceAll(item[len("- "):], "\n  ", "\n")
}

func toJSON(list []byte) ([]byte, error) {
	var value any
	if err := yaml.Unmarshal(list, &value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// Floor parses a list and writes it as kyaml's framework does, merging nothing:
// the least that a function on kyaml can take.
func Floor(in []byte, out io.Writer) error {
	nothing := func(*framework.ResourceList) error { return nil }
	return framework.Execute(framework.ResourceListProcessorFunc(nothing),
		&kio.ByteReadWriter{Reader: bytes.NewReader(in), Writer: out, KeepReaderAnnotations: true})
}

// Merge3 merges a package that Package wrote into its local directory, by kyaml.
func Merge3(dir string) error {
	return filters.Merge3{
		OriginalPath: filepath.Join(dir, "origin"),
		UpdatedPath:  filepath.Join(dir, "upstream"),
		DestPath:     filepath.Join(dir, "local"),
	}.Merge()
}
