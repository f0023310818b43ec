package values

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/secrecy"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Class is the class of a line of a user's values (rules/values: classes).
type Class string

// The classes of lines, and of new defaults.
const (
	Needed       Class = "needed"
	MovedBeneath Class = "moved-beneath"
	Redundant    Class = "redundant"
	Renamed      Class = "renamed"
	Dead         Class = "dead"
	Unknown      Class = "unknown"
	Refused      Class = "refused"
	New          Class = "new"
)

// Classes returns all classes, in the order in which they are counted.
func Classes() []Class {
	return []Class{Needed, MovedBeneath, Redundant, Renamed, Dead, Unknown, Refused, New}
}

// Finding is the class of one line of the user's values, or a new default.
type Finding struct {
	Class Class
	// Path and NewPath are paths of fields; NewPath is nil unless the field moved.
	Path, NewPath []string
	// File and Line are the place of the line; of a new default they are empty.
	File string
	Line int
	// Value is the user's; OldDefault and NewDefault are the charts'. HasOld and HasNew say that there are such.
	Value, OldDefault, NewDefault any
	HasOld, HasNew                bool
	// Candidates are fields that the line may have been renamed to.
	Candidates [][]string
	// Nearest is a field that an unknown one, or one that the schema does not know, may be meant for.
	Nearest []string
	// OverriddenBy is the later file that overrides the line, "" if none does.
	OverriddenBy string
	// Reshaped says that the new chart has a value of another form there: a map, a list, one value, or a list of other elements.
	Reshaped bool
	// Note says why a line is of its class, where that is not certain.
	Note string
	// Secret says that the value is not to be shown.
	Secret bool

	line *line
	// stays says that the line is never removed.
	stays bool
	// isSecret reports whether the value at a path is not to be shown, nil if it is known of no value.
	isSecret func(path []string) bool
}

// Result is the comparison of a user's values with two versions of a chart.
type Result struct {
	// Name is the name of the release whose values were compared, "" for values files.
	Name string
	// Findings has the findings of the user's lines in their order, then the refusals and the new defaults.
	Findings []*Finding
	// Origin and Upstream are the two versions.
	Origin, Upstream *Chart
	// Unread has a sentence about each reference of a schema to something outside of its file, which is not read.
	Unread []string
	// Failures are the calls of fail and required in the new chart's templates that the values reach.
	Failures []Failure

	files []*userFile
	// isField reports whether a version of the chart or the user's values have a field at a path.
	isField func(path []string) bool
}

// comparison is the work of Compare.
type comparison struct {
	old, now           *defaults
	oldUses, nowUses   *follower
	origin, upstream   *Chart
	user               tree
	lines              []*line
	renames            []rename
	present            map[string]bool // the joined paths of the maps of the user that have a line which the new chart uses
	candidatesByPath   map[string][][]string
	newFields, goneKey [][]string
	// oldCounts and nowCounts are nil until isOnly asks.
	oldCounts, nowCounts map[string]int
	names                int // the number of names that were compared with those of unknown fields
}

// Compare classes each line of a user's values files. A later file overrides an earlier one.
func Compare(origin, upstream *Chart, files []pkgmerge.File) (*Result, error) {
	c, err := newComparison(origin, upstream)
	if err != nil {
		return nil, err
	}
	result := &Result{Origin: origin, Upstream: upstream, isField: c.isField}
	if result.files, err = c.read(files); err != nil {
		return nil, err
	}
	c.oldUses = origin.follow(c.old.values, c.user)
	if c.nowUses = c.oldUses; upstream != origin {
		c.nowUses = upstream.follow(c.now.values, c.user)
	}
	c.present = c.usedMaps()
	c.findRenames()
	for _, l := range c.lines {
		result.Findings = append(result.Findings, c.class(l))
	}
	c.keepMapsWhole(result.Findings)
	c.keepMapsWithNulls(result.Findings)
	if upstream.isFile {
		withoutTemplates(result.Findings)
	}
	refused, unread, err := c.refusals(result.Findings)
	if err != nil {
		return nil, err
	}
	result.Findings, result.Unread = append(result.Findings, refused...), unread
	result.Findings = append(result.Findings, c.newDefaults()...)
	result.Failures = c.failures()
	return result, nil
}

// newComparison reads the defaults of both versions of a chart.
func newComparison(origin, upstream *Chart) (c *comparison, err error) {
	c = &comparison{origin: origin, upstream: upstream, user: tree{}, candidatesByPath: map[string][][]string{}}
	if c.old, err = origin.defaults(); err != nil {
		return nil, fmt.Errorf("origin: %w", err)
	}
	if c.now, err = upstream.defaults(); err != nil {
		return nil, fmt.Errorf("upstream: %w", err)
	}
	return c, nil
}

