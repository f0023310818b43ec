// Package schema says which lists have keys, which values are decided whole, and which
// fields exclude each other (rules/unions: switches; rules/schemas: where keys come
// from).
//
// Two built-in tables are generated: that of Kubernetes' kinds,
// zz_kubernetes.go, from the schema that k8s.io/client-go carries for
// server-side apply; that of well-known projects' kinds, zz_crds.go, from the
// CRDs in their modules:
//
//	go generate ./merge/schema
package schema

//go:generate go run ./gen
