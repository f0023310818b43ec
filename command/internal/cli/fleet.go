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
	"github.com/resource-merge/resource-merge/internal/file"
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
			if err := checkFleetReports(outputs, args); err != nil {
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

// checkFleetReports returns an error for a report of the fleet that is a report of a merge by its place and name: it would destroy
// one, or the next run would read it (rules/reports: where reports go).
func checkFleetReports(reports []reportfile.Output, args []string) error {
	for _, r := range reports {
		for _, arg := range args {
			isIn, err := liesIn(r, arg)
			if err != nil {
				return err
			}
			if r.File != "" && file.IsSame(r.File, arg) || isIn && isManifest(filepath.ToSlash(r.File)) {
				return misuse("--report: %s would count as a report of %s; name a file elsewhere", r.File, arg)
			}
		}
	}
	return nil
}

// reportFile is a file with a report. Its package has the name of the file below the argument that it was found in; dir is
// that argument, "" for a file that the user named.
type reportFile struct{ path, name, dir string }

// readRuns reads the reports in the arguments' files and directories, each file once. Packages whose names would be
// equal have the paths of their files as names.
func readRuns(args []string, stdin io.Reader) ([]report.Run, error) {
	files, err := listReports(args)
	if err != nil {
		return nil, err
	}
	count := map[string]int{}
	for _, f := range files {
		count[f.name]++
	}
	var all []report.Run
	for _, f := range files {
		if count[f.name] > 1 {
			f.name = filepath.ToSlash(f.path)
		}
		text, err := f.read(stdin)
		if err != nil {
			return nil, err
		}
		all = append(all, report.ReadRuns(text, f.name)...)
	}
	return all, nil
}

// read reads the file; - is stdin.
func (f reportFile) read(stdin io.Reader) ([]byte, error) {
	switch {
	case f.dir != "":
		return f.readFound()
	case f.path != "-":
		return os.ReadFile(f.path)
	}
	text, err := io.ReadAll(stdin)
	if err != nil {
		err = fmt.Errorf("read stdin: %w", err)
	}
	return text, err
}

// readFound reads a report that was found in a directory, and nothing outside of that.
func (f reportFile) readFound() ([]byte, error) {
	name, err := filepath.Rel(f.dir, f.path)
	if err != nil {
		return nil, err
	}
	text, err := file.ReadInside(file.Tree(f.dir), name)
	if err != nil {
		err = fmt.Errorf("%s: %w", f.dir, err)
	}
	return text, err
}

// listReports lists the reports that arguments name, without repetitions.
func listReports(args []string) (all []reportFile, err error) {
	listed := map[string]bool{}
	for _, arg := range args {
		found := []reportFile{{path: "-", name: "-"}}
		if arg != "-" {
			if found, err = listReportsBelow(filepath.Clean(arg)); err != nil {
				return nil, err
			}
		}
		for _, f := range found {
			real, err := filepath.EvalSymlinks(f.path)
			if err != nil {
				real = f.path // stdin, or a link that leads nowhere
			}
			if !listed[real] {
				listed[real], all = true, append(all, f)
			}
		}
	}
	return all, nil
}

// listReportsBelow returns a report, or the reports in a directory.
func listReportsBelow(path string) (all []reportFile, err error) {
	if err := isThere(path); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a walk does not follow a link
	}
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := reportName(path, file)
		if err != nil || name == "" {
			return err
		}
		found := reportFile{path: file, name: strings.TrimSuffix(filepath.ToSlash(name), filepath.Ext(name))}
		if file != path {
			found.dir = path
		}
		all = append(all, found)
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
