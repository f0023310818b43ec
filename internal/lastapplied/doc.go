// Package lastapplied reads and writes the annotation in which kubectl apply keeps what
// it was given last (design 13.3).
package lastapplied

// Annotation is the name of the annotation.
const Annotation = "kubectl.kubernetes.io/last-applied-configuration"
