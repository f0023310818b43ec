// Package report makes text of the result of a merge. It is the one place that makes
// messages of conflicts, and the one place that hides the contents of Secrets
// (rules/reports: secrets).
//
// Results makes the results of the KRM function. For people and other programs, New makes
// a Report, the data of all other formats, in which everything is hidden that must be. A
// Format writes a Report and decides nothing; Formats lists the formats of the command
// (rules/reports: formats). A Fleet is one report over the merges of many packages
// (rules/reports: reports of a fleet).
package report
