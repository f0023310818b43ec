package values

import (
	"slices"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// rename is a field of the old chart that has another path in the new one.
type rename struct{ from, to []string }

// findRenames finds the fields that are gone, and for each the new field that is surely the same (rules/values:
// renames).
func (c *comparison) findRenames() {
	c.goneKey = onlyIn(c.old.values, c.now.values)
	c.newFields = onlyIn(c.now.values, c.old.values)
	alike := c.alike()
	var found []rename
	for _, gone := range c.goneKey {
		same := alike[joined(gone)]
		inPlace, isOnly := c.inPlace(gone)
		sure := c.surelySame(gone, same, inPlace, isOnly)
		if sure == nil {
			sure = c.tagBeside(gone)
		}
		if sure != nil {
			found = append(found, rename{gone, sure})
			continue
		}
		both := slices.Clone(same)
		for _, path := range inPlace {
			if !contains(both, path) {
				both = append(both, path)
			}
		}
		c.candidatesByPath[joined(gone)] = both
	}
	c.addRenames(found)
}

// surelySame returns the only field that is alike or in the place of a gone one, nil if there are several or none, or if it
// is alike by chance. isOnly says that the place has no other field.
func (c *comparison) surelySame(gone []string, same, inPlace [][]string, isOnly bool) []string {
	switch {
	case len(same) == 1 && (len(inPlace) == 0 || contains(inPlace, same[0])) && (c.isEvident(gone, same[0]) || isOnly && len(inPlace) == 1):
		return same[0]
	case len(inPlace) == 1 && isOnly:
		return inPlace[0]
	}
	return nil
}

// changesSubchart reports whether two fields are those of two subcharts. A subchart that has another name is the same one.
func (c *comparison) changesSubchart(gone, path []string) bool {
	was, wasChart := c.origin.subchartOf(gone)
	is, isChart := c.upstream.subchartOf(path)
	if len(was) == 0 || len(is) == 0 || slices.Equal(was, is) {
		return false
	}
	stays, _ := c.upstream.subchartOf(was)
	return wasChart != isChart || slices.Equal(stays, was)
}

// subchartOf returns the path and the name of the subchart that a field is of, nil and "" if it is the chart's.
func (c *Chart) subchartOf(field []string) (path []string, name string) {
	for at := c; len(path) < len(field); {
		children, missing := at.children()
		next := field[len(path)]
		i := slices.IndexFunc(children, func(child child) bool { return child.key == next })
		if i < 0 {
			if slices.Contains(missing, next) {
				return field[:len(path)+1], next
			}
			return path, name
		}
		at, path = children[i].chart, field[:len(path)+1]
		name = at.Name
	}
	return path, name
}

// keepMapsWhole makes dead lines of those that would move out of a map of which another line of the user is dead: the map may be
// another one (rules/values: renames).
func (c *comparison) keepMapsWhole(findings []*Finding) {
	for changed := true; changed; {
		changed = false
		for _, f := range findings {
			if f.Class != Renamed || f.line.split != nil {
				continue
			}
			from := c.movedMap(f.Path)
			to := f.NewPath[:max(len(f.NewPath)-(len(f.Path)-len(from)), 0)]
			if len(from) == 0 || slices.Equal(from, to) {
				continue
			}
			at := slices.IndexFunc(findings, func(o *Finding) bool { return o.Class == Dead && hasPrefix(o.Path, from) })
			if at >= 0 {
				f.Class, f.Candidates, f.Note = Dead, [][]string{f.NewPath}, PathText(findings[at].Path)+" beside it would stay behind"
				f.NewPath, changed = nil, true
				f.NewDefault, f.HasNew = nil, false
			}
		}
	}
}

// movedMap returns the path of the map that a renamed field, or the map that it is in, was moved out of.
func (c *comparison) movedMap(path []string) []string {
	for depth := len(path); depth > 0; depth-- {
		if slices.ContainsFunc(c.renames, func(r rename) bool { return slices.Equal(r.from, path[:depth]) }) {
			return path[:depth-1]
		}
	}
	return nil
}

// addRenames adds renames to fields of which each has one former field. A field with several makes candidates of them.
func (c *comparison) addRenames(found []rename) {
	for _, r := range found {
		twice := slices.ContainsFunc(found, func(o rename) bool { return slices.Equal(o.to, r.to) && !slices.Equal(o.from, r.from) })
		if twice {
			c.candidatesByPath[joined(r.from)] = [][]string{r.to}
			continue
		}
		c.renames = append(c.renames, r)
	}
}

// paths returns the paths of all fields, parents before their fields.
func (d *defaults) paths() [][]string {
	if d.allPaths == nil {
		d.allPaths = onlyIn(d.values, nil)
	}
	return d.allPaths
}

// onlyIn returns the paths that values have and others lack, parents before their fields.
func onlyIn(values, others tree) (paths [][]string) {
	var walk func(m tree, path []string)
	walk = func(m tree, path []string) {
		for _, name := range sortedNames(m) {
			at := append(slices.Clone(path), name)
			if _, found := lookup(others, at); !found {
				paths = append(paths, at)
			}
			if below, is := m[name].(tree); is {
				walk(below, at)
			}
		}
	}
	walk(values, nil)
	return paths
}

// alike returns for each field that is gone the new fields with the same default and comment.
func (c *comparison) alike() map[string][][]string {
	byText := map[string][][]string{}
	for _, path := range c.newFields {
		for _, key := range c.now.signatures(path) {
			byText[key] = append(byText[key], path)
		}
	}
	found := map[string][][]string{}
	for _, gone := range c.goneKey {
		value, _ := lookup(c.old.values, gone)
		comment := c.old.comments[joined(gone)]
		for i, key := range c.old.signatures(gone) {
			words := [...]string{comment.all, comment.others}[i]
			for _, path := range byText[key] {
				isNamed := sameName(gone, path) && (!isSwitch(value) || isMoved(gone, path))
				if (words != "" || !isTrivial(value) && !isSwitch(value) || isNamed) && !contains(found[joined(gone)], path) && !c.changesSubchart(gone, path) {
					found[joined(gone)] = append(found[joined(gone)], path)
				}
			}
		}
	}
	return found
}

// isSwitch reports whether a value is true or false, or a map of such a value alone.
func isSwitch(value any) bool {
	if m, isMap := value.(tree); isMap && len(m) == 1 {
		for _, value = range m {
			break
		}
	}
	_, is := value.(bool)
	return is
}

func sameName(a, b []string) bool { return a[len(a)-1] == b[len(b)-1] }

// signatures returns two texts for a field. Two fields share one of theirs if they have the same default and comment;
// the comments may have the fields' own names in them.
func (d *defaults) signatures(path []string) [2]string {
	value, _ := lookup(d.values, path)
	comment := d.comments[joined(path)]
	return [2]string{"all " + comment.all + "\x00" + wording.JSON(value), "others " + comment.others + "\x00" + wording.JSON(value)}
}

func contains(paths [][]string, path []string) bool {
	return slices.ContainsFunc(paths, func(p []string) bool { return slices.Equal(p, path) })
}

// renameOf returns the new path of a field, nil if it was not renamed: by its own rename, or by that of the nearest
// map above it that moved as a whole.
func (c *comparison) renameOf(path []string) []string {
	for depth := len(path); depth > 0; depth-- {
		for _, r := range c.renames {
			if slices.Equal(r.from, path[:depth]) {
				to := slices.Concat(r.to, path[depth:])
				_, is := lookup(c.now.values, to)
				if is || depth < len(path) && c.now.isBelowFree(to) || c.nowUses.usageOf(to, c.now.isFilled) == used {
					return to
				}
			}
		}
	}
	return nil
}

// candidates returns the fields that a field which is gone may have been renamed to.
func (c *comparison) candidates(path []string) [][]string {
	for depth := len(path); depth > 0; depth-- {
		if found := c.candidatesByPath[joined(path[:depth])]; len(found) > 0 {
			var out [][]string
			for _, to := range found {
				out = append(out, slices.Concat(to, path[depth:]))
			}
			return out
		}
	}
	return nil
}
