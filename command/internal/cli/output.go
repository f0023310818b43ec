package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// output has the flags about the result (rules/commands: output): write it to the package's
// directory or another one, or show a diff. Without any of them the documents go to stdout.
type output struct {
	write    bool
	dir      string
	diff     bool
	color    colorFlag
	force    bool
	exitCode bool
	// canForce means that the command has --force.
	canForce bool
	// reportOnly means that the result is reported and not written.
	reportOnly bool
	// shown returns the part of a file that a diff shows; nil shows all.
	shown func([]byte) []byte
	// patches has the settings of patches; asPatches means that the result is written as patches.
	patches   config.Patches
	asPatches bool
}

// add adds the flags to a command. write is the help of --write.
func (o *output) add(command *cobra.Command, write string) {
	o.canForce = true
	flags := command.Flags()
	flags.BoolVar(&o.write, "write", false, write)
	flags.StringVarP(&o.dir, "output", "o", "", "write the merged package into `DIR`, a new directory")
	flags.BoolVar(&o.diff, "diff", false, "show the changes as git diff does, and write nothing")
	flags.BoolVar(&o.force, "force", false, "write over changes that git does not have yet, or into a DIR that is not empty")
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 also if something changes")
	o.color.add(command, "a --diff")
	complete(command, "output", directoryOf())
}

// colorFlag is the value of --color: auto, always or never.
type colorFlag string

func colors() []string { return []string{"auto", "always", "never"} }

// add adds the flag to a command; shown is the part of its output that has colours.
func (f *colorFlag) add(c *cobra.Command, shown string) {
	c.Flags().StringVar((*string)(f), "color", colors()[0], "colour "+shown+" `WHEN`: "+strings.Join(colors(), ", "))
	complete(c, "color", oneOf(colors()))
}

func (f colorFlag) check() error {
	if !slices.Contains(colors(), string(f)) {
		return misuse("--color: %q is not allowed, %s", string(f), wording.Allowed(string(f), colors()))
	}
	return nil
}

