// Package schema says which lists have keys, which values are decided whole,
// and which fields exclude each other (DESIGN 3.7 and 4).
//
// The built-in table of Kubernetes kinds, zz_kubernetes.go, is generated from
// the schema that k8s.io/client-go carries for server-side apply:
//
//	go generate ./merge/schema
package schema

//go:generate go run ./gen
