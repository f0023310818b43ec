package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/resource-merge/resource-merge/internal/function"
)

// benchDeployment is a Deployment of about 2.3 KB with its bookkeeping.
func benchDeployment(side string, i int, image string, replicas int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `- apiVersion: apps/v1
  kind: Deployment
  metadata: # kpt-merge: prod/web-%[1]d
    name: web-%[1]d
    namespace: prod
    labels:
      app: web-%[1]d
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: '%[2]sweb-%[1]d.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: '%[2]sweb-%[1]d.yaml'
      internal.config.kubernetes.io/seqindent: 'compact'
  spec:
    replicas: %[4]d
    selector:
      matchLabels:
        app: web-%[1]d
    template:
      metadata:
        labels:
          app: web-%[1]d
      spec:
        containers:
`, i, side, image, replicas)
	for _, name := range []string{"web", "proxy", "metrics"} {
		fmt.Fprintf(&b, `        - name: %[1]s
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
`, name, image)
	}
	b.WriteString("        volumes:\n        - name: data\n          emptyDir: {}\n")
	return b.String()
}

// benchList is a list of n Deployments a side, of which upstream changed one in
// upstreamEvery and local one in localEvery.
func benchList(n, upstreamEvery, localEvery int) []byte {
	var b bytes.Buffer
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, side := range []string{"", "origin/", "upstream/"} {
		for i := range n {
			image, replicas := "1.0", 1
			if side == "upstream/" && i%upstreamEvery == 0 {
				image = "1.1"
			}
			if side == "" && i%localEvery == 0 {
				replicas = 3
			}
			b.WriteString(benchDeployment(side, i, image, replicas))
		}
	}
	return b.Bytes()
}

// floor parses and writes the list as kyaml's framework does, merging nothing.
func floor(b *testing.B, in []byte) {
	var out bytes.Buffer
	err := framework.Execute(framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil }),
		&kio.ByteReadWriter{Reader: bytes.NewReader(in), Writer: &out, KeepReaderAnnotations: true})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMerge prints the time of a merge as a ratio of the floor's, the
// median of the pairs of one run, each pair on one input: "few" is 1 % changed
// upstream and 5 % locally, "all" everything on both sides. us/resource should
// not grow with the number of resources.
func BenchmarkMerge(b *testing.B) {
	for _, load := range []struct {
		name            string
		upstream, local int
	}{{"few", 100, 20}, {"all", 1, 1}} {
		for _, n := range []int{100, 1000, 5000} {
			b.Run(fmt.Sprintf("%s/%d", load.name, n), func(b *testing.B) {
				in := benchList(n, load.upstream, load.local)
				floor(b, in)
				var ratios []float64
				var ours time.Duration
				for b.Loop() {
					start := time.Now()
					if _, err := function.Run(in); err != nil {
						b.Fatal(err)
					}
					merged := time.Since(start)
					floor(b, in)
					ours += merged
					ratios = append(ratios, float64(merged)/float64(time.Since(start)-merged))
				}
				slices.Sort(ratios)
				b.ReportMetric(ratios[len(ratios)/2], "ours/floor")
				b.ReportMetric(float64(ours.Microseconds())/float64(b.N*n), "us/resource")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
