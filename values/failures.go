package values

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Failure is a call of fail or required in a template of the new chart that the user's values certainly reach.
type Failure struct {
	// Template and Line are the place of the call.
	Template string
	Line     int
	// Message is the text of the call, "" if it is not known or has a value that is not to be shown.
	Message string
	// Path is the value that is required, or the first one in the nearest condition above the call, or above a text of another template in
	// the message, nil if there is none.
	Path []string
	// File and UserLine are the place of the user's line at the path, else of the line with the longest text that the message has in it,
	// "" and 0 if there is none.
	File     string
	UserLine int
}

const (
	// maxSteps is the number of nodes of templates that are evaluated, above which no further failure is looked for.
	maxSteps = 200_000
	// maxFailures is the number of failures that are named.
	maxFailures = 5
)

// open is a value that is not known before the chart is installed.
type open struct{}

// unknownFields is the name of a field that a map has whose fields are not known.
const unknownFields = "\x00"

// contextOf is the context of a chart's templates: its values, and fields of Helm that are not known.
type contextOf struct {
	values any // a tree, or open
	path   []string
	about  chartMetadata
}

// chartMetadata are the fields of a Chart.yaml that templates are known to get as .Chart.
type chartMetadata map[string]any

// failures returns the failures of the new chart's templates. Those of the old chart's with the user's values are left out: something
// that the files lack, such as --set, keeps helm from them.
func (c *comparison) failures() []Failure {
	found := c.upstream.failures(c.nowUses, coalesce(c.user, c.now.values))
	if len(found) > 0 && c.origin != c.upstream {
		was := c.origin.failures(c.oldUses, coalesce(c.user, c.old.values))
		found = slices.DeleteFunc(found, func(f Failure) bool {
			return slices.ContainsFunc(was, func(o Failure) bool { return o.Message == f.Message && slices.Equal(o.Path, f.Path) })
		})
	}
	for i := range found {
		if text := found[i].Message; c.showsSecret(text, coalesce(c.user, c.now.values), nil) || holdsSecret(text) {
			found[i].Message = ""
		}
		f := &found[i]
		at := slices.IndexFunc(c.lines, func(l *line) bool {
			return f.Path != nil && l.overriddenBy == "" && (hasPrefix(l.path, f.Path) || hasPrefix(f.Path, l.path))
		})
		if at < 0 {
			at = c.quoted(f.Message)
		}
		if at >= 0 {
			f.File, f.UserLine = c.lines[at].file, c.lines[at].number
		}
	}
	return found[:min(len(found), maxFailures)]
}

// quoted returns the index of the line with the longest text that a message has in it, -1 if there is none of some length.
func (c *comparison) quoted(message string) int {
	found, longest := -1, minDistinctive-1
	for i, l := range c.lines {
		if text, is := l.value.(string); is && l.overriddenBy == "" && len(text) > longest && strings.Contains(message, text) {
			found, longest = i, len(text)
		}
	}
	return found
}

// showsSecret reports whether a text has a value in it that is not to be shown.
func (c *comparison) showsSecret(text string, value any, path []string) bool {
	switch value := value.(type) {
	case tree:
		return slices.ContainsFunc(sortedNames(value), func(name string) bool {
			return c.showsSecret(text, value[name], append(slices.Clone(path), name))
		})
	case string:
		return value != "" && strings.Contains(text, value) && c.isSecret(path)
	}
	return false
}

// failures evaluates the templates that Helm runs, as far as values decide what they do.
func (c *Chart) failures(f *follower, values tree) []Failure {
	if c.isFile || f.hasNews || f.unsetsContext {
		return nil
	}
	known := f.withOpen(values, nil)
	e := &evaluation{follower: f, seen: map[string]bool{}, reasons: map[string][]string{}, changing: map[string]bool{}, ofValues: map[uintptr]bool{}}
	for _, m := range f.mains {
		if context, runs := c.contextFor(known, m.scope.path); runs {
			e.noteValues(context.values)
			e.run(m.tree, context)
		}
	}
	return e.found
}

// withOpen returns values with an open one in place of each that a template sets.
func (f *follower) withOpen(value any, path []string) any {
	if list, is := value.([]any); is {
		out := make([]any, len(list))
		for i := range list {
			out[i] = f.withOpen(list[i], append(slices.Clone(path), strconv.Itoa(i)))
		}
		return out
	}
	m, is := value.(tree)
	if !is {
		return value
	}
	out := tree{}
	for name, below := range m {
		out[name] = f.withOpen(below, append(slices.Clone(path), name))
	}
	for at, added := range f.added {
		if !isAt(path, strings.Split(at, "\x00")) {
			continue
		}
		for name := range added {
			if name == mergedName || name == computedName || name == anyName {
				return open{}
			}
			out[name] = open{}
		}
	}
	return out
}

// isAt reports whether a path is one that has names of any field in it.
func isAt(path, of []string) bool {
	return slices.EqualFunc(path, of, func(name, other string) bool { return name == other || other == anyName || other == computedName }) ||
		len(path) == 0 && len(of) == 1 && of[0] == ""
}

// contextFor returns the context of a chart or subchart, and reports whether Helm is sure to run its templates.
func (c *Chart) contextFor(values any, path []string) (context *contextOf, runs bool) {
	at := c
	for _, name := range path {
		children, missing := at.children()
		i := slices.IndexFunc(children, func(child child) bool { return child.key == name })
		m, is := values.(tree)
		if i < 0 || len(missing) > 0 || !is || !children[i].isOn(m) {
			return nil, false
		}
		below, is := m[name].(tree)
		if !is {
			return nil, false
		}
		if shared, hasShared := m["global"]; hasShared {
			own, _ := below["global"].(tree)
			all, is := shared.(tree)
			below = maps.Clone(below)
			below["global"] = open{}
			if is {
				below["global"] = coalesce(all, own)
			}
		}
		values, at = below, children[i].chart
	}
	return &contextOf{values, path, at.metadata()}, true
}

// metadata returns the known fields of .Chart.
func (c *Chart) metadata() chartMetadata {
	return chartMetadata{"Name": c.Name, "Version": c.Version, "Annotations": c.annotations}
}

// isOn reports whether the condition and the tags of a dependency are sure to switch it on.
func (d dependency) isOn(values tree) bool {
	for condition := range strings.SplitSeq(d.Condition, ",") {
		switch value, _ := lookup(values, strings.Split(strings.TrimSpace(condition), ".")); value := value.(type) {
		case bool:
			return value
		case open:
			return false
		}
	}
	hasOff := false
	for _, tag := range d.Tags {
		switch value, _ := lookup(values, []string{"tags", tag}); value := value.(type) {
		case bool:
			if value {
				return true
			}
			hasOff = true
		case open:
			return false
		}
	}
	return !hasOff
}
