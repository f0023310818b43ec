package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/resource-merge/resource-merge/command/internal/config"
	"github.com/resource-merge/resource-merge/command/internal/reportfile"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/report"
)

// common has the flags of all commands that merge (rules/commands: exit codes).
type common struct {
	config    string
	strategy  string
	conflicts string
	// adopt is nil if the flag is not given.
	adopt []string
	// defaultConflicts is the preference if neither flag nor config has one.
	defaultConflicts string
	reports          []string
	// formats are the formats of reports; nil means a merge's.
	formats []report.Format
	quiet   bool
}

// add adds the flags to a command. conflicts is its default preference.
func (c *common) add(command *cobra.Command, conflicts string) {
	c.defaultConflicts = conflicts
	flags := command.Flags()
	c.addConfig(command, " (default: "+file.Config+" in the directory of --local)")
	flags.StringVar(&c.strategy, "strategy", "", "merge by the strategy `NAME`: "+strings.Join(config.MergeStrategies(), ", ")+" (default: the Kptfile's, else resource-merge)")
	flags.StringVar(&c.conflicts, "conflicts", "", "where both sides changed a field, take `WHOSE` value: "+strings.Join(config.Preferences(), ", ")+"; mark writes both with markers, fail writes nothing (default: the config's, else "+conflicts+")")
	flags.StringSliceVar(&c.adopt, "adopt", nil, "give resources that upstream adds `WHAT` local gave to all resources, separated by commas: "+strings.Join(config.Adoptions(), ", ")+"; \"\" leaves them as upstream has them (default: the config's, else "+config.Adoptions()[0]+")")
	complete(command, "strategy", oneOf(config.MergeStrategies()))
	complete(command, "adopt", oneOf(config.Adoptions()))
	complete(command, "conflicts", oneOf(config.Preferences()))
	c.addReports(command, "text, on stderr")
}

// addConfig adds the flag for a config to a command; otherwise ends its help.
func (c *common) addConfig(command *cobra.Command, otherwise string) {
	addInput(command, &c.config, "config", "read settings from `FILE`, of the kind ResourceMerge; flags override it"+otherwise)
	complete(command, "config", manifests())
}

// addReports adds the flags for reports to a command. usual describes the default report.
func (c *common) addReports(command *cobra.Command, usual string) {
	flags := command.Flags()
	flags.StringArrayVar(&c.reports, "report", nil, "write the report as `FORMAT[=FILE]`: "+strings.Join(reportfile.FormatNames(c.knownFormats()), ", ")+"; may be repeated (default: "+usual+")")
	addQuiet(command, &c.quiet)
	complete(command, "report", reportFlag(reportfile.FormatNames(c.knownFormats())))
}

// addQuiet adds the flag that leaves out messages on stderr but errors.
func addQuiet(c *cobra.Command, quiet *bool) {
	c.Flags().BoolVarP(quiet, "quiet", "q", false, "do not report on stderr")
}

// settings returns the settings of the config, which may lie in the directory of --local, and the flags. choose
// checks the output.
func (c *common) settings(local string, choose func(*config.Settings) error) (config.Settings, error) {
	settings, err := readConfig(c.config, local)
	if err != nil {
		return settings, err
	}
	if err := choose(&settings); err != nil {
		return settings, err
	}
	if c.adopt != nil {
		settings.Adopt = c.adopt
	}
	if err := settings.Override(c.strategy, c.conflicts, c.defaultConflicts); err != nil {
		return settings, usageError{err}
	}
	if settings.Applies() {
		err = fmt.Errorf("strategy %s foresees an apply and merges no versions; resource-merge plan --help shows how to use it", settings.Strategy)
	}
	if err != nil && c.strategy != "" {
		err = usageError{err}
	}
	return settings, err
}

