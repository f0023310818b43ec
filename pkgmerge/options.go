package pkgmerge

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Options are the options of a merge. The zero Options are the defaults of the function config (rules/function:
// function config).
type Options struct {
	// Profile says what the versions are to each other; the zero one is Copy.
	Profile Profile
	// Strategy decides the outcome of each resource; nil is the strategy in local's Kptfile, else
	// ResourceMerge. It may be a Driver.
	Strategy Strategy
	// Policy decides conflicts; nil takes upstream's version everywhere.
	Policy Policy
	// Renames are the resources that upstream renamed, for renames without other evidence.
	Renames []identity.Rename
	// Lists give keys to lists that no schema describes.
	Lists []schema.Rule
	// NoInference turns off inferring the keys of lists that neither a schema nor Lists describe: such
	// a list is one value.
	NoInference bool
	// IgnoreSetters means that a setter's comment does not decide a value (rules/fields: values that a machine owns).
	IgnoreSetters bool
	// NullIsValue makes a null a value like any other everywhere, for copies whose sides never delete a field by a
	// null, such as renders of a chart (rules/fields: null).
	NullIsValue bool
	// MergeComments selects the resources that get a `# kpt-merge:` comment, by which a later merge finds a resource
	// under another name.
	MergeComments MergeComments
	// Adopt lists changes that local made to all of its resources and that upstream's new resources
	// get; nil is the namespace, and an empty list leaves new resources unchanged.
	Adopt []Adoption
	// NoOrigin means that there is no origin: no resource counts as deleted upstream, and every difference within a
	// resource or file that both sides have is a conflict (rules/laws: nobody knows).
	NoOrigin bool
	// Bookkeeping reports whether an annotation is not content: it is removed before merging, and stays unchanged on
	// local's resources. nil means the annotations of kpt and kustomize (rules/function: output).
	Bookkeeping func(annotation string) bool
	// Progress, if not nil, gets the number of a stage's resources that are done. Calls do not overlap.
	Progress func(stage string, done, total int)
}

// Profile is the relation of the versions of a merge. Branch and Text decide MergeComments, Adopt, NullIsValue and
// Bookkeeping, whatever the options have there.
type Profile int

const (
	// Copy: local is a copy of upstream's package. A resource or file that local lacks was removed on purpose and stays
	// away (rules/resources: a new apiVersion), and upstream's additions come first at one place.
	Copy Profile = iota
	// Branch: the versions are branches of one repository (rules/git: the commands). A change of something that local
	// lacks is a conflict, local's additions come first, images and nulls are values like any other, and no annotation is
	// bookkeeping. Nothing is adopted, and no merge comment is written.
	Branch
	// Text: the versions are a text within a resource of a copy (rules/fields: YAML in a string). They merge as
	// branches, but for upstream's additions, which come first.
	Text
)

// removalsCollide reports whether a change of something that local lacks is a conflict.
func (p Profile) removalsCollide() bool { return p != Copy }

// MergeComments selects the resources of the result that get a merge comment (rules/identity: written merge
// comments). An existing one stays.
type MergeComments int

const (
	// CommentChanged: the resources that upstream or origin has too and that the merge changes or adds,
	// and the ones of CommentRenamed.
	CommentChanged MergeComments = iota
	// CommentRenamed: only a resource of local with another name or namespace than upstream's. A later
	// merge could not find it without a comment.
	CommentRenamed
	// CommentAlways: every resource that upstream or origin has too.
	CommentAlways
	// CommentNever: none.
	CommentNever
)

// Adoption is a change that local made to all of its resources, and that upstream's new resources get
// too (rules/adopt: what follows).
type Adoption string

const (
	// AdoptNamespace is the namespace that replaced another.
	AdoptNamespace Adoption = "namespace"
	// AdoptNames is a prefix and a suffix of names.
	AdoptNames Adoption = "names"
)

// Adoptions lists the adoptions; the first is the default.
func Adoptions() []Adoption {
	return []Adoption{AdoptNamespace, AdoptNames}
}

// adopts reports whether upstream's new resources get a change of local's.
func (o Options) adopts(a Adoption) bool {
	return o.Adopt == nil && a == AdoptNamespace || slices.Contains(o.Adopt, a)
}

func (o Options) progress(stage string, done, total int) {
	if o.Progress != nil {
		o.Progress(stage, done, total)
	}
}

// Policy decides the conflicts in a resource (rules/conflicts: policies).
type Policy interface {
	For(*Match) merge.Policy
}

// Prefer returns the policy with one preference everywhere.
func Prefer(p merge.Preference) Policy { return Rules{Default: p} }

// Rules is a policy of rules: the first that matches decides, else the default. A rule that prefers the newest leaves
// everything but versions to the rules after it.
type Rules struct {
	Rules   []Rule
	Default merge.Preference
	// asked, if not nil, becomes true once a preference for marks is used: until then, both sides give the same result.
	asked *atomic.Bool
}

// Rule decides the conflicts in some resources. An absent selector matches everything.
type Rule struct {
	Group     *string // the API group, without the version
	Kind      string
	Name      string  // a glob, as path.Match has them
	Namespace *string // "" selects resources without one
	Path      merge.Pattern
	Prefer    merge.Preference
	// Learned describes the earlier decisions at Path from which the rule was learned; "" for any other rule. A learned
	// rule decides no field below its path, and no field that rules may not learn (rules/learn: never learned).
	Learned string
}

// Decides reports whether the rule decides conflicts at a path of a resource with some metadata.
func (r Rule) Decides(meta identity.Meta, at *merge.Path) bool {
	s := subject{group: identity.Group(meta.APIVersion), kind: meta.Kind}
	for _, id := range [2]identity.ID{identity.Entry{Meta: meta}.OwnID(), identity.Entry{Meta: meta}.ID()} {
		s.names = append(s.names, nameInSpace{id.Namespace, id.Name})
	}
	return r.matches(s) && r.covers(at)
}

// covers reports whether the rule decides conflicts at a path of a resource that it selects.
func (r Rule) covers(at *merge.Path) bool {
	return r.Path == nil || r.Path.Covers(at) && (r.Learned == "" || len(r.Path) == len(at.Steps()))
}

// For selects the rules for a resource.
func (r Rules) For(m *Match) merge.Policy {
	return r.indexed().For(m)
}

// first returns the policy of the rules for a resource.
func (r Rules) first(rules []Rule) merge.Policy {
	return func(at *merge.Path) merge.Preference {
		newest := merge.Preference(0)
		for _, rule := range rules {
			if !rule.covers(at) {
				continue
			}
			if rule.Prefer != merge.PreferNewest {
				return r.used(newest | rule.Prefer)
			}
			newest = merge.PreferNewest
		}
		return r.used(newest | r.Default)
	}
}

// used returns a preference that decides a conflict, and notes one for marks.
func (r Rules) used(p merge.Preference) merge.Preference {
	if r.asked != nil && merge.Prefer(p).Marks(nil) {
		r.asked.Store(true)
	}
	return p
}

// subject has the fields by which rules select a resource: the name and namespace that the user gave
// it, and its identity on each side.
type subject struct {
	group, kind string
	names       []nameInSpace
}

type nameInSpace struct{ namespace, name string }

func (m *Match) subject() subject {
	meta := m.Newest().Meta
	s := subject{group: identity.Group(meta.APIVersion), kind: meta.Kind, names: []nameInSpace{{meta.Namespace, meta.Name}}}
	for side, version := range m.Versions {
		if version == nil {
			continue
		}
		id := m.identityOf(identity.Side(side))
		if n := (nameInSpace{id.Namespace, id.Name}); !slices.Contains(s.names, n) {
			s.names = append(s.names, n)
		}
	}
	return s
}

// matches reports whether the rule selects a resource.
func (r Rule) matches(s subject) bool {
	if r.Group != nil && *r.Group != s.group || r.Kind != "" && r.Kind != s.kind {
		return false
	}
	return slices.ContainsFunc(s.names, func(n nameInSpace) bool { return r.isNamed(n.namespace, n.name) })
}

func (r Rule) isNamed(namespace, name string) bool {
	if r.Namespace != nil && *r.Namespace != namespace {
		return false
	}
	named, err := path.Match(r.Name, name)
	return r.Name == "" || named && err == nil
}

// indexedRules are rules that are found by the names of resources, so that rules for many resources do
// not take quadratic time (rules/reading: bounds).
type indexedRules struct {
	Rules
	// by has the indices of rules by the name; by the text at the beginning of the glob; and by the text
	// at its end, if it begins with a *.
	by [3]map[string][]int
	// lengths are the lengths of these texts.
	lengths [3][]int
	// others are the rules without a name, and with a glob that has a * at both ends.
	others []int
}

// The position of the literal text in the glob of a rule.
const (
	whole = iota
	prefix
	suffix
)

func (r Rules) indexed() indexedRules {
	out := indexedRules{Rules: r}
	for how := range out.by {
		out.by[how] = map[string][]int{}
	}
	for i, rule := range r.Rules {
		how, text := literalOf(rule.Name)
		if text == "" {
			out.others = append(out.others, i)
			continue
		}
		out.by[how][text] = append(out.by[how][text], i)
		if !slices.Contains(out.lengths[how], len(text)) {
			out.lengths[how] = append(out.lengths[how], len(text))
		}
	}
	return out
}

// literalOf returns the literal text in the glob of a rule, and its position; "" if there is none.
func literalOf(name string) (how int, text string) {
	const globs = `*?[\`
	at := strings.IndexAny(name, globs)
	if at < 0 {
		return whole, name
	}
	if rest := strings.TrimLeft(name, "*"); at == 0 && rest != name && !strings.ContainsAny(rest, globs) {
		return suffix, rest
	}
	return prefix, name[:at]
}

// For is Rules.For.
func (r indexedRules) For(m *Match) merge.Policy {
	var rules []Rule
	for _, i := range r.about(m) {
		rules = append(rules, r.Rules.Rules[i])
	}
	return r.first(rules)
}

// about returns the indices of the rules that select a resource, in order.
func (r indexedRules) about(m *Match) []int {
	if len(r.Rules.Rules) == 0 {
		return nil
	}
	about := m.subject()
	candidates := slices.Clone(r.others)
	for _, n := range about.names {
		candidates = append(candidates, r.by[whole][n.name]...)
		for _, length := range r.lengths[prefix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[prefix][n.name[:length]]...)
			}
		}
		for _, length := range r.lengths[suffix] {
			if length <= len(n.name) {
				candidates = append(candidates, r.by[suffix][n.name[len(n.name)-length:]]...)
			}
		}
	}
	slices.Sort(candidates)
	return slices.DeleteFunc(slices.Compact(candidates), func(i int) bool { return !r.Rules.Rules[i].matches(about) })
}
