package config

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Conflicts decides between upstream's and local's version of a value that both changed (rules/conflicts: policies).
type Conflicts struct {
	// Prefer is upstream, the default, local, union, newest or fail. Union merges lists without keys: it keeps each
	// element that a side added, and drops each element that a side removed. Elsewhere it takes upstream's version.
	// Newest takes the newer of two versions, in fields such as image, tag and version. Elsewhere it takes the default.
	Prefer string `json:"prefer"`
	// Rules come first. The first rule that matches decides.
	Rules []ConflictRule `json:"rules"`
}

// ConflictRule decides the collisions in some resources. Every selector is
// optional; one that is absent matches everything.
type ConflictRule struct {
	// Group is the API group, without the version; "" is the core group.
	Group *string `json:"group"`
	// Kind is the kind of the resources.
	Kind string `json:"kind"`
	// Name is a glob of their names, such as web-*. It matches names in the user's package and names in merge comments.
	Name string `json:"name"`
	// Namespace is their namespace; "" matches resources without one.
	Namespace *string `json:"namespace"`
	// Path is the path of a field, as results show it, with [*] for every element of a list. It
	// matches the fields below too.
	Path string `json:"path"`
	// Prefer is upstream, local, union, newest or fail. Newest decides versions
	// only, and leaves other fields to the next rule that matches.
	Prefer string `json:"prefer"`
}

const (
	preferUpstream = "upstream"
	preferLocal    = "local"
	preferUnion    = "union"
	preferNewest   = "newest"
	preferFail     = "fail"
)

func preferences() []string {
	return []string{preferUpstream, preferLocal, preferUnion, preferNewest, preferFail}
}

// policy returns the preferences for the merge. An unknown preference, a bad glob and a bad path are errors.
func (c Conflicts) policy(name fieldNames) (out pkgmerge.Rules, err error) {
	if c.Prefer != "" {
		if out.Default, err = preferenceNamed(c.Prefer); err != nil {
			return out, fmt.Errorf("%s: %w", name("conflicts.prefer"), err)
		}
	}
	for i, r := range c.Rules {
		rule, err := r.rule()
		if err != nil {
			return out, fmt.Errorf("conflicts.rules[%d].%w", i, err)
		}
		out.Rules = append(out.Rules, rule)
	}
	return out, nil
}

func (r ConflictRule) rule() (rule pkgmerge.Rule, err error) {
	rule = pkgmerge.Rule{Group: r.Group, Kind: r.Kind, Name: r.Name, Namespace: r.Namespace}
	if rule.Prefer, err = preferenceNamed(r.Prefer); err != nil {
		return rule, fmt.Errorf("prefer: %w", err)
	}
	if _, err := path.Match(r.Name, ""); err != nil {
		return rule, fmt.Errorf("name: %q is not allowed, allowed is a glob such as web-*: %w", r.Name, err)
	}
	if r.Path != "" {
		if rule.Path, err = merge.ParsePattern(r.Path); err != nil {
			return rule, fmt.Errorf("path: %w", err)
		}
	}
	return rule, nil
}

func preferenceNamed(name string) (merge.Preference, error) {
	i := slices.Index(preferences(), name)
	if i < 0 {
		return 0, fmt.Errorf("%q is not allowed, %s", name, allowedPreferences(name, preferences()))
	}
	return [...]merge.Preference{merge.PreferUpstream, merge.PreferLocal, merge.PreferUnion, merge.PreferNewest, merge.PreferFail}[i], nil
}

// allowedPreferences returns the end of a message about a word that is no preference. It knows git's words for the sides.
func allowedPreferences(word string, allowed []string) string {
	meant := map[string]string{"ours": "local", "mine": "local", "theirs": "upstream"}[word]
	switch {
	case word == Mark:
		return "allowed are " + strings.Join(allowed, ", ") + "; --conflicts mark of resource-merge merge and update marks conflicts, and a config decides them"
	case meant == "":
		return wording.Allowed(word, allowed)
	}
	return "allowed are " + strings.Join(allowed, ", ") + "; did you mean " + meant + "?"
}

// Rename is a resource that upstream renamed, where nothing else tells (rules/identity: by identity).
type Rename struct {
	// Group is the API group, without the version; "" is the core group, and the default is any.
	Group *string `json:"group"`
	// Kind is the kind of the resource.
	Kind string `json:"kind"`
	// From is the name in origin and local: a name in any namespace, or namespace/name.
	From string `json:"from"`
	// To is the name in upstream: a name in the same namespace, or namespace/name.
	To string `json:"to"`
}

