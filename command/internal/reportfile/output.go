// Package reportfile parses the user's requests for reports, FORMAT or FORMAT=FILE, and writes the
// reports (rules/reports: where reports go).
package reportfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/report"
)

// Output is a requested report: a format and its file.
type Output struct {
	Format report.Format
	// File is "" for a standard stream; Stdout is set if the user asked for stdout, as -.
	File   string
	Stdout bool
}

// ParseOutput reads FORMAT or FORMAT=FILE, where the format is one of some.
func ParseOutput(text string, formats []report.Format) (Output, error) {
	name, file, named := strings.Cut(text, "=")
	names := FormatNames(formats)
	i := slices.Index(names, name)
	if i < 0 {
		return Output{}, fmt.Errorf("report format %q is not known; known are %s%s", name, strings.Join(names, ", "), wording.DidYouMean(name, names))
	}
	if named && file == "" {
		return Output{}, fmt.Errorf("report %q names no file", text)
	}
	if file == "-" {
		return Output{Format: formats[i], Stdout: true}, nil
	}
	return Output{Format: formats[i], File: file}, nil
}

// FormatNames returns the names of formats.
func FormatNames(formats []report.Format) (names []string) {
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// OnStderr reports whether the report goes to the standard error: text for people does so
// (rules/reports: where reports go).
func (o Output) OnStderr() bool { return o.File == "" && !o.Stdout && o.Format.Name == "text" }

// onStdout reports whether the report goes to the standard output.
func (o Output) onStdout() bool { return o.File == "" && !o.OnStderr() }

// ParseOutputs parses several outputs. It is an error if two reports have one file, or if two
// reports, or a report and something else, go to the standard output.
func ParseOutputs(texts []string, formats []report.Format, stdoutTaken bool) ([]Output, error) {
	var out []Output
	files := map[string]bool{}
	for _, text := range texts {
		o, err := ParseOutput(text, formats)
		if err != nil {
			return nil, err
		}
		switch {
		case o.onStdout() && stdoutTaken:
			return nil, fmt.Errorf("report %s needs a file, %s=FILE: the result, or another report, goes to the standard output", text, o.Format.Name)
		case o.File != "" && files[o.File]:
			return nil, fmt.Errorf("two reports go to %s", o.File)
		}
		stdoutTaken = stdoutTaken || o.onStdout()
		files[o.File] = true
		out = append(out, o)
	}
	return out, nil
}

// Outputs are reports whose files are open, so that opening cannot fail once the package is written.
type Outputs struct {
	all            []openOutput
	stdout, stderr io.Writer
}

// openOutput is a report with its file, nil for a standard stream.
type openOutput struct {
	Output
	file    *os.File
	created bool
}

// Open opens the files of reports. They keep their contents until Write.
func Open(outputs []Output, stdout, stderr io.Writer) (*Outputs, error) {
	out := &Outputs{stdout: stdout, stderr: stderr}
	for _, o := range outputs {
		open := openOutput{Output: o}
		if o.File != "" {
			_, missing := os.Stat(o.File)
			var err error
			if open.file, err = os.OpenFile(o.File, os.O_WRONLY|os.O_CREATE, 0o644); err != nil {
				return nil, errors.Join(fmt.Errorf("report %s: %w", o.Format.Name, err), out.Discard())
			}
			open.created = os.IsNotExist(missing)
		}
		out.all = append(out.all, open)
	}
	return out, nil
}

// Write writes the reports and closes their files.
func (out *Outputs) Write(r *report.Report) error {
	var failed error
	for _, o := range out.all {
		if err := out.write(o, r); err != nil {
			failed = errors.Join(failed, fmt.Errorf("report %s: %w", o.Format.Name, err))
		}
	}
	return failed
}

func (out *Outputs) write(o openOutput, r *report.Report) error {
	switch {
	case o.onStdout():
		return writeText(o.Format, out.stdout, r)
	case o.file == nil:
		return writeText(o.Format, out.stderr, r)
	}
	var err error
	if info, statErr := o.file.Stat(); statErr == nil && info.Mode().IsRegular() {
		err = o.file.Truncate(0)
	}
	if err == nil {
		err = o.Format.Write(o.file, r)
	}
	return cmp.Or(err, o.file.Close())
}

// Discard closes the files without a report, and removes files that Open created.
func (out *Outputs) Discard() error {
	var failed error
	for _, o := range out.all {
		if o.file == nil {
			continue
		}
		err := o.file.Close()
		if o.created {
			err = cmp.Or(err, os.Remove(o.file.Name()))
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
