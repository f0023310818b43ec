// Package pkgmerge merges three versions of one package: origin, where upstream
// and local both started; upstream, the new version; local, the user's.
//
// Merge finds the versions of each resource (package identity), has a Strategy
// decide what becomes of each (package merge, for the usual one), and says where
// the result has it. The Result is data: changes, conflicts and notices. Package
// source reads packages, package report makes messages of a Result, and package sink
// files.
//
// Merge prints nothing, reads no environment and keeps no state. Several merges may
// run at once, also of the same packages. A merge stops with an error when its
// context ends.
//
//	what                                                                                 file
//	a package and its resources                                                          resource.go, package.go
//	the files of a package, as documents (rules/files: files)                            file.go, content.go
//	the files of the result, and places in them                                          assemble.go, assemble_header.go, place_line.go
//	files that do not merge by structure                                                 file_change.go, file_merge.go, and text_file.go
//	                                                                                     for those that do on some sides only
//	the versions of one resource                                                         match.go
//	the strategies (rules/strategies: the strategies)                                    strategy.go, strategy_*.go, strategies.go
//	live objects and config (rules/apply: identity of objects)                           cluster.go, and cluster_*.go for who is who and what is read;
//	                                                                                     listed.go for Lists, live_text.go for their text
//	config as kubectl reads it (rules/apply: identity of objects; rules/apply: fields)   kubectl_yaml.go, secret_data.go
//	whose live changes are overwritten (rules/apply: drift)                              live_drift.go, live_owners.go
//	what a server would refuse (rules/apply: refused objects)                            refuse.go, internal/admission
//	what an apply does, step by step (rules/apply: results of an apply)                  applied.go
//	the plan of an apply with an inventory (rules/live: plans)                           plan.go, cluster_plan.go, planned.go, and plan_*.go;
//	                                                                                     package live makes it
//	values that only the cluster has (rules/live: mutations)                             cluster_mutation.go
//	live drift back into the package (rules/apply: drift back into the package)          from_live.go, cluster_drift.go, adoption.go
//	what an outcome means for local's package                                            outcome.go and change.go
//	whose version a conflict takes (rules/conflicts: policies)                           policy.go
//	Kptfiles, such as their upstreamLock (rules/kptfiles: Kptfiles)                      kptfile.go
//	subpackages (rules/kptfiles: subpackages)                                            subpackage.go
//	inventory templates (rules/resources: inventory templates)                           inventory.go
//	what upstream's new resources get (rules/adopt: what follows)                        follow.go; habits.go finds what local did to all
//	file and index of what is added or moved,
//	and the order of the result (rules/placement: order of resources)                    place.go, place_file.go
//	what local's kustomizations list (rules/placement: kustomizations)                   kustomization_list.go
//	what upstream renamed (rules/identity: by identity)                                  identity/rename.go; notice_rename.go for what looks like it
//	local's bookkeeping annotations (rules/function: bookkeeping annotations)            bookkeeping.go
//	what local removed on purpose (rules/resources: removed on purpose), and
//	what files that cannot be read may hold                                              removal.go, unread.go
//	what deserves a word though it is no
//	conflict (rules/conflicts: dangling references)                                      notice.go and a file each; dangling.go and
//	                                                                                     dangling_port.go for broken references
//	what resources refer to and say of ports                                             reference.go, mention.go, serving.go
//	one run of Merge                                                                     merge.go, and merger.go for what all of it knows
//
// No two files need each other: match.go knows nothing of options.go, policy.go and
// strategy.go, which all speak of a Match.
package pkgmerge