func (r Rename) check() error {
	if r.Kind == "" {
		return errors.New(`kind: "" is not allowed, allowed is the kind of the resource that upstream renamed`)
	}
	for _, f := range [2][2]string{{"from", r.From}, {"to", r.To}} {
		if !isName(f[1]) {
			return fmt.Errorf("%s: %q is not allowed, allowed is a name or namespace/name", f[0], f[1])
		}
	}
	return nil
}

// isName reports whether text is a name or namespace/name.
func isName(text string) bool {
	parts := strings.Split(text, "/")
	for _, part := range parts {
		if part == "" || strings.ContainsAny(part, " \t\r\n") {
			return false
		}
	}
	return len(parts) <= 2
}

// Idle returns a warning about each entry of the config that had no effect.
func (s Settings) Idle(merged *pkgmerge.Result) (warnings []string) {
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	meant := resourceHint(merged)
	for _, i := range merged.IdleRenames {
		warn("renames[%d] matches nothing: neither origin nor your copy has a %s %s%s", i, s.Renames[i].Kind, s.Renames[i].From, meant(s.Renames[i].Kind, s.Renames[i].From))
	}
	names, known := upstreamNames(merged)
	for i, r := range s.Renames {
		if !slices.Contains(merged.IdleRenames, i) && !known[[2]string{r.Kind, r.To}] {
			warn("renames[%d] leads nowhere: upstream has no %s %s%s", i, r.Kind, r.To, wording.DidYouMean(r.To, names[r.Kind]))
		}
	}
	if s.Applies() {
		for i := range s.Lists {
			warn("lists[%d] has no effect: kubectl has keys of its own for lists, and none for those of custom resources", i)
		}
	} else {
		for _, i := range merged.IdleLists {
			warn("lists[%d] matches nothing: no %s has a list at %s%s", i, s.Lists[i].Kind, s.Lists[i].Path, meant(s.Lists[i].Kind, ""))
		}
	}
	return append(warnings, s.idleRules(merged.IdleRules, meant)...)
}

// upstreamNames returns the names of upstream's resources by their kinds, without their namespaces and with them, and which
// pairs of a kind and such a name there are.
func upstreamNames(merged *pkgmerge.Result) (names map[string][]string, known map[[2]string]bool) {
	names, known = map[string][]string{}, map[[2]string]bool{}
	for _, c := range merged.Changes {
		r := c.Versions[identity.Upstream]
		if r == nil {
			continue
		}
		for _, name := range [2]string{r.Meta.Name, strings.TrimPrefix(r.Meta.Namespace+"/"+r.Meta.Name, "/")} {
			names[r.Meta.Kind] = append(names[r.Meta.Kind], name)
			known[[2]string{r.Meta.Kind, name}] = true
		}
	}
	return names, known
}

// resourceHint returns a function that returns a hint at a similar kind for a kind that the merge does not have, or at
// a similar name of that kind for a name.
func resourceHint(merged *pkgmerge.Result) func(kind, name string) string {
	var kinds []string
	names := map[string][]string{}
	for _, c := range merged.Changes {
		meta := c.Newest().Meta
		kinds, names[meta.Kind] = append(kinds, meta.Kind), append(names[meta.Kind], meta.Name)
	}
	return func(kind, name string) string {
		switch {
		case !slices.Contains(kinds, kind):
			return wording.DidYouMean(kind, kinds)
		case name == "" || strings.Contains(name, "*") || slices.Contains(names[kind], name):
			return "" // the name selects several resources, or is not at fault
		}
		return wording.DidYouMean(name, names[kind])
	}
}

// idleRules returns a warning about each rule of the config that matched nothing. meant returns a hint at another kind or name.
func (s Settings) idleRules(idle []pkgmerge.IdleRule, meant func(kind, name string) string) (warnings []string) {
	for _, rule := range idle {
		written := s.Conflicts.Rules[rule.Index]
		switch {
		case s.learned[rule.Index] != "": // what was once decided may be gone
		case rule.Selects:
			warnings = append(warnings, fmt.Sprintf("conflicts.rules[%d] matches no field: no resource that it selects has %s", rule.Index, written.Path))
		default:
			warnings = append(warnings, fmt.Sprintf("conflicts.rules[%d] matches no resource%s", rule.Index, meant(written.Kind, written.Name)))
		}
	}
	return warnings
}

// RuleLines returns the lines in which the rules of a config's text begin.
func RuleLines(text []byte) (lines []int) {
	document, err := parseText(text)
	if err != nil || len(document.Content) == 0 {
		return nil
	}
	rules := yamlnode.Resolve(yamlnode.Lookup(completed(document.Content[0]), "conflicts", "rules"))
	for _, rule := range yamlnode.Elements(rules) {
		lines = append(lines, rule.Line)
	}
	return lines
}
