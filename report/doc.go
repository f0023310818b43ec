// Package report writes the result of a merge as text. All messages about conflicts are built here,
// and only here the contents of Secrets are hidden (rules/reports: secrets).
//
// Results returns the results of the KRM function. For people and other programs, New returns a
// Report, the data of all other formats, with everything hidden that must be. A Format writes a
// Report and decides nothing; Formats lists the formats of the command (rules/reports: formats). A
// Fleet is one report over the merges of many packages (rules/reports: reports of a fleet).
package report
