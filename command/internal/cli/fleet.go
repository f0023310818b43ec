package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/report"
)

// fleetCommand is the command resource-merge fleet (rules/reports: reports of a fleet).
func fleetCommand(s streams) *cobra.Command {
	f, old, exitCode := common{}, "", false
	fleet := &report.Fleet{}
	f.formats = fleet.Formats()
	c := &cobra.Command{
		Use:   "fleet FILE...",
		Short: "Report on the merges of many packages: which conflict, where, and how often",
		Example: `  # Each merge has written a report into a directory: --report json=reports/team-1/shop.json
  resource-merge fleet reports

  # Report on the package variants of Porch
  kubectl get packagevariants -A -o json | resource-merge fleet - --report markdown

  # Fail if a package failed or has a conflict
  resource-merge fleet reports --report html=fleet.html --exit-code`,
		Long: `fleet reads the reports of many merges and writes one. It lists a conflict that several
packages have once: with the values of the packages, and with one rule that decides it for
all. A report that cannot be read counts as a package that failed.

FILE is a report in JSON, a ResourceList or FunctionResultList that a function wrote, or
the output of kubectl get for Porch's package variants or package revisions; - is stdin. In
a directory, fleet reads all files that end in .json, .yaml or .yml. A package has the name
of its file below the directory, or the name that Porch gives it.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if old != "" {
				f.reports = append(f.reports, old)
			}
			outputs, err := f.outputs(false)
			if err != nil {
				return err
			}
			runs, err := readRuns(args, s.in)
			if err != nil {
				return err
			}
			*fleet = *report.NewFleet(runs)
			open, err := reportfile.Open(outputs, s.out, s.out) // the report is the result
			if err == nil {
				err = open.Write(nil)
			}
			if err == nil && exitCode && !fleet.IsClean() {
				err = exit(failed)
			}
			return err
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misuse("want reports, or a directory that has them")
			}
			return nil
		},
	}
	f.addReports(c, "text, on stdout")
	c.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 also if a package failed or has a conflict")
	c.Flags().StringVar(&old, "format", "", "the former name of --report")
	_ = c.Flags().MarkHidden("format") // the flag exists
	return c
}

// readRuns reads the reports in the arguments' files and directories.
func readRuns(args []string, stdin io.Reader) ([]report.Run, error) {
	var all []report.Run
	for _, arg := range args {
		if arg == "-" {
			text, err := io.ReadAll(stdin)
			if err != nil {
				return nil, fmt.Errorf("read stdin: %w", err)
			}
			all = append(all, report.ReadRuns(text, "-")...)
			continue
		}
		runs, err := readRunsBelow(arg)
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}

// readRunsBelow reads a report, or the reports in a directory.
func readRunsBelow(path string) ([]report.Run, error) {
	if err := isThere(path); err != nil {
		return nil, err
	}
	var all []report.Run
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := reportName(path, file)
		if err != nil || name == "" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, report.ReadRuns(text, strings.TrimSuffix(filepath.ToSlash(name), filepath.Ext(name)))...)
		return nil
	})
	if err == nil && all == nil {
		err = errors.New(path + " has no reports")
	}
	return all, err
}

// reportName returns the name of a report below a directory, or the base name of the path itself. It returns "" for a file
// that is no report by its extension.
func reportName(path, file string) (string, error) {
	if file == path {
		return filepath.Base(file), nil
	}
	if !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(file)) {
		return "", nil
	}
	return filepath.Rel(path, file)
}