// read reads the user's files, of which a later one overrides an earlier one.
func (c *comparison) read(files []pkgmerge.File) (out []*userFile, err error) {
	for _, f := range files {
		u, err := readUserFile(f)
		if err != nil {
			return nil, err
		}
		out = append(out, u)
		c.override(u)
	}
	return out, nil
}

// override adds a file to the user's values.
func (c *comparison) override(u *userFile) {
	for _, l := range c.lines {
		if value, found := lookup(u.values, l.path); found || l.isCovered(u.values) {
			if _, both := value.(tree); both && isMap(l.value) {
				continue
			}
			l.overriddenBy = u.name
		}
	}
	for _, l := range u.lines {
		l.overrides = l.differsFrom(c.user)
	}
	c.lines = append(c.lines, u.lines...)
	c.user = overlay(u.values, c.user)
}

func isMap(value any) bool {
	_, is := value.(tree)
	return is
}

// overlay returns over with the fields of base that it lacks; a null stays.
func overlay(over, base tree) tree {
	out := tree{}
	maps.Copy(out, base)
	for name, value := range over {
		a, aMap := value.(tree)
		b, bMap := out[name].(tree)
		if aMap && bMap {
			value = overlay(a, b)
		}
		out[name] = value
	}
	return out
}

func (c *comparison) class(l *line) *Finding {
	f := &Finding{Path: l.path, File: l.file, Line: l.number, Value: l.value, OverriddenBy: l.overriddenBy, line: l, isSecret: c.isSecret}
	f.OldDefault, f.HasOld = lookup(c.old.values, l.path)
	f.NewDefault, f.HasNew = lookup(c.now.values, l.path)
	f.Secret = c.isSecret(l.path)
	used := c.nowUses.usageOf(l.path, c.isPresent)
	isUnused := used == unused || c.upstream.isFile
	isDefault := f.HasNew && (equal(f.Value, f.NewDefault) || isMap(f.Value) && isMap(f.NewDefault)) // helm adds the default's fields to {}
	switch {
	case isDefault && f.Value == nil && c.nowUses.readsMapOf(l.path):
		f.Class, f.Note = Needed, "the default is null, too, but a template reads the map with it, and helm keeps only a null of yours"
	case isDefault && l.path[0] == "global" && (hasOtherBelow(c.user, l) || hasOtherBelow(c.now.values, l)):
		f.Class, f.Note = Needed, "it is the new default, and a subchart has another value, which it overrides"
	case isDefault && l.overrides:
		f.Class, f.Note = Needed, "it is the new default, and an earlier file has another value"
	case isDefault:
		f.Class = Redundant
	case f.HasNew && (f.HasOld && equal(f.OldDefault, f.NewDefault) || !f.HasOld && c.wasAsEmpty(f)):
		f.Class = Needed
	case f.HasNew:
		f.Class = MovedBeneath
	case slices.ContainsFunc(c.now.missing, func(path []string) bool { return hasPrefix(l.path, path) }):
		f.Class, f.Note = Needed, "the subchart is not in the directory charts, so its defaults and templates are not known"
	case isUnused && c.now.isBelowFree(l.path):
		f.Class = Needed
	case isUnused:
		c.classUnused(f)
	case f.HasOld && c.renameOf(l.path) != nil && used == guessed:
		c.rename(f)
	case f.HasOld:
		f.Class = MovedBeneath
	default:
		f.Class = Needed
	}
	if used == guessed && (f.Class == Needed || f.Class == MovedBeneath) && !f.HasNew {
		f.Note = "a template that cannot be followed may use it"
	}
	c.classReshaped(f)
	if l.isAnchored {
		f.noteAnchor()
	}
	return f
}

// wasAsEmpty reports whether the new default is one that conditions take for none, of a field that the old templates read without a default: the
// chart only writes down what it had.
func (c *comparison) wasAsEmpty(f *Finding) bool {
	truth, known := truthOf(f.NewDefault)
	return known && !truth && c.oldUses.usageOf(f.Path, c.old.isFilled) == used
}

// keepMapsWithNulls makes lines needed that are all that the user has in a map, where the new chart has a null in it that a template reads
// with the map: helm keeps the null only where the user has no such map.
func (c *comparison) keepMapsWithNulls(findings []*Finding) {
	isIdle := func(f *Finding) bool { return f.Class == Redundant || f.Class == Dead || f.Class == Unknown }
	for _, path := range c.now.paths() {
		if value, _ := lookup(c.now.values, path); value != nil || !c.nowUses.readsMapOf(path) {
			continue
		}
		for depth := 1; depth < len(path); depth++ {
			isBelow := func(f *Finding) bool { return f.line != nil && hasPrefix(f.Path, path[:depth]) }
			if slices.ContainsFunc(findings, func(f *Finding) bool { return isBelow(f) && !isIdle(f) }) {
				continue
			}
			for _, f := range findings {
				if isBelow(f) {
					f.Class, f.Nearest, f.Candidates = Needed, nil, nil
					f.Note = "without a map of yours there, helm keeps the null of " + PathText(path)
				}
			}
		}
	}
}

