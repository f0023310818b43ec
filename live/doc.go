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
//
//	what                                                                              file
//	a resource of the config or of the cluster                                        object.go
//	the inventory (rules/live: the inventory; rules/live: the inventory afterwards)   inventory.go: what it is; inventory_own.go, inventory_new.go:
//	                                                                                  the package's; inventory_read.go: the cluster's, and the
//	                                                                                  choice; inventory_key.go: keys of a ConfigMap;
//	                                                                                  inventory_write.go: afterwards
//	whose a live object is, and what stays (rules/live: owners)                       policy.go, ownership.go
//	dependencies (rules/live: order)                                                  graph.go; reference.go and mutation.go: annotations
//	waves, and the order within (rules/live: order)                                   levels.go, wave.go, order.go
//	what is wrong (rules/live: errors)                                                problem.go, cycle.go
//	a plan and its steps                                                              plan.go, step.go
//	one run of New                                                                    planner.go: what all of it knows; check.go, decide.go,
//	                                                                                  listed.go; new.go
package live
