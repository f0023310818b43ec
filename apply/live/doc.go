// Package live says what `kpt live apply` would do with a package and a recorded
// cluster (rules/live: plans): what is applied, pruned, kept and skipped, in which
// order, and why. It connects to nothing, and waits for nothing: it assumes that what
// is applied becomes ready.
//
//	own, err := live.Own(items)             // the inventory that the package names
//	inventory, err := live.Choose(own, cluster) // the live one, nil if there is none
//	plan, err := live.New(live.Input{Config: config, Live: cluster, Inventory: inventory})
//
// Own takes the package's Kptfile, ResourceGroup and ConfigMaps; whatever else it is
// given names no inventory. The caller annotates each resource that is applied with
// OwningInventory: plan.Owner before it merges it with the live object, takes that
// annotation off what is kept, deletes what is pruned, and leaves what is skipped.
// What the server would refuse is known after merging only. A second plan, with
// Refused, tells what depends on it.
package live
