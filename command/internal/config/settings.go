package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Settings is a config that was checked, as the merge needs it.
type Settings struct {
	Config
	policy  pkgmerge.Rules
	lists   []schema.Rule
	renames []identity.Rename
	// strategy is nil if the config names none, adopt if the config does not set it.
	strategy pkgmerge.Strategy
	adopt    []pkgmerge.Adoption
	// learned has, for each rule, how the conflicts were decided from which it was learned, or "".
	learned []string
	// EmptyConfig reports that the config of an apply may have no resources, since its location exists.
	EmptyConfig bool
	// OneNamespace reports that an apply takes objects of apply.namespace only, and cluster-scoped ones.
	OneNamespace bool
	// Marks reports that conflicts which no rule decides are marked in their files.
	Marks bool
	// localIsTheirs reports that preferences for local take theirs, in git.
	localIsTheirs bool
}

// Read reads a config; nil means no config. The error for an unknown kind, field or value names it and the
// allowed ones.
func Read(n *yaml.Node) (Settings, error) {
	s, err := readNode(n)
	return s, redacted(err)
}

func readNode(n *yaml.Node) (Settings, error) {
	switch {
	case n == nil, n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null", n.Kind == yaml.MappingNode && len(n.Content) == 0:
		return Settings{}, nil
	case n.Kind != yaml.MappingNode:
		return Settings{}, fmt.Errorf("want a map, found %s", kindOf(n))
	}
	switch kind := yamlnode.Text(yamlnode.Field(n, "kind")); kind {
	case "ConfigMap":
		typed, err := fromConfigMap(n)
		if err != nil || len(typed.Content) == 0 { // kpt sends an empty one where nobody gives a config
			return Settings{}, err
		}
		return load(typed, inConfigMap)
	case configKind:
		if v := yamlnode.Text(yamlnode.Field(n, "apiVersion")); v != configAPIVersion {
			return Settings{}, fmt.Errorf("apiVersion %q of a %s is not known, allowed is %s", v, configKind, configAPIVersion)
		}
	default:
		return Settings{}, fmt.Errorf("kind %q is not known, allowed are ConfigMap and %s", kind, configKind)
	}
	return load(n, inTypedKind)
}

// ReadFile reads the config in a file, where apiVersion and kind of the typed kind may be left out, and
// where rules for conflicts, as reports show them, may stand alone (rules/commands: the config file).
func ReadFile(name string) (s Settings, err error) {
	text, err := file.ReadNamed(name)
	if err != nil {
		return s, fmt.Errorf("read the config: %w", err)
	}
	return ReadText(name, text)
}

// ReadFound is ReadFile for a config that was found in a package (rules/files: files beside a package).
func ReadFound(name string) (s Settings, err error) {
	text, err := file.ReadBeside(name)
	if err != nil {
		return s, fmt.Errorf("read the config: %w", err)
	}
	return ReadText(name, text)
}

// ReadText reads the text of a config in a file.
func ReadText(name string, text []byte) (s Settings, err error) {
	document, err := parseText(text)
	if err == nil {
		if len(document.Content) == 0 {
			return s, fmt.Errorf("%s: the file is empty, want fields of the kind %s, such as conflicts", name, configKind)
		}
		if err = checkRules(document.Content[0]); err == nil {
			s, err = Read(completed(document.Content[0]))
		}
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// redacted returns an error without the users and passwords of URLs in a config.
func redacted(err error) error {
	if err == nil {
		return nil
	}
	if text := gitrepo.Redact(err.Error()); text != err.Error() {
		return errors.New(text)
	}
	return err
}

// parseText parses the text of a config. A comment after a CRLF would be attached to the entry before it.
func parseText(text []byte) (document yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))))
	if err = decoder.Decode(&document); err != nil && !errors.Is(err, io.EOF) {
		return document, explained(err, text)
	}
	for err == nil {
		var next yaml.Node
		if err = decoder.Decode(&next); !errors.Is(err, io.EOF) && !isEmptyDocument(next) {
			return document, errors.New("more than one document; a config is one")
		}
	}
	return document, nil
}

// isEmptyDocument reports whether a document has nothing, as one behind a last ---.
func isEmptyDocument(document yaml.Node) bool {
	return len(document.Content) == 1 && document.Content[0].ShortTag() == "!!null"
}

