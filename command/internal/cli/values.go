package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/progress"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/report"
	"github.com/resource-merge/resource-merge/sink"
	"github.com/resource-merge/resource-merge/source"
	"github.com/resource-merge/resource-merge/values"
)

// valuesRun is a run of the command values.
type valuesRun struct {
	common
	output
	origin, upstream string
	local            []string
	to               string
	prune, render    bool
}

// valuesCommand is the command resource-merge values (rules/values: classes).
func valuesCommand(s streams) *cobra.Command {
	v, asked := valuesRun{}, askedVersion("")
	c := &cobra.Command{
		Use:   "values FILE... [--to VERSION | --upstream CHART] [--origin CHART] [--write | -o FILE | --diff] [--prune] [--render]",
		Short: "Compare a values file with a new version of a chart",
		Example: `  # What a new version means for the values in your HelmRelease; then write both
  resource-merge values release.yaml --to 20.1.0
  resource-merge values release.yaml --to 20.1.0 --write

  # Which lines of your values does the chart not use?
  resource-merge values --upstream redis-19.0.0.tgz --local values.yaml

  # What a new version of a chart means for your values
  resource-merge values --origin redis-18.0.0.tgz --upstream redis-19.0.0.tgz --local values.yaml

  # Move the keys that were renamed, and remove the lines that do nothing
  resource-merge values --origin redis-18.0.0.tgz --upstream redis-19.0.0.tgz --local values.yaml --write --prune

  # Prove each edit with your own helm, and see them as a diff
  resource-merge values --origin charts/v1 --upstream charts/v2 --local values.yaml --prune --render --diff`,
		Long: `Each line of your values file is needed, moved beneath (the default under it changed),
redundant (it is the new default), renamed, dead (nothing in the new chart uses it), unknown
(no version of the chart has it) or refused (by the new chart's values.schema.json). New
blocks and switches that are on by default are listed, and never written.

With none of --write, -o and --diff only the report is printed. They move the keys that were
renamed, with their comments; --prune also removes redundant and dead lines. All other lines
stay as they are. --render renders both charts with the helm in PATH, and takes back each
edit that changes what it should not.

Without --origin your values are compared with one version of the chart: which lines it does
not use, and which key was probably meant.

FILE is a values file, or a manifest with values: a HelmRelease of Flux, an Application or
ApplicationSet of Argo CD, a kustomization with helmCharts, a helmfile, or a fleet.yaml. There
chart and version stand in the manifest, and the chart is downloaded; --to is the new version,
and --write changes version and values in one edit. Of a directory every release is compared.

CHART is a chart's directory or archive, such a directory at a revision of its repository
(charts/redis@v1.2), a remote directory, or a plain values file. Several files of --local
are given in the order in which helm gets them.

Values that go only into a Secret, and those whose key ends in password, token, secret or
key, are hidden in reports; files and differences have them.

The exit code is 0 if the comparison went through, 1 if the schema refuses a line, if with
--exit-code a line is renamed or dead, an edit is pending or a template fails with your
values, or if something failed, and 2 if the command was called in a wrong way.`,
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") && strings.TrimPrefix(string(asked), "true") != "" {
				args = append(args, strings.TrimPrefix(string(asked), "true"))
			}
			return checkNoVersion(args)
		},
		ValidArgsFunction: manifests(),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("version") {
				return asked.print(c)
			}
			v.local = append(v.local, args...)
			return v.run(c.Context(), s)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	addInput(c, &v.origin, "origin", "`CHART`, the version that your values were written for; without it one version is checked")
	addInput(c, &v.upstream, "upstream", "`CHART`, the new version")
	flags.StringArrayVar(&v.local, "local", nil, "`FILE`, your values or manifests, as an argument; - for stdin; later ones win")
	flags.StringVar(&v.to, "to", "", "`VERSION`, the new version of the chart of your manifests")
	flags.BoolVar(&v.write, "write", false, "change the files of --local in place")
	flags.StringVarP(&v.dir, "output", "o", "", "write the changed values to `FILE`, or with - to stdout")
	flags.BoolVar(&v.diff, "diff", false, "show the changes as git diff does, and write nothing")
	flags.BoolVar(&v.prune, "prune", false, "remove redundant and dead lines")
	flags.BoolVar(&v.render, "render", false, "prove the edits with the helm in PATH")
	flags.BoolVar(&v.force, "force", false, "write over changes that git does not have yet, or over a FILE that exists")
	flags.BoolVar(&v.exitCode, "exit-code", false, "exit with 1 while a line is renamed or dead, an edit is pending, or the chart fails, too")
	v.color.add(c, "a --diff")
	v.formats = report.Formats()
	v.addReports(c, "text, on stderr")
	complete(c, "local", manifests())
	asked.add(c)
	return c
}

