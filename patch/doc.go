// Package patch writes what differs between two versions of a resource as a patch that
// applies to the first and gives the second (rules/patches: forms). It is another
// emitter over the collation of package merge.
//
//	form       is                                                 lists with keys     nulls that must stay
//	Strategic  a strategic merge patch, with kubectl's directives element by element  cannot be said
//	Merge      a JSON merge patch (RFC 7386)                      whole               cannot be said
//	JSON       a JSON patch (RFC 6902)                            element by element  said
//	Kustomize  a strategic merge patch as kustomize reads it      element by element  cannot be said
//	Auto       Strategic for the kinds of Kubernetes, else Merge: what kubectl sends
//
// Strategic, Merge and Kustomize are partial resources: they say whose patch they are.
// A JSON patch needs a Target beside it; a Component has both for kustomize.
//
//	which form a kind gets                      form.go
//	a patch, its target and its precondition    make.go, target.go, component.go, deletion.go
//	names of files of patches, and their texts  filename.go, text.go, word.go
//	strategic merge's maps and lists            strategic.go; strategic_form.go, directive.go
//	lists with a key twice, lists of scalars    strategic_list.go, strategic_set.go
//	what kustomize reads of them, and loses     kustomize.go, kustomize_losing.go
//	JSON merge patches                          rfc7386.go
//	JSON patches                                rfc6902.go; rfc6902_list.go, rfc6902_operation.go
//	what a form cannot say                      unsayable.go
package patch