// checkRules returns an error if a list, which stands for the rules of a config, has something else than maps.
func checkRules(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return nil
	}
	for i, rule := range n.Content {
		if rule = yamlnode.Resolve(rule); rule.Kind != yaml.MappingNode {
			return fmt.Errorf("conflicts.rules[%d]: want a map, found %s", i, kindOf(rule))
		}
	}
	return nil
}

// completed returns the config of a fragment.
func completed(n *yaml.Node) *yaml.Node {
	if yamlnode.Field(n, "prefer") != nil { // one rule
		n = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{n}}
	}
	if n.Kind == yaml.SequenceNode {
		n = yamlnode.Put(yamlnode.EmptyMap(), nil, "conflicts", yamlnode.Put(yamlnode.EmptyMap(), nil, "rules", n))
	}
	if n.Kind != yaml.MappingNode {
		return n
	}
	version, kind := yamlnode.Field(n, "apiVersion"), yamlnode.Field(n, "kind")
	if kind == nil {
		n = yamlnode.Put(n, nil, "kind", yamlnode.String(configKind))
	}
	if version == nil && yamlnode.Text(yamlnode.Field(n, "kind")) == configKind {
		n = yamlnode.Put(n, nil, "apiVersion", yamlnode.String(configAPIVersion))
	}
	return n
}

// load reads the typed kind.
func load(n *yaml.Node, name fieldNames) (s Settings, err error) {
	if err := checkShape("", n, reflect.TypeFor[Config]()); err != nil {
		return s, err
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return s, err
	}
	if err := k8syaml.Unmarshal(text, &s.Config); err != nil {
		return s, err
	}
	for _, rule := range yamlnode.Elements(yamlnode.Lookup(n, "conflicts", "rules")) {
		s.learned = append(s.learned, learnedIn(rule))
	}
	return s, s.parse(name)
}

// parse parses the strings of the config. It returns an error for fields that contradict each other.
func (s *Settings) parse(name fieldNames) (err error) {
	s.renames, s.lists = nil, nil
	if s.policy, err = s.Conflicts.policy(name); err != nil {
		return err
	}
	for i, how := range s.learned {
		s.policy.Rules[i].Learned = how
	}
	if err := cmp.Or(s.Upstream.check(), s.Sources.check(name)); err != nil {
		return err
	}
	if s.strategy, err = s.strategyNamed(s.Strategy, name); err != nil {
		return err
	}
	if err := cmp.Or(s.checkOutput(name), s.checkApply(s.strategy, name)); err != nil {
		return err
	}
	if s.adopt, err = s.adoptions(s.strategy, name); err != nil {
		return err
	}
	return s.parseEntries()
}

// parseEntries parses the renames and the rules for lists.
func (s *Settings) parseEntries() error {
	for i, r := range s.Renames {
		if err := r.check(); err != nil {
			return fmt.Errorf("renames[%d].%w", i, err)
		}
		s.renames = append(s.renames, identity.Rename(r))
	}
	for i, l := range s.Lists {
		rule, err := l.rule()
		if err != nil {
			return fmt.Errorf("lists[%d].%w", i, err)
		}
		s.lists = append(s.lists, rule)
	}
	return nil
}

// Mark is the preference of the command line that decides nothing: conflicts are marked in their files
// (rules/git: markers).
const Mark = "mark"

// Preferences returns the preferences of the command line.
func Preferences() []string { return append([]string{Mark}, preferences()...) }

// Override replaces the strategy and the preference by flags of the command line, if they are not "". fallback is the
// preference if neither a flag nor the config has one, and where newest decides nothing. The error names the flag.
func (s *Settings) Override(strategy, conflicts, fallback string) error {
	if allowed := Preferences(); conflicts != "" && !slices.Contains(allowed, conflicts) {
		return fmt.Errorf("--conflicts: %q is not allowed, %s", conflicts, allowedPreferences(conflicts, allowed))
	}
	if strategy != "" && !slices.Contains(allStrategies(), strategy) {
		return fmt.Errorf("--strategy: %q is not allowed, allowed are %s%s", strategy, strings.Join(MergeStrategies(), ", "), wording.DidYouMean(strategy, allStrategies()))
	}
	s.Strategy = cmp.Or(strategy, s.Strategy)
	s.Conflicts.Prefer = cmp.Or(conflicts, s.Conflicts.Prefer, fallback)
	if s.Marks = s.Conflicts.Prefer == Mark; s.Marks {
		s.Conflicts.Prefer = ""
	}
	if err := s.parse(onCommandLine); err != nil || s.Conflicts.Prefer != preferNewest {
		return err
	}
	if s.Marks = fallback == Mark; s.Marks || fallback == "" {
		return nil
	}
	otherwise, err := preferenceNamed(fallback)
	s.policy.Default |= otherwise
	return err
}

