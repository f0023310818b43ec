package cli

import (
	"context"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/internal/config"
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
	// patches say what patches the result goes as, if asked says that it does.
	patches config.Patches
	asked   bool
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
	case o.asked:
		return sink.Patches{Dir: o.dir, Force: o.force, To: s.out, From: o.patches.Side(), Options: o.patches.Options()}
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
