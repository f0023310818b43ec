package bench

import (
	"bytes"
	"fmt"
	"strings"
)

// Make makes a list by the name of its shape:
//
//	few, all   n Deployments a side, changed as Few and All say
//	json       few, as JSON
//	tiny       few, with ConfigMaps of one key
//	elements   a Deployment with a keyed list of n elements
//	keys       a ConfigMap with n keys
//	document   a ConfigMap with n texts of 1 KB
//	lines      a ConfigMap with a text of n lines, every second of them changed
//	live-few   n live Deployments and their config, for the strategy apply: 1 % changed
//	live-all   the same, all changed
//	S-none, S-few, S-all   CRDs of the shape S, which is versions, kinds or deep: of
//	           each ten that it has n, with none of them changed, one in 20, or all
//
// and the shapes of AllGrowing by their names.
//
// Of elements, keys and texts each side changed one in ten.
func Make(shape string, n int) ([]byte, error) {
	switch shape {
	case "few":
		return Few().List(n), nil
	case "all":
		return All().List(n), nil
	case "json":
		return toJSON(Few().List(n))
	case "tiny":
		return tiny(Few(), n), nil
	case "elements":
		return single(elementsHead, n, func(b *bytes.Buffer, i int, value string) {
			fmt.Fprintf(b, "          - name: VARIABLE_%d\n            value: %s\n", i, value)
		}), nil
	case "keys":
		return single(configMapHead, n, func(b *bytes.Buffer, i int, value string) {
			fmt.Fprintf(b, "    key-%d: %s\n", i, value)
		}), nil
	case "live-few":
		return liveList(100, n), nil
	case "live-all":
		return liveList(1, n), nil
	case "lines":
		return lines(n), nil
	case "document":
		return single(configMapHead, n, text), nil
	}
	if list, known := crdList(shape, n); known {
		return list, nil
	}
	for _, g := range AllGrowing() {
		if g.Name == shape {
			return g.Make(n), nil
		}
	}
	return nil, fmt.Errorf("shape %q is not known", shape)
}

const tinyFormat = `- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: %s
%s  data:
    image: "%s"
    replicas: "%d"
`

func tiny(l Load, n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		for i := range n {
			image, replicas := l.version(side, i)
			name := fmt.Sprintf("tiny-%d", i)
			fmt.Fprintf(b, tinyFormat, name, bookkeeping(side, name+".yaml"), image, replicas)
		}
	})
}

const elementsHead = `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: large
%s  spec:
    template:
      spec:
        containers:
        - name: web
          env:
`

const configMapHead = `- apiVersion: v1
  kind: ConfigMap
  metadata:
    name: large
%s  data:
`

// single is a list of one resource a side that has n parts. part writes one
// with its value.
func single(head string, n int, part func(b *bytes.Buffer, i int, value string)) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		fmt.Fprintf(b, head, bookkeeping(side, "large.yaml"))
		for i := range n {
			value := "unchanged"
			if side == "local" && i%10 == 0 || side == "upstream" && i%10 == 2 {
				value = side
			}
			part(b, i, value)
		}
	})
}

// text is a literal of about 1 KB.
func text(b *bytes.Buffer, i int, value string) {
	fmt.Fprintf(b, "    text-%d: |\n", i)
	b.WriteString(strings.Repeat("      "+value+" and so on up to the end of the line, again and again\n", 14))
}

// lines is a ConfigMap with one text. The sides changed every second line of it,
// upstream and local in turn.
func lines(n int) []byte {
	return perSide("", func(b *bytes.Buffer, side string) {
		fmt.Fprintf(b, configMapHead+"    text: |\n", bookkeeping(side, "large.yaml"))
		for i := range n {
			value := "unchanged"
			if side == "local" && i%4 == 0 || side == "upstream" && i%4 == 2 {
				value = side
			}
			fmt.Fprintf(b, "      line %d is %s\n", i, value)
		}
	})
}
