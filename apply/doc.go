// Package apply foresees what a cluster makes of config: what an apply changes in the live
// objects that somebody recorded, whose changes it overwrites, what the server would refuse, and
// what is pruned. It asks no cluster.
//
// ClientSide and ServerSide are strategies of package pkgmerge, for which upstream is the config
// and local the live objects:
//
//	result, err := pkgmerge.Merge(ctx, packages, pkgmerge.Options{Strategy: apply.ClientSide{Namespace: "shop"}})
//	applied := apply.Of(result)
//
// The result's package has the objects as they would be, its conflicts are what the apply
// overwrites and what is refused, and Applied has a Step for each object.
//
// FromLive is the way back: what was changed in a cluster comes into the package.
//
// All three are Drivers (see pkgmerge.Driver). Their rules for single fields are in package
// merge: ClientApply and ServerSide. Package live makes the plan of an apply with an inventory.
package apply