// checkNoVersion returns an error for an argument that is no file but a version, alone or behind @: --to names the version.
func checkNoVersion(args []string) error {
	isVersion := regexp.MustCompile(`^v?[0-9]+(\.[0-9]+)+([-+][0-9A-Za-z.+-]*)?$`)
	for i, name := range args {
		file, to, found := strings.Cut(name, "@")
		if !found {
			file, to = "FILE", name
			if i > 0 {
				file = args[i-1]
			}
		}
		if isThere(name) != nil && isVersion.MatchString(to) {
			return misuse("%s is no file; did you mean %s --to %s?", name, file, to)
		}
	}
	return nil
}

// checkGiven returns an error that names the flags without which nothing can be compared.
func (v *valuesRun) checkGiven() error {
	return checkGiven([2]string{"FILE", strings.Join(v.local, "")})
}

// check returns an error for flags that are missing or exclude each other.
func (v *valuesRun) check() error {
	if err := v.checkGiven(); err != nil {
		return err
	}
	for i, name := range v.local {
		if slices.ContainsFunc(v.local[:i], func(o string) bool { return filepath.Clean(o) == filepath.Clean(name) }) {
			return misuse("--local: %s is given twice", name)
		}
	}
	if v.dir != "" && len(v.local) > 1 {
		return misuse("-o is for one file of --local; use --write or --diff")
	}
	streams := slices.DeleteFunc(append([]string{v.origin, v.upstream}, v.local...), func(text string) bool { return text != "-" })
	if len(streams) > 1 {
		return misuse("only one of --origin, --upstream and --local can be read from stdin")
	}
	return v.output.check()
}

// checkStdout returns an error if stdout goes to a file of --local: the shell has emptied that before it is read.
func (v *valuesRun) checkStdout(s streams) error {
	for _, name := range v.local {
		if (v.dir == "-" || v.diff) && isStdout(name, s) {
			return misuse("stdout goes to %s, which the shell has emptied; restore it, and give --write or -o", name)
		}
	}
	return nil
}

// checkReports returns an error for a report in the place of a chart or of the user's values.
func (v *valuesRun) checkReports(reports []reportfile.Output) error {
	err := cmp.Or(checkReports(reports, "origin", v.origin), checkReports(reports, "upstream", v.upstream))
	for _, name := range v.local {
		err = cmp.Or(err, checkReports(reports, "local", name))
	}
	return err
}

// run compares, and writes what was asked for.
func (v *valuesRun) run(ctx context.Context, s streams) error {
	if err := cmp.Or(v.check(), v.checkStdout(s)); err != nil {
		return err
	}
	v.reportOnly = !v.write && !v.diff && v.dir == ""
	outputs, err := v.outputs(v.diff || v.dir == "-")
	if err != nil {
		return err
	}
	if err := v.checkReports(outputs); err != nil {
		return err
	}
	if found, err := v.findReleases(ctx, s); err != nil {
		return err
	} else if found != nil {
		return v.runReleases(ctx, found, outputs, s)
	}
	if v.to != "" {
		for _, name := range v.local {
			if _, err := readValues(name); err != nil && name != "-" {
				return fmt.Errorf("local: %w", err)
			}
		}
		return misuse("--to is for a manifest that names its chart; give --upstream for a values file")
	}
	if err := checkGiven([2]string{"--upstream", v.upstream}); err != nil {
		return err
	}
	locals, files, err := v.read(ctx, s)
	if err != nil {
		return err
	}
	upstream, err := readChart(ctx, "upstream", v.upstream, s)
	if err != nil {
		return err
	}
	origin := upstream
	if v.origin != "" {
		if origin, err = readChart(ctx, "origin", v.origin, s); err != nil {
			return err
		}
	}
	line := progress.New(s.err)
	defer line.Clear()
	compared, err := values.Compare(origin, upstream, files)
	if err != nil {
		return err
	}
	kept, err := v.prove(ctx, compared)
	if err != nil {
		return err
	}
	edited, err := compared.Edits(v.prune, func(f *values.Finding) bool { return kept[f] })
	if err != nil {
		return err
	}
	line.Clear()
	locate(compared, files, locals)
	return v.finish(ctx, []*values.Result{compared}, locals, files, edited, outputs, s)
}