// readConfig reads the config that the user names, else the one in local's top directory.
func readConfig(named, local string) (config.Settings, error) {
	if named == "" && local != "" {
		if info, err := os.Stat(local); err == nil && !info.IsDir() {
			local = filepath.Dir(local)
		}
		if found := usualConfig(local); found != "" {
			return config.ReadFound(found)
		}
		return config.Settings{}, checkConfigName(local)
	}
	if named == "" {
		return config.Settings{}, nil
	}
	return config.ReadFile(named)
}

// usualConfig returns the config in a directory, "" if there is none.
func usualConfig(dir string) string {
	usual := filepath.Join(dir, file.Config)
	if _, err := os.Lstat(usual); err != nil {
		return ""
	}
	return usual
}

// checkConfigName returns an error if a directory has a config by a mistyped name, whose rules would count for nothing.
func checkConfigName(dir string) error {
	if mistyped := filepath.Join(dir, strings.TrimSuffix(file.Config, ".yaml")+".yml"); isThere(mistyped) == nil {
		return fmt.Errorf("%s is not read: the config of a copy is called %s; rename it", mistyped, file.Config)
	}
	return nil
}

// outputs returns the requested reports. The default is text on stderr, which quiet suppresses.
// stdoutTaken means that the result goes to stdout.
func (c *common) outputs(stdoutTaken bool) ([]reportfile.Output, error) {
	texts := c.reports
	if len(texts) == 0 {
		texts = []string{"text"}
	}
	all, err := reportfile.ParseOutputs(texts, c.knownFormats(), stdoutTaken)
	if err != nil {
		return nil, usageError{err}
	}
	var out []reportfile.Output
	for _, o := range all {
		if c.quiet && o.OnStderr() {
			continue
		}
		out = append(out, o)
	}
	return out, nil
}

// knownFormats returns the formats of the command's reports.
func (c *common) knownFormats() []report.Format {
	if c.formats != nil {
		return c.formats
	}
	return report.Formats()
}

// checkGiven returns an error that names the flags without a value; each flag is a name and a value.
func checkGiven(flags ...[2]string) error {
	var missing []string
	for _, f := range flags {
		if f[1] == "" {
			missing = append(missing, f[0])
		}
	}
	if missing == nil {
		return nil
	}
	return misuse("%s: not given", strings.Join(missing, ", "))
}

// addInput adds a flag that names an input (rules/commands: flags given twice).
func addInput(c *cobra.Command, to *string, name, usage string) {
	c.Flags().Var((*input)(to), name, usage)
}

// input is the value of a flag that names an input. Of two names the last would win without a word.
type input string

// Set sets the value, which may be given once.
func (i *input) Set(text string) error {
	if *i != "" && string(*i) != text {
		return fmt.Errorf("it is %s already; give one", *i)
	}
	*i = input(text)
	return nil
}

func (i *input) String() string { return string(*i) }

// Type returns the type of the value, as pflag names it.
func (i *input) Type() string { return "string" }

// completion completes an argument or a flag's value in a shell.
type completion = cobra.CompletionFunc

// oneOf completes one of some names.
func oneOf(names []string) completion {
	return cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)
}

// directoryOf completes a flag with directories.
func directoryOf() completion {
	return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
}

// firstArgument completes the first argument with files or directories.
func firstArgument(with cobra.ShellCompDirective) completion {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, with
	}
}

// manifests completes a flag with YAML files.
func manifests() completion {
	return cobra.FixedCompletions([]string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt)
}

