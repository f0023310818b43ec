package report

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Resource is the outcome for one resource, or for one file without resources.
type Resource struct {
	// Group, Kind, Namespace and Name are the user's, with invisible characters escaped. A file has none of them.
	Group, Kind, Namespace, Name string
	// Subject names the resource: kind, namespace and name, or the file if it has no name.
	Subject string
	// File and Line are the location of the resource in the result; File is local's for a deleted
	// resource. Line is 0 if it is unknown.
	File string
	Line int
	// From is the former file if upstream moved the resource; else "".
	From string
	// Action is changed, added, deleted, unchanged, or absent for a resource that neither local nor the result has.
	Action string
	// ActionLabel is Action for people; an apply has create and update.
	ActionLabel string
	// Conflicts are in the order of the resource's fields.
	Conflicts []*Conflict

	change *pkgmerge.Change     // nil of a file
	file   *pkgmerge.FileChange // nil of a resource
	live   bool                 // an apply changes a live object
	marked func() []byte        // the resource's document, or the file, with conflict markers; nil if it has none
}

func (b builder) resource(c *pkgmerge.Change) (*Resource, error) {
	id, meta := c.Newest().ID(), c.Newest().Meta
	r := &Resource{
		Group: visible(id.Group), Kind: visible(meta.Kind), Namespace: visible(meta.Namespace), Name: visible(meta.Name),
		Subject: visible(subject(c)), Action: actionName(b.files.action(c)), change: c,
	}
	r.ActionLabel, r.live = r.Action, b.applies
	switch {
	case b.applies && apply.Refused(c):
		r.ActionLabel = apply.Refuse
	case b.applies:
		r.ActionLabel = stepAction(c.Action)
	}
	r.File, r.Line = b.location(c, nil)
	if l := c.Versions[identity.Local]; c.Moved && l != nil {
		r.From = b.fileName(l.File)
	}
	var err error
	r.Conflicts, err = b.conflicts(c)
	if slices.ContainsFunc(c.Conflicts, func(conflict merge.Conflict) bool { return b.files.isMarked(c, conflict) }) {
		r.marked = func() []byte { return b.files.documentAt(c.File(), r.Line) }
	}
	return r, err
}

// isChanged reports whether the merge changed, added or deleted the resource.
func (r *Resource) isChanged() bool {
	return r.Action != actionName(pkgmerge.Unchanged) && r.Action != actionName(pkgmerge.Absent)
}

func actionName(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Unchanged:
		return "unchanged"
	case pkgmerge.Changed:
		return "changed"
	case pkgmerge.Added:
		return "added"
	case pkgmerge.Deleted:
		return "deleted"
	}
	return "absent"
}

func stepAction(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Added:
		return apply.Create
	case pkgmerge.Changed:
		return apply.Update
	case pkgmerge.Unchanged:
		return apply.Unchanged
	}
	return actionName(a)
}

// describeChange describes a change as the object of "changed": the new value of a scalar or list,
// or the first field of a map that differs; without values it is just the object. A name or namespace
// comes last, because renaming a resource is no customisation.
func describeChange(was, is *yaml.Node, object string, values bool) string {
	if !values || was == nil || is == nil {
		return object
	}
	for _, name := range []string{"name", "namespace"} {
		if renamed := yamlnode.CopyField(was, is, []string{"metadata", name}); !merge.Same(renamed, is) {
			was = renamed
		}
	}
	steps := maxSteps
	change, found := firstChange(nil, was, is, &steps)
	path := wording.CutFront(" "+change.path.String(), minPath)
	switch {
	case !found:
		return "it"
	case change.path == nil:
		return "it to " + excerpt(is, was)
	case change.is == nil:
		return "it by removing its" + path
	case change.was == nil:
		return "it by adding its" + path + " " + excerpt(change.is, nil)
	}
	return "its" + path + " to " + excerpt(change.is, change.was)
}

// fieldChange is a field with different values; nil is absent.
type fieldChange struct {
	path    *merge.Path
	was, is *yaml.Node
}

// firstChange returns the first field that differs, in the order of is, within a number of steps.
func firstChange(at *merge.Path, was, is *yaml.Node, steps *int) (fieldChange, bool) {
	if *steps--; *steps < 0 {
		return fieldChange{}, false
	}
	if was == nil || is == nil || was.Kind != yaml.MappingNode || is.Kind != yaml.MappingNode {
		return fieldChange{path: at, was: was, is: is}, !merge.Same(was, is)
	}
	before, after := fieldsByName(was), fieldsByName(is)
	for _, name := range yamlnode.Names(is) {
		if c, found := firstChange(at.Field(name), before[name], after[name], steps); found {
			return c, true
		}
	}
	for _, name := range yamlnode.Names(was) {
		if after[name] == nil {
			return fieldChange{path: at.Field(name), was: before[name]}, true
		}
	}
	return fieldChange{}, false
}

// fieldsByName indexes the values of a mapping by name.
func fieldsByName(mapping *yaml.Node) map[string]*yaml.Node {
	out := make(map[string]*yaml.Node, len(mapping.Content)/2)
	for key, v := range yamlnode.Pairs(mapping) {
		out[yamlnode.Resolve(key).Value] = v
	}
	return out
}

// elementLabels returns a list with one scalar for each element that is a map: the value of the first field that all
// elements have with different values. Without such a field it returns the list itself.
func elementLabels(list *yaml.Node) *yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode || len(list.Content) == 0 {
		return list
	}
	for _, name := range yamlnode.Names(list.Content[0]) {
		out := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		seen := map[string]bool{}
		for _, e := range list.Content {
			if v := yamlnode.Field(e, name); v != nil && v.Kind == yaml.ScalarNode && !seen[v.Value] {
				seen[v.Value] = true
				out.Content = append(out.Content, v)
			}
		}
		if len(out.Content) == len(list.Content) {
			return out
		}
	}
	return list
}