// prove returns the findings whose edits change what they should not, where --render asks for the proof.
func (v *valuesRun) prove(ctx context.Context, compared *values.Result) (kept map[*values.Finding]bool, err error) {
	if !v.render {
		return nil, nil
	}
	helm, err := values.Helm()
	if err != nil {
		return nil, fmt.Errorf("--render: %w", err)
	}
	return compared.Prove(ctx, v.prune, helm)
}

// read reads the user's files, and finds where they are.
func (v *valuesRun) read(ctx context.Context, s streams) (locals []localPackage, files []pkgmerge.File, err error) {
	for _, name := range v.local {
		from, read := source.Source(source.File(name)), func() ([]byte, error) { return readValues(name) }
		if name == "-" {
			from, name = source.Nothing{}, "stdin.yaml"
			read = func() ([]byte, error) { return io.ReadAll(s.in) }
		}
		local, err := findLocal(ctx, from, &v.output, s.err)
		if err != nil {
			return nil, nil, err
		}
		data, err := read()
		if err != nil {
			return nil, nil, fmt.Errorf("local: %w", err)
		}
		user := pkgmerge.File{Name: name, Data: data}
		if lines := markerLines(user); lines != nil {
			return nil, nil, fmt.Errorf("%s:%d: the file has conflict markers of an earlier merge; settle and commit them first", name, lines[0])
		}
		if _, err := readConfig("", name); err != nil {
			return nil, nil, err
		}
		locals, files = append(locals, local), append(files, user)
	}
	return locals, files, nil
}

// readValues reads a values file.
func readValues(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w%s", name, errors.Unwrap(err), file.Nearest(name))
	}
	if info.IsDir() {
		return nil, fmt.Errorf("%s is a directory; name a file in it", name)
	}
	return os.ReadFile(name)
}

// readChart reads a version of the chart.
func readChart(ctx context.Context, side, text string, s streams) (*values.Chart, error) {
	from, err := source.Parse(text, s.in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", side, err)
	}
	p, err := from.Read(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", side, err)
	}
	chart, err := values.NewChart(text, p.Files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", side, err)
	}
	return chart, nil
}

// finish writes the files and the reports. Nothing is written if the schema refuses a line.
func (v *valuesRun) finish(ctx context.Context, compared []*values.Result, locals []localPackage, files, edited []pkgmerge.File, outputs []reportfile.Output, s streams) error {
	r := report.NewValues(compared...)
	open, err := reportfile.Open(outputs, s.out, s.err)
	if err != nil {
		return err
	}
	if !r.Summary.Failed {
		err = v.writeFiles(ctx, locals, files, edited, s)
	}
	if err != nil {
		return errors.Join(err, open.Discard())
	}
	if err := open.Write(r); err != nil {
		return err
	}
	if r.Summary.Failed || v.exitCode && v.isPending(compared, files, edited) {
		return exit(failed)
	}
	return nil
}

// isPending reports whether a line is dead and stays, an edit is not written, or a template fails.
func (v *valuesRun) isPending(compared []*values.Result, files, edited []pkgmerge.File) bool {
	isEdited := !slices.EqualFunc(files, edited, func(a, b pkgmerge.File) bool { return bytes.Equal(a.Data, b.Data) })
	return isEdited && !v.write || slices.ContainsFunc(compared, func(r *values.Result) bool {
		return len(r.Failures) > 0 || slices.ContainsFunc(r.Findings, func(f *values.Finding) bool {
			return f.Class == values.Dead && !(v.write && v.prune) || f.Class == values.Renamed && !v.write
		})
	})
}

