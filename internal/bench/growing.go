package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// Growing is a shape of lists whose merge must not take more than in proportion to
// their size (design 9): each is one in which something that is done for every part
// could be done for every pair of parts.
type Growing struct {
	Name string
	// N is the size that perf measures.
	N int
	// Make makes the list of a size.
	Make func(n int) []byte
}

const configMap = "v1 ConfigMap"

// perSide makes a list of what part writes for each side.
func perSide(config string, part func(b *bytes.Buffer, side string)) []byte {
	var b bytes.Buffer
	b.WriteString(strings.TrimSuffix(listHead, "items:\n") + config + "items:\n")
	for _, side := range sides() {
		part(&b, side)
	}
	return b.Bytes()
}

// perResource returns what makes a list of n resources a side.
func perResource(item func(side string, i, n int) string) func(n int) []byte {
	return func(n int) []byte {
		return perSide("", func(b *bytes.Buffer, side string) {
			for i := range n {
				b.WriteString(item(side, i, n))
			}
		})
	}
}

// onlyOne returns what makes a list of one resource a side, which body continues after
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
	dir := side + "/"
	if side == "local" {
		dir = ""
	}
	return fmt.Sprintf("- apiVersion: %s\n  kind: %s\n  metadata:\n    name: %s\n    annotations:\n      internal.config.kubernetes.io/path: '%s%s'\n",
		apiVersion, kind, name, dir, path)
}

// own is a, but b on a side.
func own(side, which, a, b string) string {
	if side == which {
		return b
	}
	return a
}
