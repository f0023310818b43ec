// Package manifest holds the text of one resource: parsed on demand, and edited in place (rules/comments-and-text:
// unchanged text).
//
// A [Text] has the place of every node of its tree: one scanner makes nodes and places in one pass, and every byte of
// a block collection belongs to one of its entries or to the gap behind the last. Edit makes the text of a result
// from local's text by edits that do not overlap; parts from upstream are copied from upstream's text and moved to
// the column of local's siblings.
//
// # The owner of a comment
//
// A comment is read by its place in the text, not as the YAML parser assigns
// comments: a comment belongs to the node with its indentation.
//
//	directly above an entry, in its column   the head comment of the entry's key,
//	                                         or of the element: it comes and goes with the entry
//	the same, and an empty line below it     the same head comment, an empty line between;
//	                                         but it stays if the entry goes
//	at the end of an entry's line            the line comment: of the key where the value is a block
//	                                         collection, else of the value
//	below the last entry of a collection     the foot comment of the collection
//
// # Results without a text
//
// Where no edit gives the result, it is encoded: the smallest field around the difference. If the laws of this
// package do not prove a text right, it is read again, and if it does not read as the decided result, the next larger
// field is encoded.
package manifest
