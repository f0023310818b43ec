// Package report makes text of the result of a merge. It is the one place that
// makes messages of conflicts, and the one that hides what Secrets hold (design
// 5).
package report