// Rules returns the policy of the config.
func (s Settings) Rules() pkgmerge.Rules { return s.policy }

// TakesSide reports whether a preference takes the version of one side.
func (s Settings) TakesSide() bool {
	takes := func(p merge.Preference) bool { return p == merge.PreferUpstream || p == merge.PreferLocal }
	decides := s.Conflicts.Prefer != "" && takes(s.policy.Default)
	return decides || slices.ContainsFunc(s.policy.Rules, func(r pkgmerge.Rule) bool { return takes(r.Prefer) })
}

// WithLocalAsTheirs returns the settings for a merge in git in which local's version is theirs: preferences for local take
// theirs, and those for upstream ours.
func (s Settings) WithLocalAsTheirs() Settings {
	if s.localIsTheirs {
		return s
	}
	s.localIsTheirs, s.policy.Rules = true, slices.Clone(s.policy.Rules)
	swap := func(p *merge.Preference) {
		switch *p {
		case merge.PreferUpstream:
			*p = merge.PreferLocal
		case merge.PreferLocal:
			*p = merge.PreferUpstream
		}
	}
	swap(&s.policy.Default)
	for i := range s.policy.Rules {
		swap(&s.policy.Rules[i].Prefer)
	}
	return s
}

// Merge merges packages for markers, as pkgmerge.MergeMarked does, unless conflicts.prefer decides all conflicts that
// the rules do not. A conflict that is to fail is marked.
func (s Settings) Merge(ctx context.Context, packages [3]pkgmerge.Package, o pkgmerge.Options) (ours, theirs *pkgmerge.Result, err error) {
	rules, fails := s.policy, false
	rules.Rules = slices.Clone(rules.Rules)
	for i := range rules.Rules {
		if r := &rules.Rules[i]; r.Prefer == merge.PreferFail {
			r.Prefer, fails = merge.MarkLocal, true
		}
	}
	decides := s.Conflicts.Prefer != "" && s.Conflicts.Prefer != preferNewest && s.policy.Default != merge.PreferFail
	switch {
	case decides && !fails:
		o.Policy = s.policy
		ours, err = pkgmerge.Merge(ctx, packages, o)
		return ours, ours, err
	case decides:
		rules.Rules = append(rules.Rules, pkgmerge.Rule{Prefer: s.policy.Default})
	}
	return pkgmerge.MergeMarked(ctx, packages, o, rules)
}

// Options returns the options of the merge. If the config names no strategy, local's Kptfile does.
func (s Settings) Options(local pkgmerge.Package) (o pkgmerge.Options, err error) {
	o = pkgmerge.Options{
		Strategy: s.strategy, Policy: s.policy, Renames: s.renames, Lists: s.lists, NoInference: s.InferListKeys != nil && !*s.InferListKeys,
		IgnoreSetters: s.SetterComments != nil && !*s.SetterComments,
		MergeComments: s.mergeComments(), NoOrigin: s.Sources.Origin.None, Adopt: s.adopt,
	}
	if o.Strategy == nil {
		o.Strategy, err = pkgmerge.DefaultStrategy(local)
	}
	if err == nil && s.Sources.Origin.From != "" && !isApply(o.Strategy) {
		err = s.checkFrom(o.Strategy)
		o.Strategy = apply.Capture{Namespace: s.Apply.namespace(), Managers: s.Apply.adopt(), Applied: true}
	}
	if err == nil {
		_, err = s.adoptions(o.Strategy, inTypedKind)
	}
	return o, err
}

// Applies reports whether the strategy is apply or server-side-apply.
func (s Settings) Applies() bool { return isApply(s.strategy) }

// Keeps reports whether the result has origin's and upstream's items too. A strategy of apply keeps the
// config in the package, unless the user says otherwise (rules/apply: config).
func (s Settings) Keeps() bool {
	if s.Sources.Keep == nil {
		return s.Applies()
	}
	return *s.Sources.Keep
}
