package report

const (
	// MaxMessage is how long a message may be, in bytes, before its path is cut: a
	// line of a console. Long values may make it longer.
	MaxMessage = 160
	// maxWho is the longest name of a resource in a message that is too long.
	maxWho = 64
	// minPath is what stays of a path in such a message.
	minPath = 48
	// nothingMerged is how a conflict of a run that failed ended.
	nothingMerged = "nothing was merged"
	// nothingApplied is the same of an apply.
	nothingApplied = "nothing was applied"
	// maxValue is the longest value in a result, in bytes (design 5).
	maxValue = 256
	// maxShown is how much of a value a report shows, in bytes.
	maxShown = 4096
	// ShortValue is the longest value in a message, in bytes (design 5).
	ShortValue = 48
)
