package report

import "io"

// Format writes reports in one format; Name is its name for --report.
type Format struct {
	Name  string
	Write func(io.Writer, *Report) error
}

// Formats returns all formats (rules/reports: formats).
func Formats() []Format {
	return []Format{
		{"text", writeText}, {"json", writeJSON}, {"markdown", writeMarkdown}, {"github", writeGitHub},
		{"sarif", writeSARIF}, {"junit", writeJUnit}, {"ledger", writeLedger}, {"html", writeHTML},
	}
}

const (
	// MaxMessage is the length of a message, in bytes, above which its path is cut: a line of a
	// console. Long values may make it longer.
	MaxMessage = 160
	// maxName limits the name of a resource in a message that is too long; kind, namespace and name of
	// objects that Kubernetes takes are shorter.
	maxName = 400
	// maxSubject is the widest column of names in a table.
	maxSubject = 64
	// minPath is the part of a path that stays in such a message.
	minPath = 48
	// notKnown tells the limits of every plan (rules/apply: limits of a plan).
	notKnown = "not known without the cluster: what admission, webhooks and quotas would change or refuse, and what changed since the recording"
	// nothingMerged is the outcome of a conflict if the run failed.
	nothingMerged = "nothing was merged"
	// notApplied is the outcome of the conflicts of an object that the server refuses.
	notApplied = "the object is not applied"
	// maxValue is the longest value in a result, in bytes (rules/conflicts: results).
	maxValue = 256
	// maxShown limits how much of a value a report shows, in bytes.
	maxShown = 4096
	// ShortValue is the longest value in a message, in bytes (rules/conflicts:
	// results).
	ShortValue = 48
)
