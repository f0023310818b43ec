package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Sources assigns the items to the sides (rules/function: sides). By default, the package's directory origin has
// origin's items, its directory upstream has upstream's, and all others are local's.
type Sources struct {
	Origin   OriginSource `json:"origin"`
	Upstream Source       `json:"upstream"`
	Local    Source       `json:"local"`
	// Keep re-emits origin's and upstream's items, unchanged. A pipeline that runs more than once needs it, or a dir.
	// The default is false, and true under apply and server-side-apply, whose config is upstream's items.
	Keep *bool `json:"keep"`
}

// Source is the place of a side's items: a path or a dir.
type Source struct {
	// Path is a directory of the package.
	Path string `json:"path"`
	// Dir is a directory that the function reads itself. A relative one is relative to the function's
	// working directory.
	Dir string `json:"dir"`
}

// OriginSource is the place of origin's items: a path, a dir, live objects, or none.
type OriginSource struct {
	// Path is a directory of the package.
	Path string `json:"path"`
	// Dir is a directory that the function reads itself. A relative one is relative to the function's
	// working directory.
	Dir string `json:"dir"`
	// None merges without an origin: nothing counts as deleted upstream, and upstream's value is taken,
	// without a conflict, where both sides have one.
	None bool `json:"none"`
	// From reads origin from each live object: last-applied is the last configuration that kubectl apply recorded,
	// managed-fields the fields that a server-side apply owns. It is last-applied under the strategy apply,
	// managed-fields under server-side-apply, and may be last-applied under resource-merge.
	From string `json:"from"`
}

// BySide lists the sources in the order of the sides.
func (s Sources) BySide() [3]Source {
	return [3]Source{{Path: s.Origin.Path, Dir: s.Origin.Dir}, s.Upstream, s.Local}
}

// Configured reports whether any side has a path or dir.
func (s Sources) Configured() bool {
	return s.BySide() != [3]Source{}
}

// check returns an error for sources that contradict each other.
func (s Sources) check(name fieldNames) error {
	if err := s.checkOrigin(name); err != nil {
		return err
	}
	for side, source := range s.BySide() {
		path, dir := fmt.Sprintf("sources.%s.path", identity.Side(side)), fmt.Sprintf("sources.%s.dir", identity.Side(side))
		if err := name.checkBoth(path, quoted(source.Path), dir, quoted(source.Dir)); err != nil {
			return err
		}
		if err := CheckPath(source.Path); err != nil {
			return fmt.Errorf("%s: %w", name(path), err)
		}
		if err := s.checkOwn(identity.Side(side), name); err != nil {
			return err
		}
	}
	return nil
}

// checkOrigin returns an error for two fields that both say where origin is.
func (s Sources) checkOrigin(name fieldNames) error {
	const none, from, path, dir = "sources.origin.none", "sources.origin.from", "sources.origin.path", "sources.origin.dir"
	isNone, fromLive, inPath, inDir := "", quoted(s.Origin.From), quoted(s.Origin.Path), quoted(s.Origin.Dir)
	if s.Origin.None {
		isNone = "true"
	}
	return cmp.Or(name.checkBoth(none, isNone, from, fromLive), name.checkBoth(from, fromLive, path, inPath),
		name.checkBoth(from, fromLive, dir, inDir), name.checkBoth(none, isNone, path, inPath), name.checkBoth(none, isNone, dir, inDir))
}

// checkOwn returns an error if a side has the path of a side before it.
func (s Sources) checkOwn(side identity.Side, name fieldNames) error {
	sources := s.BySide()
	source := sources[side]
	for other := range side {
		if source.Path != "" && sources[other].Path != "" && CleanPath(source.Path) == CleanPath(sources[other].Path) {
			path, otherPath := fmt.Sprintf("sources.%s.path", side), fmt.Sprintf("sources.%s.path", other)
			return fmt.Errorf("%s and %s are both %q; each side needs a directory of its own", name(otherPath), name(path), source.Path)
		}
	}
	return nil
}

// checkBoth returns an error if two fields have values that contradict each other. No value is "".
func (name fieldNames) checkBoth(a, valueA, b, valueB string) error {
	if valueA == "" || valueB == "" {
		return nil
	}
	return fmt.Errorf("%s is %s and %s is %s; give one of them", name(a), valueA, name(b), valueB)
}

// quoted returns a value in quotes, and "" for none.
func quoted(value string) string {
	if value == "" {
		return ""
	}
	return strconv.Quote(value)
}

// maxPath is the longest path that Linux can open.
const maxPath = 4096

// CheckPath returns an error for a path that is absolute, leads out of the package, or is too long.
func CheckPath(p string) error {
	if len(p) > maxPath {
		return fmt.Errorf("path %q has %d bytes, more than %d", wording.Cut(p, wording.ShortValue), len(p), maxPath)
	}
	clean := path.Clean(strings.ReplaceAll(p, `\`, "/"))
	if path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return fmt.Errorf("path %q leads out of the package, want one relative to it", p)
	}
	return nil
}

// CleanPath returns a directory without leading "./" and trailing "/", and "" for the package itself.
func CleanPath(p string) string {
	if p = path.Clean(p); p == "." {
		return ""
	}
	return p
}

// ListRule gives a list its keys (rules/schemas: configured keys).
type ListRule struct {
	// Group is the API group, without the version; the default is the core group.
	Group string `json:"group"`
	// Kind is the kind of the resources that have the list.
	Kind string `json:"kind"`
	// Path is the path of the list, with [*] for every element of a list above it.
	Path string `json:"path"`
	// Keys are the fields that identify an element, or paths to them such as metadata.name.
	Keys []string `json:"keys"`
}

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
