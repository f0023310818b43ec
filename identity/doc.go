// Package identity identifies resources, and matches the items of the three sides that are versions of one resource
// (rules/identity: matching).
package identity
