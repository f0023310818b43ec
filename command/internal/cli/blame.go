package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/blame"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/update"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// blameRun is a run of the command blame.
type blameRun struct {
	options blame.Options
	live    string
	asJSON  bool
}

// blameCommand is the command resource-merge blame (rules/blame: sources).
func blameCommand(s streams) *cobra.Command {
	b := blameRun{}
	c := &cobra.Command{
		Use:   "blame [REV --] FILE [PATH]",
		Short: "Tell where each value of a file comes from: upstream, a commit of yours, or a rule",
		Example: `  # Where do the values of a Deployment come from?
  resource-merge blame shop/wordpress.yaml

  # Those of its containers alone
  resource-merge blame shop/wordpress.yaml spec.template.spec.containers

  # Three lines of the file, as it was two commits ago
  resource-merge blame -L 10,+3 HEAD~2 -- shop/wordpress.yaml`,
		Long: `blame shows a file, and in front of each line where its value comes from:

  upstream VERSION (since OLDER)           upstream has the value, since a version that you had
  ours     COMMIT AUTHOR DATE              the commit of your repository that set it
  merge    COMMIT AUTHOR DATE (and VERSION)  both: lines of a text, an image in two parts
  rule     FILE:LINE                       a rule in .resource-merge.yaml decided a conflict

Values are followed through the commits by resource and field, not by lines. So a commit that
only moves, renames, reorders, indents or quotes is never named. Upstream's version is that
of the Kptfile or of upstream in .resource-merge.yaml, next to the file or above it; without
one, all values are yours.

PATH is the path of a field as reports show it, such as spec.template.spec.containers or
spec.template.spec.containers[name="web"].image; a JSON pointer and kubectl's {.spec} are
taken, too. REV is a revision of git; without one, the file is read from the work tree, and
changes that are not committed have a commit of zeros.

Values that may be secret are hidden.

The exit code is 0 if the file was read, 1 if it was not, and 2 for wrong usage.`,
		Args: func(c *cobra.Command, args []string) error { return b.parse(c.ArgsLenAtDash(), args) },
		RunE: func(c *cobra.Command, _ []string) error { return b.run(c.Context(), s) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVarP(&b.options.Ranges, "lines", "L", nil, "show the lines `START,END` only, or START,+N, as git blame takes them; may be repeated")
	addInput(c, &b.live, "live", "join the live objects in `FILE`, which kubectl get -o yaml --show-managed-fields wrote: who changed a field there, and its value")
	complete(c, "live", manifests())
	flags.BoolVar(&b.asJSON, "json", false, "write a list of fields in JSON")
	return c
}

// parse reads the arguments: those before the dashes are a revision.
func (b *blameRun) parse(dashes int, args []string) error {
	if dashes > 0 {
		if dashes > 1 {
			return misuse("want one revision before the --, found %q", args[:dashes])
		}
		b.options.Revision, args = args[0], args[1:]
	} else if len(args) > 1 && dashes < 0 && isThere(args[0]) != nil && isThere(args[1]) == nil { // git takes REV FILE, too
		b.options.Revision, args = args[0], args[1:]
	}
	if len(args) < 1 || len(args) > 2 {
		return misuse("want a FILE, and a PATH of its fields if you like; a revision stands in front: REV -- FILE")
	}
	b.options.File = args[0]
	if len(args) == 2 {
		b.options.Path = cmp.Or(args[1], ".") // an empty path is an error
	}
	if err := b.options.Check(); err != nil {
		return usageError{err}
	}
	return nil
}

// run writes the file with its sources.
func (b *blameRun) run(ctx context.Context, s streams) error {
	b.options.Locks, b.options.Lock, b.options.Rules = []string{"Kptfile", file.Config}, readLock, readRules
	b.options.Warn = func(err error) { wording.Say(s.err, "resource-merge blame: %s", gitrepo.Redact(err.Error())) }
	if b.live != "" {
		live, err := readLive(ctx, b.live, s)
		if err != nil {
			return err
		}
		b.options.Live = &live
	}
	a, err := blame.Run(ctx, b.options)
	if err != nil {
		return err
	}
	if !b.asJSON {
		_, err = io.WriteString(s.out, a.Text())
		return err
	}
	return a.WriteJSON(s.out)
}

// readLock returns the version of upstream that a file of a package has; nil if it has none.
func readLock(dir, name string, text []byte) (*blame.Release, error) {
	if name == "Kptfile" {
		return readKptLock(text), nil
	}
	u, err := config.ReadUpstream(text)
	if err != nil || u == nil {
		return nil, err
	}
	t := update.Tracked{Dir: dir, Upstream: *u}
	return &blame.Release{Name: u.Version, ID: u.At(u.Version), Read: func(ctx context.Context) ([]pkgmerge.File, error) {
		if len(u.Command) > 0 {
			return nil, errors.New("a command renders it, and blame runs none")
		}
		v, err := t.Read(ctx, u.Version)
		if err != nil {
			return nil, err
		}
		p, err := v.Source.Read(ctx)
		return p.Files, err
	}}, nil
}

// readKptLock returns the version of upstream that a Kptfile has; nil if it has none.
func readKptLock(text []byte) *blame.Release {
	remote, version, found := update.Lock(text)
	if !found {
		return nil
	}
	return &blame.Release{Name: version, ID: remote.String(), Read: func(ctx context.Context) ([]pkgmerge.File, error) {
		v, err := gitrepo.Git{}.Fetch(ctx, remote)
		if err != nil {
			return nil, err
		}
		return file.As[pkgmerge.File](v.Files), nil
	}}
}

// readRules returns the rules of a config with their lines.
func readRules(text []byte) (rules []pkgmerge.Rule, lines []int, err error) {
	settings, err := config.ReadText(file.Config, text)
	if err != nil {
		return nil, nil, err
	}
	return settings.Rules().Rules, config.RuleLines(text), nil
}

// readLive reads recorded live objects. What cannot be read is an error, and no empty cluster.
func readLive(ctx context.Context, name string, s streams) (live pkgmerge.Package, err error) {
	from, err := source.Parse(name, s.in)
	if err != nil {
		return live, err
	}
	if live, err = from.Read(ctx); err == nil {
		live, err = asRecording(live)
	}
	if err == nil {
		live, err = live.OnlyResources()
	}
	for _, r := range live.Resources {
		if err == nil {
			_, err = r.Tree()
		}
	}
	if err != nil {
		return live, fmt.Errorf("read %s: %w", name, err)
	}
	return live, checkRecording(live, name)
}
