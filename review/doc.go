// Package review says what a bump of a version means for the layers over it (rules/review: classes): the values of a chart, and the
// patches of a kustomization over a base.
//
// Find finds the bumps between two versions of a repository. Review compares each line of the layers over a bump with both versions of
// the chart or base. A Line has its class, upstream's two values and its place, whatever layer it is of, so that reports have one form
// for all layers. Nothing is executed, and what cannot be read is no line: it is a note.
package review
