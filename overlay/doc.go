// Package overlay turns a fork of a package into a kustomization over the package that it
// was forked from (rules/overlay: transformers): transformers where they do exactly what
// the fork did, else patches, one file a resource, and the fork's own resources as files.
//
//	what                                              file
//	the overlay of a merge                            overlay.go
//	what is compared: pairs of resources              pair.go
//	what a package builds, and what it needs for that kustomization.go
//	transformers: which are exact                     choose.go; transformer.go
//	each of them                                      images.go, image.go, replica.go, metadata.go; naming.go, name.go, rename.go;
//	                                                  package transform has what kustomize does with them
//	patches, and what they cannot say                 patches.go, unsaid.go
//	what is still needed of it                        standing.go
package overlay
