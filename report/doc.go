// Package report makes text of the result of a merge. It is the one place that makes
// messages of conflicts, and the one that hides what Secrets hold (rules/conflicts:
// secrets).
//
// Results are those of the KRM function. All other formats are written over a Report,
// which New makes of a result: a Format is a file of its own, and a line in Formats
// (rules/reports: formats).
//
//	what                                          file
//	messages of conflicts                         message.go, sentence.go, subject.go
//	what is hidden                                secret.go
//	results of the KRM function                   krm.go
//	the data of all other formats                 report.go, resource.go, finding.go
//	values, and the characters that nobody sees   sidevalue.go, visible.go
//	the rule that decides a conflict otherwise    rule.go
//	texts side by side, and what was done to fields   comparison.go, texts.go, words.go, edit.go
//	what of a fork differs from upstream          drift.go
//	one report over many packages                 fleet.go, fleet_*.go
//	the page                                      html.go, html_*.go, markup.go, page/
package report
