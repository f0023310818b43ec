package config

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/report"
)

// Sources says which items are on which side (rules/function: sides); the default is
// the directories origin and upstream of the package, and that all else is local's.
type Sources struct {
	Origin   OriginSource `json:"origin"`
	Upstream Source       `json:"upstream"`
	Local    Source       `json:"local"`
	// Keep re-emits origin's and upstream's items, unchanged; the default is
	// false, and true under apply and server-side-apply, where upstream's are the config.
	// A pipeline that runs more than once needs it, or a dir.
	Keep *bool `json:"keep"`
}

// Source is where that side's items lie: a path or a dir.
type Source struct {
	// Path is a directory of the package.
	Path string `json:"path"`
	// Dir is a directory that the function reads itself; a relative one is
	// relative to where it was started.
	Dir string `json:"dir"`
}

// OriginSource is where origin's items lie, a path or a dir, or that there is
// none.
type OriginSource struct {
	// Path is a directory of the package.
	Path string `json:"path"`
	// Dir is a directory that the function reads itself; a relative one is
	// relative to where it was started.
	Dir string `json:"dir"`
	// None says that there is no origin: nothing counts as deleted upstream,
	// and where both have a value upstream's is taken without a conflict.
	None bool `json:"none"`
	// From has origin read from each live object: last-applied, what kubectl apply was
	// given last, or managed-fields, what server-side apply was. It is last-applied under
	// the strategy apply, managed-fields under server-side-apply, and may be last-applied
	// under resource-merge.
	From string `json:"from"`
}

// BySide lists the sources in the order of the sides.
func (s Sources) BySide() [3]Source {
	return [3]Source{{Path: s.Origin.Path, Dir: s.Origin.Dir}, s.Upstream, s.Local}
}

// Configured reports whether any side has a path or dir.
func (s Sources) Configured() bool {
	for _, source := range s.BySide() {
		if source.Path != "" || source.Dir != "" {
			return true
		}
	}
	return false
}

// check finds sources that contradict each other.
func (s Sources) check(name fieldNames) error {
	const both = "%s is %s and %s is %q; give one of them"
	none, from := name("sources.origin.none"), name("sources.origin.from")
	if s.Origin.From != "" && s.Origin.None {
		return fmt.Errorf(both, none, "true", from, s.Origin.From)
	}
	for _, place := range [2][2]string{{"path", s.Origin.Path}, {"dir", s.Origin.Dir}} {
		if s.Origin.From != "" && place[1] != "" {
			return fmt.Errorf(both, from, strconv.Quote(s.Origin.From), name("sources.origin."+place[0]), place[1])
		}
	}
	if s.Origin.None && s.Origin.Path != "" {
		return fmt.Errorf(both, none, "true", name("sources.origin.path"), s.Origin.Path)
	}
	if s.Origin.None && s.Origin.Dir != "" {
		return fmt.Errorf(both, none, "true", name("sources.origin.dir"), s.Origin.Dir)
	}
	sources := s.BySide()
	var path, dir [3]string
	for _, side := range identity.Sides() {
		path[side], dir[side] = name("sources."+side.String()+".path"), name("sources."+side.String()+".dir")
	}
	for _, side := range identity.Sides() {
		source := sources[side]
		if source.Path != "" && source.Dir != "" {
			return fmt.Errorf(both, path[side], strconv.Quote(source.Path), dir[side], source.Dir)
		}
		if err := CheckPath(source.Path); err != nil {
			return fmt.Errorf("%s: %w", path[side], err)
		}
		for other := range side {
			if source.Path != "" && sources[other].Path != "" && CleanPath(source.Path) == CleanPath(sources[other].Path) {
				return fmt.Errorf("%s and %s are both %q; each side needs a directory of its own", path[other], path[side], source.Path)
			}
		}
	}
	return nil
}

// maxPath is the longest path that Linux can open.
const maxPath = 4096

// checkRelative finds a path that is absolute or leads out of the package, or

// that is longer than a path can be.
func CheckPath(p string) error {
	if len(p) > maxPath {
		return fmt.Errorf("path %q has %d bytes, more than %d", wording.Cut(p, report.ShortValue), len(p), maxPath)
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return fmt.Errorf("path %q leads out of the package, want one relative to it", p)
	}
	return nil
}

// CleanPath writes a directory as "" for the package itself, else without
// leading "./" and trailing "/".
func CleanPath(p string) string {
	clean := path.Clean(p)
	if clean == "." {
		return ""
	}
	return clean
}

// ListRule gives a list its keys (rules/schemas: configured keys).
type ListRule struct {
	// Group is the API group, without the version; the default is the core group.
	Group string `json:"group"`
	// Kind is the kind of the resources that have the list.
	Kind string `json:"kind"`
	// Path is that of the list, with [*] for every element of a list above it.
	Path string `json:"path"`
	// Keys are the fields by which elements are told apart, or paths to them such
	// as metadata.name.
	Keys []string `json:"keys"`
}

// rule is the rule as the schema takes it.
func (l ListRule) rule() (schema.Rule, error) {
	rule := schema.Rule{Group: l.Group, Kind: l.Kind}
	if l.Kind == "" {
		return rule, fmt.Errorf("kind: %q is not allowed, allowed is the kind of the resources that have the list", l.Kind)
	}
	pattern, err := merge.ParsePattern(l.Path)
	if err == nil {
		rule.Path, err = pattern.Steps()
	}
	if err != nil {
		return rule, fmt.Errorf("path: %w", err)
	}
	if len(l.Keys) == 0 {
		return rule, fmt.Errorf("keys: [] is not allowed, allowed are one or more fields of the elements")
	}
	for _, name := range l.Keys {
		if slices.Contains(strings.Split(name, "."), "") {
			return rule, fmt.Errorf("keys: %q is not allowed, allowed are fields of the elements, or paths such as metadata.name", name)
		}
		rule.Keys = append(rule.Keys, schema.Key{Name: name})
	}
	return rule, nil
}
