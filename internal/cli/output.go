package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// output says where a merged package goes (design 17.2): at most one of its
// directory, another one and a diff; without one the documents go to stdout.
type output struct {
	write    bool
	dir      string
	diff     bool
	force    bool
	exitCode bool
	// plan says that nothing is wanted but the report.
	plan bool
	// patches is the form of patches that the result goes as, "" where it does not.
	patches      string
	precondition bool
}

// add gives a command the flags. write says what --write does.
func (o *output) add(command *cobra.Command, write string) {
	flags := command.Flags()
	flags.BoolVar(&o.write, "write", false, write)
	flags.StringVarP(&o.dir, "output", "o", "", "put the merged package into `DIR`, a new directory")
	flags.BoolVar(&o.diff, "diff", false, "show what would change, as git does, and write nothing")
	flags.BoolVar(&o.force, "force", false, "write over changes that git does not have yet, or into a DIR that is not empty")
	flags.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 where something changes, too")
	complete(command, "output", directoryOf)
}

// check refuses flags that exclude each other.
func (o *output) check() error {
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
	return o.checkPatches()
}

// addPatches gives a command the flags about patches.
func (o *output) addPatches(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&o.patches, "patches", "", "write a patch for each object that would change, as `FORM`: "+strings.Join(patchForms(), ", "))
	flags.Lookup("patches").NoOptDefVal = string(patch.Auto)
	flags.BoolVar(&o.precondition, "precondition", false, "with --patches: have each apply only to the version of the object that is recorded")
	complete(c, "patches", oneOf(patchForms()))
}

func patchForms() (names []string) {
	for _, f := range patch.Forms() {
		names = append(names, string(f))
	}
	return names
}

// checkPatches refuses what does not go with patches.
func (o *output) checkPatches() error {
	switch {
	case o.patches == "" && o.precondition:
		return misuse("--precondition goes with --patches")
	case o.patches == "":
		return nil
	case o.diff:
		return misuse("--patches and --diff exclude each other")
	}
	if _, err := patch.ParseForm(o.patches); err != nil {
		return misuse("--patches: %s", err)
	}
	return nil
}

// usesStdout reports whether the result goes to stdout.
func (o *output) usesStdout() bool { return !o.write && o.dir == "" && !o.plan }

// nowhere is where a result goes of which only the report is wanted.
type nowhere struct{}

// Write writes nothing.
func (nowhere) Write(context.Context, *pkgmerge.Result) error { return nil }

// sink is where the flags say that the result goes.
func (o *output) sink(s streams, done outcome, local place) sink.Sink {
	switch {
	case o.plan:
		return nowhere{}
	case o.patches != "":
		return sink.Patches{
			Dir: o.dir, To: s.out, From: identity.Local,
			Options: patch.Options{Form: patch.Form(o.patches), Precondition: o.precondition},
		}
	case o.write:
		return sink.Overwrite{Dir: local.dir, Read: done.read}
	case o.dir != "" && o.force:
		return sink.ForcedDir(o.dir)
	case o.dir != "":
		return sink.Dir(o.dir)
	case o.diff:
		return sink.Diff{To: s.out, Read: done.read, Below: local.prefix, Terminal: term.IsTerminal(int(s.out.Fd()))}
	}
	return sink.Stream{To: s.out}
}
