package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

// planRun is a run of the command plan.
type planRun struct {
	common
	output
	live       string
	apply      config.Apply
	serverSide bool
	records    bool
	secrets    bool
	extra      bool
	as         string
}

// planAlias is the former name of the command plan, which sounds as if it changed a cluster. Help does not list it.
const planAlias = "apply"

// planCommand is the command resource-merge plan (rules/apply: the strategy apply).
func planCommand(s streams) *cobra.Command {
	a, files := planRun{}, []string(nil)
	c := &cobra.Command{
		Use:     "plan --live FILE CONFIG",
		Aliases: []string{planAlias},
		Short:   "Plan an apply: show its effect on a recorded cluster",
		Example: `  # Record what is live, where there is access to the cluster
  kubectl get deployment,service,configmap -n shop -o yaml --show-managed-fields > live.yaml

  # Show the effect of an apply, and the changes of others that it would overwrite
  resource-merge plan --live live.yaml -n shop config

  # Show it as a diff of the live objects
  resource-merge plan --live live.yaml -n shop config --diff

  # Write the patches that an apply would send
  resource-merge plan --live live.yaml -n shop config --patches -o patches

  # Fail where a change of somebody else would be lost, as a gate in CI
  resource-merge plan --live live.yaml -n shop config --conflicts fail

  # Whether helm upgrade of Helm 4 will fail, on which fields, and who owns them
  helm template web chart --no-hooks | resource-merge plan --live live.yaml -n shop - --as helm

  # Show the effect of a server-side apply
  resource-merge plan --live live.yaml -n shop config --server-side --field-manager ci`,
		Long: `plan compares CONFIG with live objects that kubectl get wrote to the FILE of --live, and
prints the effect of an apply. It needs no cluster. The plan goes to stdout, or to stderr
with --diff, --patches or -o.

If the package or the cluster has an inventory, the plan is that of kpt live apply: it says
which objects are pruned, kept and skipped, and in which order.

CONFIG and FILE are each a directory, a file, - for documents on stdin, a directory or file
at a revision of its repository (deploy@v1.2), or a remote directory.

The plan does not foresee admission plugins, webhooks and quotas of the cluster, nor the
defaults that the server sets.

Reports and differences hide the values of Secrets, unless --show-secrets shows them in a
difference; documents and patches have them.

The exit code is 0 if the apply would succeed, 1 if the server would refuse it or an error
occurred, and 2 for wrong usage.`,
		Args: func(_ *cobra.Command, args []string) error {
			if form := patchForm(args); form != "" && len(args)+len(files) > 1 {
				return misuse("unknown argument %q; did you mean --patches=%[1]s?", form)
			}
			if len(args)+len(files) != 1 {
				return misuse("give one CONFIG, the directory or file that would be applied")
			}
			return nil
		},
		ValidArgsFunction: firstArgument(cobra.ShellCompDirectiveDefault),
		RunE:              func(c *cobra.Command, args []string) error { return a.run(c.Context(), append(args, files...)[0], s) },
	}
	a.addFlags(c, &files)
	return c
}

