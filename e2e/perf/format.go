package main

import (
	"fmt"
	"strconv"
	"strings"
)

// decimal is a number with all its digits.
func decimal(n int) string { return strconv.Itoa(n) }

// thousands is a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return decimal(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// duration is a time with its unit, to about three digits.
func duration(seconds float64) string {
	switch {
	case seconds < 0.1:
		return fmt.Sprintf("%.1f ms", seconds*1e3)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", seconds*1e3)
	}
	return fmt.Sprintf("%.1f s", seconds)
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.0f MB", bytes/1e6) }

// table is a table in Markdown.
type table struct{ b strings.Builder }

// newTable begins a table. All columns but the first are aligned to the right.
func newTable(columns ...string) *table {
	var t table
	t.row(columns...)
	t.b.WriteString("|---|" + strings.Repeat("---:|", len(columns)-1) + "\n")
	return &t
}

func (t *table) row(cells ...string) {
	t.b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
