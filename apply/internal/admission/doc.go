// Package admission foresees what an API server would refuse of an apply: members of a
// union beside each other, changes of what is immutable, and values that a map of strings
// does not take (rules/apply: refused objects). It knows nothing of webhooks and quotas,
// and validates nothing else.
package admission