// addFlags adds the flags of the command. files gets the arguments that come as flags.
func (a *planRun) addFlags(c *cobra.Command, files *[]string) {
	flags := c.Flags()
	flags.SortFlags = false
	addInput(c, &a.live, "live", "read the live objects from `FILE`, which kubectl get -o yaml wrote")
	flags.StringArrayVarP(files, "filename", "f", nil, "the argument `CONFIG` as a flag, as kubectl apply takes it")
	flags.StringVarP(&a.apply.Namespace, "namespace", "n", "", "use the namespace `NAME` for config without one, and refuse config of another one, as kubectl does (default: default)")
	flags.BoolVar(&a.serverSide, "server-side", false, "foresee kubectl apply --server-side: fields have managers")
	flags.StringVar(&a.as, "as", "", "foresee the apply of `WHO`: kubectl, or helm, which is helm upgrade of Helm 4, on the server by the manager helm (default: kubectl)")
	flags.StringVar(&a.apply.FieldManager, "field-manager", "", "with --server-side: apply as the manager `NAME` (default: kubectl)")
	flags.BoolVar(&a.apply.Force, "force-conflicts", false, "with --server-side: take fields from other managers")
	flags.BoolVar(&a.apply.WithoutOwners, "without-owners", false, "with --conflicts fail: accept live objects that were recorded without their managed fields")
	flags.StringVar(&a.apply.InventoryPolicy, "inventory-policy", "", "apply a package with an inventory to `WHICH` live objects: strict, its own only, or adopt, also those without an inventory (default: strict)")
	flags.StringVarP(&a.dir, "output", "o", "", "write the objects after the apply into `DIR`, a new directory")
	a.color.add(c, "a --diff")
	flags.BoolVar(&a.diff, "diff", false, "show the changes of the live objects as git diff does")
	flags.BoolVar(&a.records, "show-managed-fields", false, "with --diff: show the managed fields and the last-applied configuration, too")
	addShowSecrets(c, &a.secrets)
	flags.BoolVar(&a.extra, "show-extra", false, "list the fields that live objects have and the config does not ask for, with their managers")
	a.addPatches(c, "object that would change")
	a.addPrecondition(c)
	flags.BoolVar(&a.exitCode, "exit-code", false, "exit with 1 also if an object would change")
	a.addConfig(c, "")
	flags.StringVar(&a.conflicts, "conflicts", "", "where somebody else's change would be lost, take `WHOSE` value: upstream takes config's, with a warning; fail is an error (default: the config's preference, else upstream)")
	a.addReports(c, "text, on stdout; with --diff, --patches or -o on stderr")
	complete(c, "output", directoryOf())
	complete(c, "as", oneOf(appliers()))
	complete(c, "conflicts", oneOf(applyPreferences()))
	complete(c, "inventory-policy", oneOf(config.InventoryPolicies()))
}

// appliers returns the clients whose applies can be foreseen.
func appliers() []string { return []string{"kubectl", "helm"} }

// chooseApplier sets the settings of the client whose apply is foreseen.
func (a *planRun) chooseApplier() error {
	switch {
	case a.as == "" || a.as == "kubectl":
		return nil
	case !slices.Contains(appliers(), a.as):
		return misuse("--as: %q is not allowed, %s", a.as, wording.Allowed(a.as, appliers()))
	case a.apply.FieldManager != "" && a.apply.FieldManager != apply.Helm:
		return misuse("--field-manager and --as helm exclude each other: the manager of Helm is %s", apply.Helm)
	}
	a.serverSide, a.apply.FieldManager = true, apply.Helm
	return nil
}

// applyPreferences returns the preferences of an apply: a server does not keep live's value.
func applyPreferences() []string { return []string{"upstream", "fail"} }

// run shows the result of an apply.
func (a *planRun) run(ctx context.Context, where string, s streams) error {
	settings, err := a.settings()
	if err != nil {
		return err
	}
	if err := cmp.Or(a.output.check(), checkDirectory(a.dir)); err != nil {
		return err
	}
	if a.records && !a.diff {
		return misuse("--show-managed-fields goes with --diff")
	}
	if a.secrets && !a.diff {
		return misuse("--show-secrets goes with --diff")
	}
	a.shown = shownText(a.records, a.secrets)
	a.reportOnly = a.dir == "" && !a.diff && !a.asPatches
	if a.reportOnly {
		s.err = s.out // the report is the result, which --quiet leaves
		a.quiet = false
	}
	reports, err := a.outputs(a.diff || a.asPatches && a.dir == "")
	if err != nil {
		return err
	}
	if err := cmp.Or(a.checkReports(reports), checkReports(reports, "the config", where), checkReports(reports, "the live objects", a.live)); err != nil {
		return err
	}
	packages, config, err := a.read(ctx, where, s)
	if err != nil {
		return err
	}
	warnings, err := checkApplied(packages, where, a.live, settings)
	if err != nil {
		return err
	}
	options, err := settings.Options(packages[identity.Local])
	if err != nil {
		return err
	}
	done, err := mergePackages(ctx, packages, options, settings, s)
	if err != nil {
		return err
	}
	return outcome{
		name: directoryName(where), extra: a.extra,
		read: packages[identity.Local].Files, result: done.Result,
		parts: []mergedPart{{done, config.prefix, append(warnings, settings.Idle(done.Result)...)}},
	}.finish(ctx, &a.output, reports, localPackage{}, s)
}

