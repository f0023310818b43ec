package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resource-merge/resource-merge/command/internal/pullrequest"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// prCommand is the command resource-merge pr (docs/pull-requests.md).
func prCommand(s streams) *cobra.Command {
	o := pullrequest.Options{Dir: ".", Update: updatePackage, Review: reviewCommits}
	event := ""
	c := &cobra.Command{
		Use:   "pr [merge|upgrade|review]",
		Short: "Plan the next step on a pull request, for the action and other CI",
		Example: `  # In a workflow of GitHub Actions, on pull_request_target, issue_comment or push
  resource-merge pr merge <"$GITHUB_EVENT_PATH"

  # Update every package, each in a pull request of its own
  resource-merge pr upgrade <"$GITHUB_EVENT_PATH"`,
		Long: `pr reads an event of GitHub as JSON on stdin, works in the repository that is checked out in
the current directory, and prints a plan as JSON: the commit to push, which comment to
write, which pull requests to open. It pushes and writes nothing itself; the action does.

merge merges the base branch into the branch of a pull request in conflict. upgrade updates
packages to their newest versions. Without either, the event says which: upgrade if it is
about no pull request and no push. Nothing of a pull request is executed.

review says what the bumps of a pull request mean for the values and patches over them, as
resource-merge review does, in one comment; in none where every line is needed.

Questions to the API of GitHub are printed as "ask"; their answers go into files below
--answers, and then the command is run once more.

The exit code is 0, 1 if an error occurred, and 2 for wrong usage.`,
		ValidArgsFunction: oneOf([]string{pullrequest.Merge, pullrequest.Upgrade, pullrequest.Review}),
		Args: func(_ *cobra.Command, args []string) error {
			jobs := []string{pullrequest.Merge, pullrequest.Upgrade, pullrequest.Review}
			if len(args) > 1 || len(args) == 1 && !slices.Contains(jobs, args[0]) {
				return misuse("unknown job %q, %s", args[len(args)-1], wording.Allowed(args[len(args)-1], jobs))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if o.Job = strings.Join(args, ""); o.Job != pullrequest.Upgrade && len(o.Packages) > 0 {
				return misuse("--package is for the job upgrade")
			}
			return runPR(c.Context(), o, event, s)
		},
	}
	flags := c.Flags()
	addInput(c, &event, "event", "read the event from `FILE` (default: stdin)")
	addInput(c, &o.Answers, "answers", "read the answers to a plan's questions from the files of the directory `DIR`")
	flags.StringVar(&o.Remote, "remote", "origin", "fetch from the remote `NAME`")
	flags.StringVar(&o.Author, "author", "github-actions[bot]", "take only comments of the user `LOGIN` for own ones")
	flags.StringArrayVar(&o.Packages, "package", nil, "upgrade the package in `DIR`; may be repeated (default: all packages that name their upstream)")
	complete(c, "answers", directoryOf())
	complete(c, "package", directoryOf())
	return c
}

// runPR prints the plan.
func runPR(ctx context.Context, o pullrequest.Options, event string, s streams) error {
	o.Event = s.in
	if event != "" {
		f, err := os.Open(event)
		if err != nil {
			return err
		}
		defer f.Close()
		o.Event = f
	}
	plan, err := pullrequest.Run(ctx, o)
	if err != nil {
		return err
	}
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	if err = out.Encode(plan); err == nil {
		_, err = io.WriteString(s.out, wording.EscapeJSON(text.String()))
	}
	return err
}

// updatePackage runs the command update with --latest on a package below root.
func updatePackage(ctx context.Context, root, dir string) (report, said string, err error) {
	work, err := os.MkdirTemp("", "resource-merge-update-")
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	messages, err := os.Create(filepath.Join(work, "messages"))
	if err != nil {
		return "", "", err
	}
	name := filepath.Join(work, "report.md")
	u := updateRun{latest: true}
	u.color, u.defaultConflicts, u.common.reports = "auto", "upstream", []string{"markdown=" + name}
	dir = filepath.Join(root, filepath.FromSlash(dir))
	err = u.update(ctx, dir, "", dir, streams{in: strings.NewReader(""), out: messages, err: messages})
	err = errors.Join(err, messages.Close())
	text, readErr := os.ReadFile(messages.Name())
	if errors.As(err, new(exit)) {
		err = fmt.Errorf("conflicts are undecided, so nothing is proposed: update it by hand: %s", wording.Cut(strings.Join(strings.Fields(string(text)), " "), 300))
	}
	if err = errors.Join(err, readErr); err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(text)) {
		if said == "" && (strings.Contains(line, " -> ") || strings.Contains(line, "newer than")) {
			_, said, _ = strings.Cut(strings.TrimSpace(line), ": ") // behind the name of the directory
		}
	}
	written, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) { // there is no newer version
		err = nil
	}
	return string(written), said, err
}
