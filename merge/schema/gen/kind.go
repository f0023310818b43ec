package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// kind is a root of the graph.
type kind struct {
	group, kind, version string
	name                 string // of the type
	cluster              bool   // belongs to no namespace
}

// kinds returns the kinds among the types: structs with apiVersion, kind and
// metadata, by group, kind, and newest version first.
func (d *document) kinds() ([]kind, error) {
	var kinds []kind
	for _, def := range d.Types {
		if !def.isKind() {
			continue
		}
		k, err := newKind(def.Name)
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, compareKinds)
	return kinds, nil
}

func (d *definition) isKind() bool {
	return d.Map != nil && d.Map.field("apiVersion") != nil &&
		d.Map.field("kind") != nil && d.Map.field("metadata") != nil
}

// newKind takes a name apart, such as io.k8s.api.apps.v1.Deployment.
func newKind(name string) (kind, error) {
	parts := strings.Split(strings.TrimPrefix(name, apiPrefix), ".")
	if len(parts) != 3 {
		return kind{}, fmt.Errorf("kind %s is not named by package, version and kind", name)
	}
	group, ok := groupOf(parts[0])
	if !ok {
		return kind{}, fmt.Errorf("kind %s is in a package whose group is not known", name)
	}
	return kind{group: group, version: parts[1], kind: parts[2], name: name}, nil
}

// apiPrefix begins the names of the types of k8s.io/api.
const apiPrefix = "io.k8s.api."

// groupOf returns the API group of a package of k8s.io/api.
func groupOf(pkg string) (string, bool) {
	switch pkg {
	case "core":
		return "", true
	case "apps", "autoscaling", "batch", "extensions", "policy":
		return pkg, true
	case "admissionregistration", "certificates", "coordination", "discovery", "events", "imagepolicy",
		"lifecycle", "networking", "node", "resource", "scheduling", "storage", "storagemigration":
		return pkg + ".k8s.io", true
	case "apiserverinternal":
		return "internal.apiserver.k8s.io", true
	case "flowcontrol":
		return "flowcontrol.apiserver.k8s.io", true
	case "rbac":
		return "rbac.authorization.k8s.io", true
	}
	return "", false
}

func compareKinds(a, b kind) int {
	return cmp.Or(
		cmp.Compare(a.group, b.group),
		cmp.Compare(a.kind, b.kind),
		-schema.CompareVersions(a.version, b.version),
	)
}
