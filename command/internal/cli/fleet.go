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

	"github.com/resource-merge/resource-merge/report"
)

// fleetCommand is the command resource-merge fleet (rules/reports: reports of a fleet).
func fleetCommand(s streams) *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:   "fleet FILE...",
		Short: "Report on the merges of many packages: who conflicts, where, how often the same",
		Example: `  # Each merge has written a report into a directory: --report json=reports/team-1/shop.json
  resource-merge fleet reports

  # What Porch knows of its package variants
  kubectl get packagevariants -A -o json | resource-merge fleet - --format markdown`,
		Long: `fleet reads the reports of many merges and writes one. Conflicts that are the same in
several packages are told once: with what the packages have, and with one rule that
decides them all. A report that cannot be read counts as a package that failed.

A FILE is a report in JSON, a ResourceList or FunctionResultList that a function wrote, or
what kubectl says of Porch's package variants or package revisions; - is stdin. Of a
directory it is each file below it that ends in .json, .yaml or .yml. A package is called
by its file's name below the directory, and as Porch calls it.`,
		RunE: func(_ *cobra.Command, args []string) error {
			if known := report.FleetFormats(); !slices.Contains(known, format) {
				return misuse("--format: %q is not known, known are %s", format, strings.Join(known, ", "))
			}
			runs, err := readRuns(args, s.in)
			if err != nil {
				return err
			}
			return report.NewFleet(runs).Write(s.out, format)
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return misuse("want reports, or a directory that has them")
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", format, "write the report as `FORMAT`: "+strings.Join(report.FleetFormats(), ", "))
	complete(c, "format", oneOf(report.FleetFormats()))
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
	var all []report.Run
	err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.Base(file)
		if file != path {
			if !slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(file)) {
				return nil
			}
			if name, err = filepath.Rel(path, file); err != nil {
				return err
			}
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
