// Command upgrade measures upgrades of real packages. It takes two revisions of
// a directory of any git repository as origin and upstream, makes local of
// origin by the edits that a fork would make, has the function merge the three,
// and compares the changes of each side with the result, field by field, without
// calling the merge. Beside it stand git merge and, if it is given, kpt pkg
// update on the same three versions. It prints a Markdown table.
//
//	go run ./tests/upgrade --repo ~/src/metallb --origin v0.14.9 --upstream v0.15.3 --dir config
//	go run ./tests/upgrade --packages tests/upgrade/packages.tsv --mirror ~/src
//
// docs/testing.md names the tests that it stands beside.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "upgrade:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	packages, mirror, only string
	repo, dir              string
	origin, upstream       string
	edits, keep, into      string
	kpt, function          string
	verbose, encodings     bool
	patched, lawful        bool
}

func readOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("upgrade", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.packages, "packages", "", "a table of packages; needs --mirror")
	flags.StringVar(&o.mirror, "mirror", "", "the directory with clones of the repositories, as OWNER/NAME")
	flags.StringVar(&o.only, "only", "", "the one package of the table to measure")
	flags.StringVar(&o.repo, "repo", "", "a git repository, also a bare one")
	flags.StringVar(&o.origin, "origin", "", "the revision that the fork was made of")
	flags.StringVar(&o.upstream, "upstream", "", "the revision to upgrade to")
	flags.StringVar(&o.dir, "dir", ".", "the directory of the package in the repository")
	flags.StringVar(&o.edits, "edits", "", "a directory of forks, a directory of edits each; the default is tests/upgrade/edits")
	flags.StringVar(&o.kpt, "kpt", "", "the program kpt, to measure kpt pkg update too and have it run the function")
	flags.StringVar(&o.function, "function", "", "the program resource-merge; the default is to build it")
	flags.StringVar(&o.keep, "keep", "", "a directory to leave the versions and the results in")
	flags.StringVar(&o.into, "into", "", "a Markdown file to put the table into, instead of printing it")
	flags.BoolVar(&o.encodings, "encoded", false, "count what came out of the encoder, and nothing else")
	flags.BoolVar(&o.patched, "patches", false, "make the patches from origin to upstream, apply them, and nothing else; with --verbose print them")
	flags.BoolVar(&o.lawful, "law", false, "merge by every policy, with markers and in git's driver, count what was lost or invented without a conflict, and nothing else; with --verbose print it")
	flags.BoolVar(&o.verbose, "verbose", false, "print each finding to stderr")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if (o.packages == "") == (o.repo == "") || flags.NArg() > 0 {
		return o, fmt.Errorf("want --packages and --mirror, or --repo, --origin and --upstream")
	}
	return o, nil
}

// run measures every package with every fork and prints the table.
func run(args []string, stdout, stderr io.Writer) error {
	o, err := readOptions(args, stderr)
	if err != nil {
		return err
	}
	packages, err := o.list()
	if err != nil {
		return err
	}
	if o.patched {
		return o.patches(stdout, stderr, packages)
	}
	forks, err := readForks(o.edits)
	if err != nil {
		return err
	}
	if o.lawful {
		return o.law(stdout, stderr, packages, forks)
	}
	done, err := o.findPrograms()
	if err != nil {
		return err
	}
	defer done()
	if o.encodings {
		return o.encoded(stdout, packages, forks)
	}
	var rows []row
	for _, p := range packages {
		for _, f := range forks {
			r, err := o.measure(p, f, stderr)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", p.name, f.name, err)
			}
			rows = append(rows, r)
		}
	}
	return o.show(stdout, rows)
}

// list is the packages that the flags ask for.
func (o options) list() ([]pkg, error) {
	if o.packages == "" {
		return []pkg{{name: o.dir, repo: o.repo, origin: o.origin, upstream: o.upstream, dir: o.dir}}, nil
	}
	all, err := readPackages(o.packages, o.mirror)
	if err != nil || o.only == "" {
		return all, err
	}
	all = slices.DeleteFunc(all, func(p pkg) bool { return p.name != o.only })
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no package %q", o.packages, o.only)
	}
	return all, nil
}
