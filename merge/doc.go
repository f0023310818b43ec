// Package merge merges three versions of one resource: origin, where upstream
// and local both started; upstream, the new version; local, the user's.
//
// It works in three steps. Collate lays the versions side by side, as a tree of
// elements, each with a form that says how the element is decided. Decide is
// pure and gives every element a decision and its conflicts. Emit builds the
// result's tree. A new rule is a new case of decide; nothing else looks at two
// sides at once, except for comments, which have rules of their own.
//
// A file uses files of its own layer and of those above it in this list, none
// below, and no files use each other in a circle:
//
//	values, paths   side.go, value.go, quantity.go, prepare.go, equal.go, canonical.go, kind.go,
//	                path.go, pattern.go, pattern_nodes.go; hunks.go
//	what comes out  conflict.go, remark.go, policy.go, verdict.go, outcome.go
//	elements        owned.go, element.go, element_owned.go, element_changed.go, migration.go, migration_element.go, key.go and
//	                the other key_ files
//	collate         collator.go, the collate_ files, rekey.go, rekey_signature.go, rekey_replaced.go, collate.go
//	decide          decision.go, order.go, marked.go, the decide_ files, decide.go
//	emit            comments_slots.go, emitter.go, comments.go, the comments_ files, tail.go, emit.go, surplus.go
//	rules           drift.go, sharers.go, apply.go; serving.go, server_claims.go, server_place.go, server_put.go,
//	                server_client.go, server_secret.go, server_order.go, server_refused.go, server_element.go,
//	                server_owners.go, server.go; rename.go, rules.go
//	resource        resource.go, difference.go, compare.go
//
// # Forms
//
//	atomic       scalars, lists without keys, atomic structs, and
//	             where the sides' kinds differ                       decide_atomic.go
//	mapping      key by key                                          decide_map.go
//	associative  lists, element by element: list maps and sets       decide_list.go
//
// # Atomic values (rules/fields: whole values)
//
//	o→u        o→l                 result
//	unchanged  any                 local's (absent stays absent)
//	changed    unchanged           upstream's (absent in upstream: removed)
//	changed    changed, equal      local's
//	changed    changed, different  conflict, by policy
//
// Of what both changed differently, some values have parts, and the result has
// the changes of both if they are in different ones:
//
//	an image                      name with registry, tag with digest    decide_image.go
//	an image in several fields    the same, in kustomize's and Helm's    decide_joint.go
//	a string of several lines     its lines, as git merges them          decide_lines.go
//	a list                        its elements, as git merges lines      decide_hunks.go
//	a list, under policy union    what each side added and removed       decide_union_list.go
//
// # Maps (rules/fields: maps)
//
//	only in local          kept
//	only in upstream       added
//	in both                merged
//	removed by local       what upstream changed since origin becomes its value;
//	                       a conflict if that is not nothing
//	removed by upstream    origin's entries go, local's own stay; a conflict if
//	                       local had changed one that goes
//	emptied by the merge   gone if a side had removed it, else {}
//
// # Resources, elements of associative lists, union structs (rules/resources: additions and deletions)
//
//	origin  upstream  local  result
//	-       -         L      local's, unchanged
//	-       U         -      upstream's, added
//	-       U         L      merged, origin absent
//	O       -         = O    deleted
//	O       -         ≠ O    conflict upstream-deleted; deleted, or kept under policy local
//	O       U         -      stays deleted; if upstream changed it, a remark of a resource,
//	                         else conflict local-deleted
//	O       U         L      merged
//
// The rows are decideIdentified in decide.go. A resource that local only renamed
// or moved to another namespace counts as unchanged when upstream deletes it
// (rename.go).
//
// # Where a rule is
//
//	who wins where local deleted a field (rules/fields: whole values)                                    decide_atomic.go
//	both sides re-key a port (rules/lists: re-keyed elements)                                            decide_key.go; rekey.go finds that they did
//	an element under another key (rules/lists: re-keyed elements)                                        rekey.go, rekey_signature.go
//	what both put in the place of one (rules/lists: replaced elements)                                   rekey_replaced.go
//	the default of a key, such as protocol (rules/lists: re-keyed elements)                              key_default.go
//	both sides reorder a list (rules/lists: order)                                                       arrange in decide_list.go
//	where an added key or element goes (rules/lists: order)                                              order.go
//	what the keys of a list are (rules/schemas: where keys come from)                                    collate_key.go, package schema
//	elements that no key tells apart (rules/lists: duplicate keys)                                       decideUnkeyed in decide_list.go
//	sets (rules/lists: sets)                                                                             setKey in key.go
//	items of a List (rules/schemas: lists of resources)                                                  collate_key_resource.go
//	functions of a Kptfile (rules/kptfiles: pipelines)                                                   key_function.go
//	members of unions (rules/unions: union structs)                                                      decide_union.go
//	a key in data or binaryData (rules/unions: switches)                                                 decide_apart.go
//	templates that have containers (rules/unions: pod templates of unknown kinds)                        podTemplate in collator.go
//	a change of apiVersion by one side (rules/resources: a new apiVersion)                               migration.go, migration_element.go
//	nulls (rules/fields: null)                                                                           newNull in element.go
//	plain words, quantities (rules/fields: equality)                                                     equal.go, quantity.go
//	what a policy says, prefer local or union (rules/conflicts: policies)                                policy.go, decide_union_list.go
//	what collides only where it is marked (rules/git: collisions that only markers know)                 marked.go
//	lines and elements side by side (rules/lists: lists without keys; rules/conflicts: results)          hunks.go, decide_hunks.go, internal/align
//	a comment that both sides changed (rules/comments-and-text: merged comments)                         mergeSlot in comments.go
//	comments inside of atomic values (rules/comments-and-text: merged comments)                          comments_within.go
//	comments at the end, and twice (rules/comments-and-text: merged comments)                            tail.go, surplus.go
//	aliases, duplicate keys, depth (rules/comments-and-text: anchors and aliases; rules/input: limits)   prepare.go
//	paths as results and configs write them                                                              path.go, pattern.go
//
// What a cluster makes of an apply is decided by other rules over the same elements:
//
//	which rules there are                                                                                           rules.go
//	kubectl apply (rules/apply: fields)                                                                             apply.go
//	elements that one key leaves alike (rules/apply: lists)                                                         sharers.go
//	what a live object loses (rules/apply: drift)                                                                   drift.go
//	kubectl apply --server-side (rules/server-side-apply: after client-side apply)                                  server.go
//	who owns an element (rules/server-side-apply: owned fields)                                                     element_owned.go, package managed
//	what config says, and M thereby owns (rules/server-side-apply: fields in the config)                            server_claims.go
//	what M drops, and what goes with it (rules/server-side-apply: dropped fields)                                   look in server_place.go
//	a field in config, owned, null (rules/server-side-apply: fields in the config; rules/server-side-apply: null)   server_element.go
//	the order of a keyed list (rules/server-side-apply: keys of lists)                                              server_order.go
//	keys twice in config (rules/server-side-apply: refused configs)                                                 server_refused.go
//	after client-side apply (rules/server-side-apply: after client-side apply)                                      server_client.go
//	managedFields as they come out (rules/server-side-apply: written managedFields)                                 server_owners.go
//	stringData of a Secret (rules/server-side-apply: secrets)                                                       server_secret.go
//
// Who is whose version is in package identity; files, inventories and Kptfiles
// are in package pkgmerge, whose documentation has a table like this one.
//
// # Equality
//
// Which of two is right depends on what may be lost:
//
//	Same           values, for whoever has two nodes: no change, no conflict
//	same           the same for nodes that prepare made; the merge's own question
//	Alike          values and comments: to take one for the other loses nothing
//	identical      what is written: nothing has to be parsed further or merged
//	SameButNamed   values but for name and namespace: the same thing elsewhere
//	canonical      a text that is equal where same says so: for look-ups
package merge
