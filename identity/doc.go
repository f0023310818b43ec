// Package identity tells which resource an item is, and which items of the three sides are versions
// of one resource (rules/identity: matching).
package identity
