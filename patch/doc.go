// Package patch writes the difference between two versions of a resource as a patch that
// applies to the first and gives the second (rules/patches: forms). A Maker makes the patch of
// one resource, Package the patches of a merged package, and a Sink writes them.
//
//	form       is                                                  lists with keys     nulls that must stay
//	Strategic  a strategic merge patch, with kubectl's directives  element by element  an error
//	Merge      a JSON merge patch (RFC 7386)                       whole               an error
//	JSON       a JSON patch (RFC 6902)                             element by element  expressed
//	Kustomize  a strategic merge patch as kustomize reads it       element by element  an error
//	Auto       kubectl's choice: Strategic for the kinds of Kubernetes, else Merge
//
// Strategic, Merge and Kustomize are partial resources: they name the resource that they apply to.
// A JSON patch needs a Target beside it; a Component has both for kustomize.
package patch