// addShowSecrets adds the flag that shows the values of Secrets in a difference.
func addShowSecrets(c *cobra.Command, show *bool) {
	c.Flags().BoolVar(show, "show-secrets", false, "with --diff: show the values of Secrets, too")
}

// shownText returns the function that returns the part of a text that a difference shows, nil if it shows all.
func shownText(records, secrets bool) func([]byte) []byte {
	hide := apply.HideSecrets()
	switch {
	case records && secrets:
		return nil
	case records:
		return hide
	case secrets:
		return apply.WithoutRecords
	}
	return func(text []byte) []byte { return hide(apply.WithoutRecords(text)) }
}

// checkApplied returns an error if the recording has no document, as kubectl leaves it that failed. Config with a
// kustomization that nobody built is a warning, or an error where conflicts fail the run (rules/apply: config).
func checkApplied(packages [3]pkgmerge.Package, where, live string, settings config.Settings) (warnings []string, err error) {
	if err := checkRecording(packages[identity.Local], live); err != nil {
		return nil, err
	}
	config := packages[identity.Upstream]
	isStream := config.IsStream || where == "-"
	switch {
	case isStream && !slices.ContainsFunc(config.Resources, hasKind):
		return nil, fmt.Errorf("%s has no Kubernetes object; see whether the program that writes it failed", config.Source)
	case len(config.Files) == 0:
		return nil, fmt.Errorf("config: %s has no files; name the directory or file that would be applied", where)
	}
	if text := kustomizationHint(config, where, live); text != "" {
		if settings.Rules().Default == merge.PreferFail {
			return nil, errors.New(text)
		}
		warnings = append(warnings, text)
	}
	return warnings, nil
}

// isEmptyList reports whether a document is a list without items, as one writes a recording of nothing by hand.
func isEmptyList(r *pkgmerge.Resource) bool {
	tree, err := r.Tree()
	items := yamlnode.Field(tree, "items")
	return err == nil && items != nil && items.Kind == yaml.SequenceNode && len(items.Content) == 0
}

// kustomizationHint returns a sentence about a kustomization in config that nobody built, "" if there is none.
func kustomizationHint(config pkgmerge.Package, where, live string) string {
	i := slices.IndexFunc(config.Files, func(f pkgmerge.File) bool { return bookkeeping.IsKustomization(f.Name) })
	if i < 0 {
		return ""
	}
	dir := path.Join(where, path.Dir(config.Files[i].Name))
	return fmt.Sprintf("%s has a kustomization, which an apply of its files does not build; to foresee what it builds, run kustomize build %[1]s | resource-merge plan --live %s -", dir, live)
}

// settings returns the settings of the config and the flags.
func (a *planRun) settings() (config.Settings, error) {
	settings, err := readConfig(a.config, "")
	if err != nil {
		return settings, err
	}
	if err := cmp.Or(a.chooseApplier(), a.checkChoices()); err != nil {
		return settings, err
	}
	settings.EmptyConfig = true // its place is there
	settings.OneNamespace = a.apply.Namespace != "" && a.as != "helm"
	settings.Strategy = a.strategy(settings.Strategy)
	if err := cmp.Or(a.checkManager(settings.Strategy), a.choose(&settings)); err != nil {
		return settings, err
	}
	settings.Apply = settings.Apply.With(a.apply)
	if err := settings.Override("", a.conflicts, ""); err != nil {
		return settings, usageError{err}
	}
	if !settings.Applies() {
		return settings, misuse("the config's strategy is %s; resource-merge merge is for that", settings.Strategy)
	}
	return settings, nil
}