// subject names a resource by kind, namespace and name of the local copy.
func subject(m *pkgmerge.Change) string { return subjectOf(m.Newest(), m.File()) }

func subjectOf(it *pkgmerge.Resource, file string) string {
	name := it.Meta.Name
	if it.Meta.Naming == identity.ByPath {
		name = file
	}
	return wording.Object(it.Meta.Kind, it.Meta.Namespace, name)
}

// formatMessage joins the name, path and text of a message, and cuts it so that room bytes fit behind it.
func formatMessage(name string, at *merge.Path, text string, room int) string {
	path := at.String()
	if path != "" {
		path = " " + path
	}
	text = ": " + text
	if len(name)+len(path)+len(text)+room <= wording.MaxMessage {
		return name + path + text
	}
	name = wording.Cut(name, maxName)
	return name + wording.CutFront(path, max(wording.MaxMessage-len(name)-len(text)-room, minPath)) + text
}

// file returns the outcome for a file without resources. Its conflicts have no path.
func (b builder) file(f *pkgmerge.FileChange) *Resource {
	action := actionName(b.files.fileAction(f))
	r := &Resource{Subject: visible(f.Name), ActionLabel: action, Action: action, File: b.fileName(f.Name), file: f}
	if len(f.Conflicts) == 0 {
		return r
	}
	if b.files.isFileMarked(f) {
		r.marked = func() []byte { return b.files.data(f.Name) }
	}
	lines := newTextLines(b.files.data(f.Name))
	for _, conflict := range f.Conflicts {
		r.Conflicts = append(r.Conflicts, b.fileConflict(f, conflict, lines))
	}
	return r
}

// fileConflict returns one of its conflicts. lines are the lines of the file in the result.
func (b builder) fileConflict(f *pkgmerge.FileChange, conflict merge.Conflict, lines textLines) *Conflict {
	out := &Conflict{Kind: string(conflict.Kind), Severity: "warning", File: b.fileName(f.Name)}
	end := b.conclude(out, conflict, b.files.isFileMarked(f))
	if !b.failed {
		out.Line = lines.find(conflict)
	}
	out.Message = visibleMessage(fileCollision(f, conflict, end) + "; " + end)
	shown := differing(conflict.Values)
	for side, n := range conflict.Values {
		v := newValue(withoutLastBreak(n), withoutLastBreak(shown[side]), !f.Secret)
		if v.Hidden {
			v.Text, v.Line = hiddenInFile, hiddenInFile
		}
		out.Values[side] = v
	}
	out.showLines(shown)
	rule := Rule{Name: f.Name, Prefer: otherSide(conflict.Chosen).String()}.Exact()
	switch {
	case conflict.Kind != merge.LocalDeleted: // a deletion of local's stands (rules/resources: additions and deletions)
		out.Rule = &rule
	case f.Fails():
		rule.Prefer = conflict.Chosen.String()
		out.Rule = &rule
	}
	if f.Fails() {
		out.Severity = "error"
	}
	return out
}

// withoutLastBreak returns a text without the line break at its end.
func withoutLastBreak(n *yaml.Node) *yaml.Node {
	if n == nil {
		return nil
	}
	return yamlnode.String(strings.TrimSuffix(n.Value, "\n"))
}

// textLines are the numbers of the lines of a text, from 1, by their contents, and the number of lines.
type textLines struct {
	at    map[string][]int
	count int
}

func newTextLines(data []byte) textLines {
	out := textLines{at: map[string][]int{}}
	for text := range bytes.Lines(data) {
		out.count++
		key := string(bytes.TrimRight(text, "\r\n"))
		out.at[key] = append(out.at[key], out.count)
	}
	return out
}

// find returns the line in the result at which the lines that a conflict chose begin (rules/reports: locations): of
// several matches the nearest to the line in the side, 0 if there is none. If no lines are chosen, it is the line of the side.
func (t textLines) find(c merge.Conflict) int {
	n := c.Values[c.Chosen]
	switch {
	case n == nil || n.Line == 0:
		return 0
	case n.Value == "":
		return min(n.Line, t.count)
	}
	first, _, _ := strings.Cut(n.Value, "\n")
	lines := t.at[strings.TrimRight(first, "\r")]
	at, _ := slices.BinarySearch(lines, n.Line)
	switch {
	case len(lines) == 0:
		return 0
	case at == len(lines) || at > 0 && n.Line-lines[at-1] <= lines[at]-n.Line:
		at--
	}
	return lines[at]
}

// Join combines the reports of a package and of its subpackages that were merged on their own.
func Join(reports ...*Report) *Report {
	all := &Report{Sides: sideNames(false)}
	var merged []*pkgmerge.Result
	for _, r := range reports {
		merged = append(merged, r.merged)
		all.Sides = r.Sides
		all.name, all.command = cmp.Or(all.name, r.name), cmp.Or(all.command, r.command)
		all.steps = append(all.steps, r.steps...)
		all.Resources = append(all.Resources, r.Resources...)
		all.Notices = append(all.Notices, r.Notices...)
	}
	all.Summary = Summarize(merged...)
	return all
}

// sideNames returns the names of the three versions.
func sideNames(applies bool) [3]string {
	if applies {
		return [3]string{"last-applied", "config", "live"}
	}
	return [3]string{"origin", "upstream", "local"}
}
