package values

import (
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// isEvident reports whether a new field with the default of one that is gone is surely the same field: the comment, the
// name or the default tells the two from all other fields (rules/values: renames).
func (c *comparison) isEvident(gone, path []string) bool {
	comment, now := c.old.signatures(gone), c.now.signatures(path)
	value, _ := lookup(c.old.values, gone)
	isTold := func() bool { return !isTrivial(value) || !c.old.isVaried(gone) && !c.now.isVaried(path) }
	for i, words := range [...]string{c.old.comments[joined(gone)].all, c.old.comments[joined(gone)].others} {
		if words == "" || comment[i] != now[i] {
			continue
		}
		if sameName(gone, path) && c.isOnly("named "+gone[len(gone)-1]+" "+comment[i]) || c.isOnly(comment[i]) && isTold() {
			return true
		}
	}
	return sameName(gone, path) && c.isEvidentByName(gone, path, value) || isDistinctive(value) && c.isOnly("default "+wording.JSON(value))
}

// isEvidentByName reports whether the name of two fields tells them from all others. The name of a switch, such as enabled,
// says nothing without the maps above it.
func (c *comparison) isEvidentByName(gone, path []string, value any) bool {
	_, isSwitch := value.(bool)
	if isMoved(gone, path) {
		return min(len(gone), len(path)) > 1 && c.isOnlyMove(gone, path, value) || c.isOnly("name "+gone[len(gone)-1])
	}
	return !isSwitch && c.isOnly("name "+gone[len(gone)-1])
}

// isOnlyMove reports whether no other field of a version may be the one that moved: none with this default whose path is that of the
// other version with maps above or between, also none that stayed.
func (c *comparison) isOnlyMove(gone, path []string, value any) bool {
	count := func(d *defaults, of []string) (n int) {
		for _, other := range d.paths() {
			if found, _ := lookup(d.values, other); sameName(other, of) && isMoved(other, of) && equal(found, value) {
				n++
			}
		}
		return n
	}
	return count(c.old, path) == 1 && count(c.now, gone) == 1
}

// isOnly reports whether one field of each version has a property.
func (c *comparison) isOnly(property string) bool {
	if c.oldCounts == nil {
		c.oldCounts, c.nowCounts = c.old.counts(), c.now.counts()
	}
	return c.oldCounts[property] == 1 && c.nowCounts[property] == 1
}

// maxVaried is the number of words up to which a comment may be one of many of its form.
const maxVaried = 12

// isVaried reports whether another field has the comment of a field but for one word, as in "Default: 1h" and "Default: 4h".
func (d *defaults) isVaried(path []string) bool {
	words := strings.Fields(d.comments[joined(path)].all)
	if len(words) < 2 || len(words) > maxVaried {
		return false
	}
	for _, comment := range d.comments {
		if differInOne(words, strings.Fields(comment.all)) {
			return true
		}
	}
	return false
}

// differInOne reports whether two texts differ in one word.
func differInOne(a, b []string) bool {
	differing := 0
	for i := 0; len(a) == len(b) && i < len(a); i++ {
		if a[i] != b[i] {
			differing++
		}
	}
	return differing == 1
}

// counts returns how many fields have a name, a default, or a comment and default.
func (d *defaults) counts() map[string]int {
	n := map[string]int{}
	for _, path := range d.paths() {
		value, _ := lookup(d.values, path)
		n["name "+path[len(path)-1]]++
		n["default "+wording.JSON(value)]++
		for _, text := range d.signatures(path) {
			n[text]++
			n["named "+path[len(path)-1]+" "+text]++
		}
	}
	return n
}

// isMoved reports whether one path is the other one with more maps above or between.
func isMoved(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	at := 0
	for _, name := range b {
		if at < len(a) && a[at] == name {
			at++
		}
	}
	return at == len(a)
}

// minDistinctive is the length from which a text is no common default.
const minDistinctive = 8

// isDistinctive reports whether hardly two fields have such a default by chance: a text of some length that is more than a word,
// or several values that are not trivial.
func isDistinctive(value any) bool {
	leaves := 0
	var walk func(value any) bool
	walk = func(value any) bool {
		switch value := value.(type) {
		case tree:
			return slices.ContainsFunc(sortedNames(value), func(name string) bool { return walk(value[name]) })
		case []any:
			return slices.ContainsFunc(value, walk)
		case string:
			if len(value) >= minDistinctive && strings.ContainsAny(value, "0123456789-_./: ") {
				return true
			}
		}
		if !isTrivial(value) {
			leaves++
		}
		return leaves > 1
	}
	return walk(value)
}

// place is the text around an occurrence of a field in a template: its line, and the line above unless an action is in it.
type place struct{ before, behind, above string }

// place returns the place of an occurrence, without indentation.
func (f *follower) place(o occurrence) place {
	text := f.texts[o.template].text
	before, behind := o.lineOf(text)
	above := strings.TrimRight(text[:o.start-len(before)], " \t\r\n")
	above = strings.TrimSpace(above[strings.LastIndexByte(above, '\n')+1:])
	if strings.Contains(above, "{{") {
		above = ""
	}
	return place{strings.TrimSpace(before), strings.TrimSpace(behind), above}
}

// isDistinctive reports whether a place has a word outside of actions. A word above a condition or a loop does not count.
func (p place) isDistinctive() bool {
	words := p.before + "}}" + "{{" + p.behind
	if !regexp.MustCompile(`^\{\{-?\s*(if|with|range|else)\b`).MatchString(p.before) {
		words += p.above
	}
	return strings.ContainsFunc(regexp.MustCompile(`\{\{.*?\}\}`).ReplaceAllString(words, ""), func(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' })
}

// inPlace returns the new fields that the new templates have where the old ones have a field: in a line that is else
// the same, below the same line. isOnly reports whether each such place has these fields alone, with none that stayed.
func (c *comparison) inPlace(gone []string) (found [][]string, isOnly bool) {
	isOnly = true
	for _, was := range c.oldUses.occurrences {
		at := c.oldUses.place(was)
		if !slices.Equal(was.path, gone) || !at.isDistinctive() {
			continue
		}
		template := c.oldUses.texts[was.template].name
		for _, is := range c.nowUses.atLine(at) {
			switch {
			case template != c.nowUses.texts[is.template].name:
			case !contains(c.newFields, is.path):
				isOnly = false
			case !contains(found, is.path) && !c.changesSubchart(gone, is.path):
				found = append(found, is.path)
			}
		}
		isOnly = isOnly && !slices.ContainsFunc(c.oldUses.atLine(at), func(o occurrence) bool {
			return template == c.oldUses.texts[o.template].name && !slices.Equal(o.path, gone)
		})
	}
	return found, isOnly
}

// atLine returns the occurrences at a place.
func (f *follower) atLine(at place) []occurrence {
	if f.byPlace == nil {
		f.byPlace = map[place][]occurrence{}
		for _, o := range f.occurrences {
			f.byPlace[f.place(o)] = append(f.byPlace[f.place(o)], o)
		}
	}
	return f.byPlace[at]
}