// isOn reports whether a stream gets colours. With auto it does if it is a terminal that has them, and
// NO_COLOR is not set (no-color.org).
func (f colorFlag) isOn(stream *os.File) bool {
	if f == "auto" {
		return isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return f == "always"
}

// check returns an error for flags that exclude each other.
func (o *output) check() error {
	if err := o.color.check(); err != nil {
		return err
	}
	var chosen []string
	for _, c := range []struct {
		flag string
		on   bool
	}{{"--write", o.write}, {"-o", o.dir != ""}, {"--diff", o.diff}} {
		if c.on {
			chosen = append(chosen, c.flag)
		}
	}
	if len(chosen) > 1 {
		return misuse("%s and %s exclude each other", chosen[0], chosen[1])
	}
	return nil
}

// writeNew writes a file, which must be new unless force is given: then a regular file is replaced as a whole.
func writeNew(name string, data []byte, force bool) error {
	flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if !force {
		flag |= os.O_EXCL
	}
	if isDirectory(name) == nil {
		return fmt.Errorf("-o: %s is a directory; name a file", name)
	}
	if info, err := os.Lstat(name); err == nil && force && info.Mode().IsRegular() {
		return sink.ReplaceFile(filepath.Dir(name), pkgmerge.File{Name: filepath.Base(name), Mode: info.Mode(), Data: data}, info)
	}
	out, err := os.OpenFile(name, flag, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists; give --force to replace it", name)
	}
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return errors.Join(err, out.Close())
}

// checkDirectory returns an error for a file as the directory of -o, and for - and kubectl's yaml, which would be directories of that
// name.
func checkDirectory(dir string) error {
	if dir == "-" {
		return misuse("-o: - is no directory; name one")
	}
	if dir == "yaml" && isThere(dir) != nil {
		return misuse("-o names a directory, not a format: without -o, --write and --diff the YAML goes to stdout; -o ./yaml makes a directory of that name")
	}
	if info, err := os.Stat(dir); dir != "" && err == nil && !info.IsDir() {
		return fmt.Errorf("-o: %s is a file; name a directory", dir)
	}
	return nil
}

// usesStdout reports whether the result goes to stdout.
func (o *output) usesStdout() bool { return !o.write && o.dir == "" && !o.reportOnly }

// discard is a sink that writes nothing.
type discard struct{}

// Write writes nothing.
func (discard) Write(context.Context, *pkgmerge.Result) error { return nil }

func (o *output) sink(s streams, done outcome, local localPackage) sink.Sink {
	switch {
	case o.reportOnly:
		return discard{}
	case o.asPatches:
		options := patch.PackageOptions{From: o.patches.Side(), Options: o.patches.Options(), Matched: apply.Of(done.result) != nil}
		return patch.Sink{Dir: o.dir, Force: o.force, To: s.data(), PackageOptions: options}
	case o.write:
		return sink.Overwrite{Dir: local.dir, Read: done.read}
	case o.dir != "" && o.force:
		return sink.ForcedDir(o.dir)
	case o.dir != "":
		return sink.Dir(o.dir)
	case o.diff:
		return sink.Diff{To: s.out, Read: done.read, Shown: o.shown, Below: local.prefix, Terminal: isTerminal(s.out), Color: o.color.isOn(s.out)}
	}
	return sink.Stream{To: s.data()}
}

// addPatches adds the flag for patches to a command. what names the objects with patches.
func (o *output) addPatches(c *cobra.Command, what string) {
	flags := c.Flags()
	flags.StringVar(&o.patches.Form, "patches", "", "write a patch for each "+what+", as `FORM`: "+strings.Join(config.PatchForms(), ", "))
	flags.Lookup("patches").NoOptDefVal = string(patch.Auto)
	complete(c, "patches", oneOf(config.PatchForms()))
}

// patchForm returns the argument that is a form of patches, "" if none is: --patches takes its form behind a =.
func patchForm(args []string) string {
	for _, arg := range args {
		if slices.Contains(config.PatchForms(), arg) {
			return arg
		}
	}
	return ""
}

// addPrecondition adds the flag for preconditions to a command whose objects have versions.
func (o *output) addPrecondition(c *cobra.Command) {
	c.Flags().BoolVar(&o.patches.Precondition, "precondition", false, "with --patches: let each patch apply only to the recorded version of its object")
}

// addPatchesFrom adds the flag for the side whose resources the patches apply to.
func (o *output) addPatchesFrom(c *cobra.Command) {
	c.Flags().StringVar(&o.patches.From, "patches-from", "", "with --patches: make patches for `WHOSE` resources: "+strings.Join(config.PatchSides(), ", ")+" (default: "+config.PatchSides()[0]+")")
	complete(c, "patches-from", oneOf(config.PatchSides()))
}

// choose decides whether the result is patches, by a flag or the config. Its errors are errors of usage.
func (o *output) choose(settings *config.Settings) error {
	const exclude, ofConfig = "%s and %s exclude each other", "the config's output: patches"
	if settings.Output == config.OutputOverlay {
		return misuse("the config's output is %s; resource-merge overlay is for that", settings.Output)
	}
	who := ofConfig
	if o.patches.Form != "" {
		who, settings.Output = "--patches", config.OutputPatches
	}
	switch o.asPatches = settings.Output == config.OutputPatches; {
	case !o.asPatches && o.patches.Precondition:
		return misuse("--precondition goes with --patches")
	case !o.asPatches && o.patches.From != "":
		return misuse("--patches-from goes with --patches")
	case !o.asPatches:
		return nil
	case o.diff:
		return misuse(exclude, who, "--diff")
	case o.write:
		return misuse(exclude, who, "--write")
	}
	if f := o.patches.Form; f != "" && !slices.Contains(config.PatchForms(), f) {
		return misuse("--patches: unknown form %q of a patch; want one of %s%s", f, strings.Join(config.PatchForms(), ", "), wording.DidYouMean(f, config.PatchForms()))
	}
	settings.Patches = settings.Patches.With(o.patches)
	o.patches = settings.Patches
	return nil
}

// unpatched returns a sentence about each difference of a merge that no patch has.
func (o *output) unpatched(merged *pkgmerge.Result) (texts []string, err error) {
	if !o.asPatches {
		return nil, nil
	}
	unaddressed, err := patch.Unaddressed(merged, o.patches.Side())
	for _, c := range unaddressed {
		texts = append(texts, fmt.Sprintf("%s differs, and no patch has the difference: it has no name, or is about its package", c.File()))
	}
	for _, f := range merged.FileChanges {
		if f.Versions[o.patches.Side()] == nil && f.Result == nil {
			continue
		}
		if old := f.Versions[o.patches.Side()]; old == nil || f.Result == nil || !slices.Equal(old.Data, f.Result.Data) {
			texts = append(texts, fmt.Sprintf("%s differs, and no patch has the difference: it is not a resource", f.Name))
		}
	}
	return texts, err
}