// hasOtherBelow reports whether a map below has another value at the path of a line of global, as the values of a subchart do.
func hasOtherBelow(values tree, l *line) bool {
	for name, value := range values {
		below, is := value.(tree)
		if !is || name == "global" {
			continue
		}
		if other, found := lookup(below, l.path); found && !equal(other, l.value) || hasOtherBelow(below, l) {
			return true
		}
	}
	return false
}

// noteAnchor says of a line whose anchor an alias uses that it stays.
func (f *Finding) noteAnchor() {
	if f.Class == Redundant || f.Class == Dead {
		f.Note = strings.TrimPrefix(f.Note+"; an alias uses its anchor, so it is never removed", "; ")
	}
}

// withoutTemplates corrects the findings of a comparison with a plain values file: nobody knows which fields its chart uses, so no line is
// dead or unknown, and none is removed.
func withoutTemplates(findings []*Finding) {
	for _, f := range findings {
		f.stays = true
		switch f.Class {
		case Dead:
			f.Class, f.Note = MovedBeneath, strings.TrimPrefix(f.Note+"; gone from the defaults, and no template says whether the chart uses it", "; ")
			if len(f.Candidates) == 1 {
				f.Note += "; it may be " + PathText(f.Candidates[0])
			}
		case Unknown:
			f.Class, f.Note = Needed, "the defaults do not have it, and no template says whether the chart uses it"
		}
	}
}

// classUnused classes a line whose field the new chart neither has nor uses.
func (c *comparison) classUnused(f *Finding) {
	wasUsed := !c.origin.isFile && c.oldUses.usageOf(f.Path, c.old.isFilled) != unused
	wasMissing := slices.ContainsFunc(c.old.missing, func(path []string) bool { return hasPrefix(f.Path, path) })
	if f.HasOld || wasUsed || wasMissing || c.old.isBelowFree(f.Path) {
		c.rename(f)
		return
	}
	f.Class, f.Nearest = Unknown, c.nearest(f.Path)
}

// rename classes a line whose field is gone.
func (c *comparison) rename(f *Finding) {
	f.Class = Dead
	to := c.renameOf(f.Path)
	if to == nil {
		f.Candidates = c.candidates(f.Path)
		return
	}
	for depth := range to {
		if value, set := lookup(c.user, to[:depth+1]); set && (depth == len(to)-1 || !isMap(value) && !c.leavesRoom(to, depth+1, value)) {
			f.Candidates, f.Note = [][]string{to}, "the values already have "+PathText(to[:depth+1])
			return
		}
	}
	f.Class, f.NewPath = Renamed, to
	f.NewDefault, f.HasNew = lookup(c.now.values, to)
}

// isField reports whether a version of the chart or the user's values have a field at a path.
func (c *comparison) isField(path []string) bool {
	return slices.ContainsFunc([]tree{c.old.values, c.now.values, c.user}, func(values tree) bool {
		_, found := lookup(values, path)
		return found
	})
}

// isFilled reports whether there is a map that is not empty at a path.
func (d *defaults) isFilled(path []string) bool {
	value, _ := lookup(d.values, path)
	m, is := value.(tree)
	return is && len(m) > 0
}

// usedMaps returns the joined paths of the maps of the user that have a line which the new chart uses for its value.
func (c *comparison) usedMaps() map[string]bool {
	maps := map[string]bool{}
	for _, l := range c.lines {
		if l.overriddenBy == "" && c.nowUses.usageOf(l.path, func([]string) bool { return true }) != unused {
			for depth := range l.path {
				maps[joined(l.path[:depth])] = true
			}
		}
	}
	return maps
}

// isPresent reports whether there is a map at a path that is not empty without the lines which the new chart does not use.
func (c *comparison) isPresent(path []string) bool {
	return c.now.isFilled(path) || c.present[joined(path)]
}

// isBelowFree reports whether a path is below a map that has no fields by default: any may be set.
func (d *defaults) isBelowFree(path []string) bool {
	for depth := len(path) - 1; depth > 0; depth-- {
		if value, found := lookup(d.values, path[:depth]); found {
			m, is := value.(tree)
			return is && len(m) == 0
		}
	}
	return false
}

// maxNames limits the names that are compared with those of unknown fields, in all.
const maxNames = 250_000