// checkManager returns an error for the flags of managers under a strategy that knows none.
func (a *planRun) checkManager(strategy string) error {
	switch {
	case strategy == apply.Strategy{ServerSide: true}.Name():
		return nil
	case a.apply.FieldManager != "":
		return misuse("--field-manager goes with --server-side")
	case a.apply.Force:
		return misuse("--force-conflicts goes with --server-side")
	}
	return nil
}

// strategy returns the name of the strategy of apply that the flags choose, or the config's.
func (a *planRun) strategy(ofConfig string) string {
	switch {
	case a.serverSide:
		return apply.Strategy{ServerSide: true}.Name()
	case ofConfig == "":
		return apply.Strategy{}.Name()
	}
	return ofConfig
}

// checkChoices returns an error for a value of a flag that is none of its choices.
func (a *planRun) checkChoices() error {
	for _, flag := range [...]struct {
		name, value string
		allowed     []string
	}{
		{"--conflicts", a.conflicts, applyPreferences()},
		{"--inventory-policy", a.apply.InventoryPolicy, config.InventoryPolicies()},
	} {
		if flag.value != "" && !slices.Contains(flag.allowed, flag.value) {
			return misuse("%s: %q is not allowed, %s", flag.name, flag.value, wording.Allowed(flag.value, flag.allowed))
		}
	}
	return nil
}

// read reads the config and the live objects, and finds the config in its repository.
func (a *planRun) read(ctx context.Context, where string, s streams) (packages [3]pkgmerge.Package, config localPackage, err error) {
	packages[identity.Upstream], packages[identity.Local], config, err = readWithLive(ctx, &a.output, where, a.live, s)
	if err == nil {
		packages[identity.Upstream], err = withDocuments(packages[identity.Upstream], packages[identity.Upstream].Files)
	}
	if err == nil {
		packages[identity.Origin], err = source.Nothing{}.Read(ctx)
	}
	return packages, config, err
}

// readWithLive reads config and live objects from the places that their arguments name, and finds the config in its repository.
func readWithLive(ctx context.Context, to *output, where, recording string, s streams) (config, live pkgmerge.Package, place localPackage, err error) {
	if recording == "" {
		return config, live, place, misuse("--live: not given; kubectl get -o yaml --show-managed-fields writes the live objects")
	}
	if recording == "-" && where == "-" {
		return config, live, place, misuse("only one of the live objects and the config can be read from stdin")
	}
	for _, side := range [2]struct {
		name, text, what string
		read             *pkgmerge.Package
	}{{"config", where, "the config", &config}, {"--live", recording, "the live objects", &live}} {
		from, err := source.Parse(side.text, s.in)
		if err := checkOutside(to.dir, side.what, from); err != nil {
			return config, live, place, err
		}
		if err == nil {
			*side.read, err = from.Read(ctx)
		}
		if err == nil && side.read == &config {
			place, err = findLocal(ctx, from, to, s.err)
		}
		if err != nil {
			return config, live, place, fmt.Errorf("%s: %w", side.name, err)
		}
	}
	if live, err = asRecording(live); err != nil {
		return config, live, place, fmt.Errorf("read %s: %w", recording, err)
	}
	return config, live, place, nil
}

// hasKind reports whether a resource has a kind.
func hasKind(r *pkgmerge.Resource) bool { return r.Meta.Kind != "" }

// checkRecording returns an error if a recording of live objects has no document, as kubectl leaves it that failed.
func checkRecording(live pkgmerge.Package, name string) error {
	if slices.ContainsFunc(live.Resources, func(r *pkgmerge.Resource) bool { return hasKind(r) || isEmptyList(r) }) {
		return nil
	}
	if name == "-" {
		name = "stdin"
	}
	if _, err := live.OnlyResources(); err != nil {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return fmt.Errorf("%s has no document, as if kubectl had failed; kubectl get -o yaml records a cluster without these objects as a List with items: []", name)
}
