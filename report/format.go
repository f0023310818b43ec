package report

import (
	"fmt"
	"io"
	"strings"
)

// Format writes reports in one form. A new one is a file of its own, and a line in
// Formats.
type Format interface {
	// Name is what --report calls the format.
	Name() string
	// Write writes a report.
	Write(io.Writer, *Report) error
}

// Formats are all formats (design 19).
func Formats() []Format {
	return []Format{Text{}, JSON{}, Markdown{}, GitHub{}, SARIF{}, JUnit{}, Ledger{}, HTML{}}
}

// FormatNamed finds a format by its name.
func FormatNamed(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name() == name {
			return f, nil
		}
		names = append(names, f.Name())
	}
	return nil, fmt.Errorf("report format %q is not known, known are %s", name, strings.Join(names, ", "))
}