// nearest returns the field that is most like an unknown one in the nearest map above it that the new chart has. It returns
// nil for all fields after those for which maxNames names were compared.
func (c *comparison) nearest(path []string) []string {
	for depth := len(path) - 1; depth >= 0; depth-- {
		value, found := lookup(c.now.values, path[:depth])
		if m, is := value.(tree); found && is {
			if c.names += len(m); c.names > maxNames {
				return nil
			}
			if name := wording.Nearest(path[depth], sortedNames(m)); name != "" {
				return slices.Concat(path[:depth], []string{name}, path[depth+1:])
			}
			break
		}
	}
	return c.elsewhere(path)
}

// minNear is the length from which a name is compared with those of other maps.
const minNear = 4

// elsewhere returns the only field of the new chart that has the name of an unknown one, else the only one with the nearest name; nil if
// there are several or none, if it is one of another subchart, or if the name is enabled.
func (c *comparison) elsewhere(path []string) []string {
	byName := map[string][][]string{}
	all := c.now.paths()
	if c.names += len(all); c.names > maxNames {
		return nil
	}
	for _, other := range all {
		name := other[len(other)-1]
		byName[name] = append(byName[name], other)
	}
	name := path[len(path)-1]
	if byName[name] == nil && len(name) >= minNear {
		name = wording.Nearest(name, slices.Sorted(maps.Keys(byName)))
	}
	if found := byName[name]; len(found) == 1 && name != "enabled" && !c.changesSubchart(path, found[0]) {
		return found[0]
	}
	return nil
}

// newDefaults returns the fields that only the new chart has and that matter: new top blocks, and switches that are on.
func (c *comparison) newDefaults() (found []*Finding) {
	var walk func(now any, path []string)
	walk = func(now any, path []string) {
		m, is := now.(tree)
		if !is {
			return
		}
		for _, name := range sortedNames(m) {
			at := append(slices.Clone(path), name)
			_, had := lookup(c.old.values, at)
			_, set := lookup(c.user, at)
			isOn := name == "enabled" && m[name] == true
			switch {
			case had:
				walk(m[name], at)
			case set || slices.ContainsFunc(c.renames, func(r rename) bool { return hasPrefix(r.to, at) }):
			case len(path) == 0 || isOn || switchedOn(m[name]):
				found = append(found, &Finding{Class: New, Path: at, NewDefault: m[name], HasNew: true, Secret: c.isSecret(at), isSecret: c.isSecret})
			}
		}
	}
	walk(c.now.values, nil)
	return found
}

// switchedOn reports whether a value is a map of a component that is on.
func switchedOn(value any) bool {
	m, is := value.(tree)
	return is && m["enabled"] == true
}

// PathText returns a path as people write it: names with dots, others in brackets.
func PathText(path []string) string {
	var b strings.Builder
	for i, name := range path {
		switch {
		case name == "" || strings.ContainsAny(name, ".[]\" "):
			fmt.Fprintf(&b, "[%q]", name)
		case i > 0:
			b.WriteString("." + name)
		default:
			b.WriteString(name)
		}
	}
	return b.String()
}

// isSecret reports whether a value is not to be shown (rules/values: secrets).
func (c *comparison) isSecret(path []string) bool {
	return secrecy.Fields(path...) || c.nowUses.isSecret(path) || c.oldUses.isSecret(path)
}

// Redacted returns the finding with a text in place of each value that is not to be shown, also within maps and lists.
func (f *Finding) Redacted(text string) Finding {
	out := *f
	for _, value := range [...]*any{&out.Value, &out.OldDefault, &out.NewDefault} {
		*value = f.redacted(*value, f.Path, text, f.Secret)
	}
	return out
}

// holdsSecret reports whether a value contains a secret, whatever its path is.
func holdsSecret(value any) bool {
	var n yaml.Node
	return n.Encode(value) != nil || pkgmerge.HoldsSecret(&n)
}

// redacted returns a value at a path with a text in place of each value that is not to be shown, which may be itself.
func (f *Finding) redacted(value any, path []string, text string, secret bool) any {
	if secret && value != nil && secrecy.IsValue(fmt.Sprint(value)) {
		return text
	}
	switch v := value.(type) {
	case string:
		if holdsSecret(v) {
			return text
		}
	case tree:
		_, hasKind := v["kind"]
		if _, hasValue := v["value"]; (hasKind || hasValue) && holdsSecret(v) { // a manifest, or an element of env
			return text
		}
		out := tree{}
		for name, below := range v {
			at := append(slices.Clone(path), name)
			out[name] = f.redacted(below, at, text, f.isSecret != nil && f.isSecret(at))
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, below := range v {
			out[i] = f.redacted(below, path, text, false)
		}
		return out
	}
	return value
}