// locate gives the findings the names that their files have in reports (rules/reports: locations): from the top of the repository, else
// from the working directory, and never from the top of the machine.
func locate(compared *values.Result, files []pkgmerge.File, locals []localPackage) {
	names := map[string]string{"": ""}
	for i, p := range locals {
		name := files[i].Name
		base := filepath.Base(name)
		switch below, err := relativePath(".", filepath.Dir(name)); {
		case p.tree != nil:
			names[name] = path.Join(p.prefix, base)
		case err == nil:
			names[name] = path.Join(below, base)
		default: // another drive
			names[name] = base
		}
	}
	for _, f := range compared.Findings {
		f.File, f.OverriddenBy = names[f.File], names[f.OverriddenBy]
	}
	for i := range compared.Failures {
		compared.Failures[i].File = names[compared.Failures[i].File]
	}
}

// writeFiles writes the values files, or shows how they change. After an error all are as they were.
func (v *valuesRun) writeFiles(ctx context.Context, locals []localPackage, was, is []pkgmerge.File, s streams) error {
	for i := range is {
		err := v.writeFile(ctx, locals[i], was[i], is[i], s)
		if err == nil {
			continue
		}
		for j := 0; j < i && v.write; j++ {
			err = errors.Join(err, v.writeFile(context.WithoutCancel(ctx), locals[j], is[j], was[j], s))
		}
		return err
	}
	return nil
}

// writeFile writes a values file, or shows how it changes.
func (v *valuesRun) writeFile(ctx context.Context, local localPackage, was, is pkgmerge.File, s streams) error {
	if v.dir == "-" {
		_, err := s.data().Write(is.Data)
		return err
	}
	if v.dir != "" {
		return writeNew(v.dir, is.Data, v.force)
	}
	name := filepath.Base(was.Name)
	packageOf := func(data []byte) (pkgmerge.Package, error) {
		return pkgmerge.NewPackage([]pkgmerge.File{{Name: name, Mode: 0o644, Data: data}})
	}
	old, err := packageOf(was.Data)
	if err != nil {
		return err
	}
	edited, err := packageOf(is.Data)
	if err != nil {
		return err
	}
	merged, err := pkgmerge.Merge(ctx, [3]pkgmerge.Package{old, edited, old}, pkgmerge.Options{MergeComments: pkgmerge.CommentNever})
	if err != nil {
		return err
	}
	done := outcome{read: old.Files, result: merged}
	if err := local.checkIgnored(ctx, done, &v.output); err != nil {
		return err
	}
	var to sink.Sink = v.sink(s, done, local)
	return withoutInterrupts(ctx, func() error { return to.Write(ctx, merged) })
}

// valuesHint returns a warning for a merge whose local is one file of few of origin's fields: such a file is not a copy.
func valuesHint(packages [3]pkgmerge.Package, names [3]string) []string {
	var fields [3]int
	for side, p := range packages {
		var values map[string]any
		hasKind := len(p.Resources) > 0 && p.Resources[0].Meta.Kind != "" // known without parsing
		if hasKind || len(p.Files) != 1 || yaml.Unmarshal(p.Files[0].Data, &values) != nil || values["kind"] != nil {
			return nil
		}
		fields[side] = countFields(values)
	}
	if local, origin := fields[identity.Local], fields[identity.Origin]; local == 0 || 4*local > origin {
		return nil
	}
	return []string{fmt.Sprintf("your file has %d of origin's %d fields; if it is a values file over a chart, see resource-merge values --origin %s --upstream %s --local %s",
		fields[identity.Local], fields[identity.Origin], names[identity.Origin], names[identity.Upstream], names[identity.Local])}
}

// countFields counts the fields that are no maps.
func countFields(value any) (n int) {
	m, is := value.(map[string]any)
	if !is {
		return 1
	}
	for _, v := range m {
		n += countFields(v)
	}
	return n
}
