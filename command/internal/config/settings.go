package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Settings are a config, checked, in the terms of the merge.
type Settings struct {
	Config
	policy  pkgmerge.Rules
	lists   []schema.Rule
	renames []identity.Rename
	// strategy is nil if the config names none.
	strategy pkgmerge.Strategy
	// adopt is nil if the config does not say.
	adopt []pkgmerge.Adoption
	// EmptyConfig says that the config of an apply may have no resources, as its place is there.
	EmptyConfig bool
	// Marks says that what no rule decides becomes a marker.
	Marks bool
}

// Read reads a config; nil is none. An unknown kind, field or value is an error
// that names it and what is allowed.
func Read(n *yaml.Node) (Settings, error) {
	if n == nil || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return Settings{}, nil
	}
	if n.Kind != yaml.MappingNode {
		return Settings{}, fmt.Errorf("want a map, found %q", n.Value)
	}
	if len(n.Content) == 0 {
		return Settings{}, nil
	}
	switch kind := yamlnode.Text(yamlnode.Field(n, "kind")); kind {
	case "ConfigMap":
		typed, err := fromConfigMap(yamlnode.Field(n, "data"))
		if err != nil {
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

// load reads the typed kind.
func load(n *yaml.Node, name fieldNames) (s Settings, err error) {
	if err := checkShape("", n, configShape()); err != nil {
		return s, err
	}
	if err := framework.LoadFunctionConfig(kyaml.NewRNode(n), &s.Config); err != nil {
		return s, err
	}
	return s, s.parse(name)
}

// parse reads what the config's strings say, and finds fields that contradict
// each other.
func (s *Settings) parse(name fieldNames) (err error) {
	s.renames, s.lists = nil, nil
	if s.policy, err = s.Conflicts.policy(name); err != nil {
		return err
	}
	if err := s.Sources.check(name); err != nil {
		return err
	}
	if s.strategy, err = s.strategyNamed(s.Strategy, name); err != nil {
		return err
	}
	if err := s.checkOutput(name); err != nil {
		return err
	}
	if err := s.checkApply(s.strategy, name); err != nil {
		return err
	}
	if s.adopt, err = s.adoptions(s.strategy, name); err != nil {
		return err
	}
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

// Mark is the preference of the command line that decides nothing: what no rule decides
// becomes a marker in its file (rules/git: markers).
const Mark = "mark"

// Preferences are the preferences of the command line.
func Preferences() []string { return append([]string{Mark}, preferences()...) }

// Override has flags of the command line replace the strategy and the preference;
// "" leaves what the config says, and where that says nothing, the preference is
// otherwise. An error names the flag.
func (s *Settings) Override(strategy, conflicts, otherwise string) error {
	if allowed := Preferences(); conflicts != "" && !slices.Contains(allowed, conflicts) {
		return fmt.Errorf("--conflicts: %q is not allowed, allowed are %s", conflicts, strings.Join(allowed, ", "))
	}
	s.Strategy = cmp.Or(strategy, s.Strategy)
	s.Conflicts.Prefer = cmp.Or(conflicts, s.Conflicts.Prefer, otherwise)
	if s.Marks = s.Conflicts.Prefer == Mark; s.Marks {
		s.Conflicts.Prefer = ""
	}
	return s.parse(onCommandLine)
}

// Rules say whose version a conflict takes.
func (s Settings) Rules() pkgmerge.Rules { return s.policy }

// Options are the settings as the merge takes them. local's Kptfile says which
// strategy it is to be where the config names none.
func (s Settings) Options(local pkgmerge.Package) (o pkgmerge.Options, err error) {
	o = pkgmerge.Options{
		Strategy: s.strategy, Policy: s.policy, Renames: s.renames, Lists: s.lists, NoInference: !s.inferKeys(),
		MergeComments: s.mergeComments(), NoOrigin: s.Sources.Origin.None, Adopt: s.adopt,
	}
	if o.Strategy == nil {
		o.Strategy, err = pkgmerge.DefaultStrategy(local)
	}
	if err == nil && s.Sources.Origin.From != "" && !isApply(o.Strategy) {
		err = s.checkFrom(o.Strategy)
		o.Strategy = apply.FromLive{Namespace: s.Apply.namespace(), Adopt: s.Apply.adopt()}
	}
	if err == nil {
		_, err = s.adoptions(o.Strategy, inTypedKind)
	}
	return o, err
}

// Applies reports whether the strategy is apply or server-side-apply.
func (s Settings) Applies() bool { return isApply(s.strategy) }

// Keeps reports whether origin's and upstream's items come out too. An apply strategy
// must not take the config out of a package, unless the user says so (rules/apply:
// config).
func (s Settings) Keeps() bool {
	if s.Sources.Keep == nil {
		return s.Applies()
	}
	return *s.Sources.Keep
}
