// Package patchset makes the patches of a merged package: what makes the result of one side's
// resources, a document each (rules/patches: forms). It is another emitter over what a merge
// decided, for the function and for the commands.
package patchset