// reportFlag completes FORMAT[=FILE]: first the format, then any file.
func reportFlag(formats []string) completion {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		if strings.Contains(typed, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return formats, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// completeCommand completes the name of a command.
func completeCommand(c *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, sub := range c.Root().Commands() {
			if !sub.Hidden { // cobra's own
				names = append(names, sub.Name()+"\t"+sub.Short)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// complete sets the completion of a flag. cobra returns an error only if the flag does not exist or
// already has a completion.
func complete(c *cobra.Command, flag string, with completion) {
	_ = c.RegisterFlagCompletionFunc(flag, with)
}

// explainFlag proposes the flag that a mistyped or shortened one most likely means.
func explainFlag(c *cobra.Command, err error) error {
	unknown := (*pflag.NotExistError)(nil)
	isUnknown := errors.As(err, &unknown)
	if isUnknown && unknown.GetSpecifiedName() == "f" && c.Flags().Lookup("local") != nil { // as of helm and kubectl
		return misuse("%w; did you mean --local?", err)
	}
	if !isUnknown || len(unknown.GetSpecifiedName()) < 2 {
		return usageError{err}
	}
	name := unknown.GetSpecifiedName()
	if way := sideByAnswers(c, name); way != "" {
		return misuse("%w; %s", err, way)
	}
	if here := flagOfOthers(c, name); here != "" {
		return misuse("%w; did you mean %s?", err, here)
	}
	var names, longer []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if strings.HasPrefix(f.Name, name) {
			longer = append(longer, f.Name)
		}
	})
	nearest := wording.Nearest(name, names)
	if len(longer) == 1 || nearest == "" && len(longer) <= 3 {
		nearest = strings.Join(longer, " or --")
	}
	if nearest != "" {
		err = fmt.Errorf("%w; did you mean --%s?", err, nearest)
	}
	return usageError{err}
}

// flagOfOthers returns a command's flag, with its dashes, that does what a flag of another name does in git, helm, kpt, kubectl or
// kustomize; "" for none.
func flagOfOthers(c *cobra.Command, name string) string {
	for _, f := range [...]struct{ theirs, here string }{
		{"dry-run", "diff"}, {"dryrun", "diff"}, {"base", "origin"}, {"ancestor", "origin"}, {"old", "origin"}, {"ours", "local"}, {"mine", "local"},
		{"current", "local"}, {"theirs", "upstream"}, {"new", "upstream"}, {"in-place", "write"}, {"inplace", "write"},
		{"filename", "local"}, {"values", "local"}, {"silent", "quiet"}, {"yes", "force"}, {"favor", "conflicts"}, {"check", "exit-code"}, {"chart", "upstream"}, {"json", "report"}, {"format", "report"}, {"strategy-option", "conflicts"},
	} {
		if f.theirs == name && c.Flags().Lookup(f.here) != nil {
			return "--" + f.here
		}
	}
	if slices.Contains([]string{"output", "out", "output-dir"}, name) && c.Flags().ShorthandLookup("o") != nil {
		return "-o"
	}
	return ""
}

// sideByAnswers returns the way to take one side of all conflicts with a command that asks about each, for a flag that does so in git;
// "" for another flag or command.
func sideByAnswers(c *cobra.Command, name string) string {
	key, isSide := map[string]string{"ours": "l", "theirs": "u", "local": "l", "upstream": "u"}[name]
	switch {
	case !isSide:
		return ""
	case c.Name() == "resolve":
		return fmt.Sprintf("it asks about each conflict; did you mean yes %s | resource-merge resolve?", key)
	case c.Name() == "solve":
		return fmt.Sprintf("it merges, and takes no side; yes %s | resource-merge resolve then takes one in the conflicts that are left", key)
	}
	return ""
}

// explainDash adds the flag that is most likely meant to the error of a command, where an argument is the name of a flag behind one
// dash: -origin is read as -o rigin.
func explainDash(c *cobra.Command, args []string, err error) error {
	if !errors.As(err, new(usageError)) {
		return err
	}
	for _, arg := range args {
		name, isShort := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(name, "=")
		if isShort && len(name) > 1 && c.Flags().Lookup(name) != nil {
			return misuse("-%s has one dash; did you mean --%[1]s?", name)
		}
	}
	return err
}

// Exit codes of the commands (rules/commands: exit codes).
const (
	// ok: merged.
	ok = 0
	// failed: an error, or unresolved conflicts; with --exit-code also any change.
	failed = 1
	// misused: a flag or argument is not allowed, or its value is not.
	misused = 2
	// interrupted: SIGINT or SIGTERM came.
	interrupted = 130
)
