package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// captureRun is a run of the command capture.
type captureRun struct {
	output
	live, namespace string
	managers, paths []string
	quiet, secrets  bool
}

// captureCommand is the command resource-merge capture (rules/apply: capture).
func captureCommand(s streams) *cobra.Command {
	r := captureRun{}
	c := &cobra.Command{
		Use:   "capture --live FILE PACKAGE [--write | -o DIR | --diff]",
		Short: "Take changes of a cluster into the files of a package",
		Example: `  # Record what is live, with the managers of its fields
  kubectl get deployment,service,configmap -n shop -o yaml --show-managed-fields > live.yaml

  # List the changes that somebody made in the cluster
  resource-merge capture --live live.yaml -n shop shop

  # Write them into the files of the package shop
  resource-merge capture --live live.yaml -n shop shop --write

  # Only the resources of containers, and only by the vertical autoscaler
  resource-merge capture --live live.yaml -n shop shop --diff \
    --path 'spec.template.spec.containers[*].resources' --manager vpa-updater`,
		Long: `capture finds the fields that somebody changed in a cluster since the package was applied,
in live objects that kubectl get wrote to the FILE of --live. It needs no cluster. Without
--write, -o and --diff it lists them, and writes nothing.

It takes what people set: with kubectl edit, patch, scale and set, with k9s, Lens or a
console in a browser. Defaults, status, the replicas that an autoscaler sets, and what other
controllers own are left out; a value of the package that such a manager changed is listed.
--manager and --path choose other managers, and some fields only.

A field that the package has changed since then, too, gets both values between conflict
markers; resource-merge resolve settles them.

The list hides the values of Secrets, and so does --diff without --show-secrets; the files
have them.

The exit code is 0 if the changes were taken, 1 if markers are left or an error occurred,
and 2 for wrong usage.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return misuse("give one PACKAGE, the directory or file whose objects are live")
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveDefault),
		RunE:              func(c *cobra.Command, args []string) error { return r.run(c.Context(), args[0], s) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	addInput(c, &r.live, "live", "read the live objects from `FILE`, which kubectl get -o yaml --show-managed-fields wrote")
	flags.StringVarP(&r.namespace, "namespace", "n", "", "take resources without a namespace for those of the namespace `NAME` (default: the only one of the live objects, else default)")
	flags.StringArrayVar(&r.managers, "manager", nil, "take the fields of the manager `NAME` instead of those that people set; may be repeated")
	flags.StringArrayVar(&r.paths, "path", nil, "take only the field at `PATH` and what is below it, such as spec.replicas; may be repeated")
	r.output.add(c, "change the package's files in place")
	addShowSecrets(c, &r.secrets)
	addQuiet(c, &r.quiet)
	return c
}

// run lists the changes, and writes them or shows a diff.
func (r *captureRun) run(ctx context.Context, where string, s streams) error {
	strategy := apply.Capture{Managers: r.managers}
	for _, text := range r.paths {
		p, err := merge.ParsePattern(text)
		if err != nil {
			return misuse("--path: %v", err)
		}
		strategy.Paths = append(strategy.Paths, p)
	}
	settings := config.Settings{Config: config.Config{Apply: config.Apply{Namespace: r.namespace}}}
	settings.Sources.Origin.From = config.FromLastApplied
	if err := cmp.Or(r.output.check(), checkDirectory(r.dir), settings.Override("", config.Mark, config.Mark)); err != nil {
		return usageError{err}
	}
	if r.secrets && !r.diff {
		return misuse("--show-secrets goes with --diff")
	}
	r.shown = shownText(true, r.secrets)
	list := s.err
	if r.reportOnly = !r.write && r.dir == "" && !r.diff; r.reportOnly {
		list = s.out // the list is the result, which --quiet leaves
	}
	var packages [3]pkgmerge.Package
	var place localPackage
	var err error
	if packages[identity.Local], packages[identity.Upstream], place, err = readWithLive(ctx, &r.output, where, r.live, s); err != nil {
		return err
	}
	if packages[identity.Origin], err = (source.Nothing{}).Read(ctx); err != nil {
		return err
	}
	if err := cmp.Or(checkRecording(packages[identity.Upstream], r.live), checkMarkers([3]pkgmerge.Package{identity.Local: packages[identity.Local]})); err != nil {
		return err
	}
	strategy.Namespace = cmp.Or(r.namespace, onlyNamespace(packages[identity.Upstream]))
	settings.Apply.Namespace = strategy.Namespace
	done, err := mergePackages(ctx, packages, pkgmerge.Options{Strategy: strategy}, settings, s)
	if err != nil {
		return err
	}
	if names := apply.CapturableManagers(done.Result); !slices.ContainsFunc(r.managers, func(m string) bool { return slices.Contains(names, m) }) && r.managers != nil {
		return fmt.Errorf("--manager: no live object has a field of %s; the managers are %s", strings.Join(r.managers, " or "), cmp.Or(strings.Join(names, ", "), "only those that applied the objects"))
	}
	if r.reportOnly || !r.quiet {
		r.list(list, where, done, strategy.Paths)
	}
	return outcome{
		name: directoryName(where), read: packages[identity.Local].Files, result: done.Result,
		parts: []mergedPart{{done, place.prefix, nil}},
	}.finish(ctx, &r.output, nil, place, s)
}

// onlyNamespace returns the namespace of all objects that have one, "" if there are several.
func onlyNamespace(p pkgmerge.Package) (namespace string) {
	for _, r := range p.Resources {
		switch own := r.Meta.Namespace; {
		case own == "" || own == namespace:
		case namespace != "":
			return ""
		default:
			namespace = own
		}
	}
	return namespace
}

// list lists the changes of each object, with the managers that made them, and the conflicts.
func (r *captureRun) list(w io.Writer, where string, done *mergeResult, paths []merge.Pattern) {
	taken, left, conflicts, all := 0, 0, 0, []apply.LiveChange(nil)
	for _, c := range done.Result.Changes {
		changes := apply.Captured(done.Result, c.ID)
		all = append(all, changes...)
		if len(changes) == 0 {
			continue
		}
		value := func(n *yaml.Node) string {
			switch {
			case n != nil && c.ID.Kind == "Secret":
				return "(hidden)"
			case n != nil && n.Kind == yaml.ScalarNode:
				n = &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value} // last-applied has all texts in quotes
			}
			return valueText(n)
		}
		wording.Say(w, "%s  %s", wording.Object(c.ID.Kind, c.ID.Namespace, c.ID.Name), c.File())
		for _, l := range changes {
			word := "leave"
			switch {
			case slices.ContainsFunc(c.Conflicts, func(c merge.Conflict) bool { return c.Path.String() == l.Path.String() }):
				word = "mark"
			case l.Taken:
				word, taken = "take", taken+1
			default:
				left++
			}
			text := fmt.Sprintf("  %-5s  %s: %s -> %s", word, l.Path, value(l.From), value(l.To))
			if l.Managers != nil {
				text += ", set by " + strings.Join(l.Managers, " and ")
			}
			wording.Say(w, "%s", text)
		}
		for _, conflict := range c.Conflicts {
			conflicts++
			file, line := done.locate(c, conflict.Path)
			wording.Say(w, "  conflict at %s:%d: %s was applied as %s, is %s in the package, and %s in the cluster", file, line, conflict.Path,
				value(conflict.Values[identity.Origin]), value(conflict.Values[identity.Local]), value(conflict.Values[identity.Upstream]))
		}
	}
	for i, p := range paths {
		if !slices.ContainsFunc(all, func(l apply.LiveChange) bool { return l.Taken && p.Covers(l.Path) }) {
			wording.Say(w, "--path %s: nobody changed it in the cluster", r.paths[i])
		}
	}
	for _, n := range done.Result.Notices {
		text := n.Text
		if n.Resource != nil {
			text = n.Resource.String() + ": " + text
		}
		wording.Say(w, "%s", text)
	}
	wording.Say(w, "%s: %s of the cluster taken, %d left, %s", directoryName(where), wording.Plural(taken, "change"), left, wording.Plural(conflicts, "conflict"))
}
