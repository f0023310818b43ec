// Package overlay turns a fork of a package into a kustomization over the package that it
// was forked from (rules/overlay: overlays).
//
// Make compares the resources that both packages build, in pairs. It takes transformers where they make exactly the
// changes of the fork, writes the other changes as patches, one file for each resource, and the fork's own resources as
// files. Changes that the overlay cannot express are named. Package transform computes the effect of kustomize's
// transformers.
package overlay
