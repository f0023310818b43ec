// Package merge merges three versions of one resource: origin, where upstream
// and local both started; upstream, the new version; local, the user's.
//
// It works in two phases. Collate lays the versions side by side, as a tree of
// elements, each with a form that says how it is decided; decide is pure and
// gives every element a decision and its conflicts. Emit then builds the
// result's tree. A new rule is a new case of decide; nothing else looks at two
// sides at once, except for comments, which have rules of their own.
//
// # Forms
//
//	whole    scalars, lists without keys, atomic structs, and
//	         where the sides' kinds differ                        decide.go
//	mapping  key by key                                           decide_map.go
//	keyed    lists, element by element, and sets                  decide_list.go
//
// # Whole values (design 3.1)
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
//	an image                      name with registry, tag with digest    image.go
//	newTag and digest             are one part of kustomize's images     joint.go
//	a string of several lines     its lines, as git merges them          lines.go
//	a list, under policy union    its elements                           union_list.go
//
// # Maps (3.2)
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
// # Resources, elements of keyed lists, union structs (3.8, 3.3, 3.7)
//
//	origin  upstream  local  result
//	-       -         L      local's, unchanged
//	-       U         -      upstream's, added
//	-       U         L      merged, origin absent
//	O       -         = O    deleted
//	O       -         ≠ O    conflict upstream-deleted; deleted, or kept under policy local
//	O       U         -      stays deleted; conflict local-deleted if upstream changed it
//	O       U         L      merged
//
// A resource that local only renamed or moved to another namespace counts as
// unchanged when upstream deletes it: see renamed.go.
//
// # Where the other rules live
//
//	order of keys and elements (3.5)           order.go, arrange in decide_list.go
//	sets (3.4)                                 setKey in keys.go
//	elements that no key tells apart (4)       decideUnkeyed in decide_list.go
//	items of a List (4.3)                      resources.go
//	a change of apiVersion by one side (3.8)   migration.go
//	elements under another key (3.3)           rekey.go, signature.go, decide_key.go
//	defaults of keys that are written out      default.go
//	functions of a Kptfile (7)                 functions.go
//	members of unions (3.7)                    union.go
//	templates that have containers (3.7)       podTemplate in collate.go
//	a key in data or binaryData (3.7)          apart.go
//	nulls (3)                                  newNull in element.go
//	equality of values (3)                     equal.go, value.go
//	quantities (3)                             quantity.go
//	what a policy says (5)                     policy.go
//	lines and elements side by side (3.1, 5)   align.go, hunks.go
//	comments (3.6)                             comments.go, tail.go, surplus.go, graft.go
//	aliases, duplicate keys, depth (3.6, 8)    prepare.go
//	paths as results and configs write them    path.go, pattern.go
package merge
