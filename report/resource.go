package report

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Resource is what became of one resource, or of one file without resources.
type Resource struct {
	// Group, Kind, Namespace and Name are the user's, as they may be seen. A file has
	// none of them.
	Group, Kind, Namespace, Name string
	// Subject names the resource: kind, namespace and name, or the file of one that
	// has no name.
	Subject string
	// File and Line are where the resource stands in the result; of a deleted one,
	// File is where it was. Line is 0 if it is unknown.
	File string
	Line int
	// From is the file that the resource was in, where upstream moved it; else "".
	From string
	// Action is what was done: changed, added, deleted, unchanged, or absent of one
	// that was not there and still is not.
	Action string
	// Word is Action as people are to read it: that of an apply is create or update.
	Word string
	// Conflicts are in the order of the resource's fields.
	Conflicts []*Conflict

	change *pkgmerge.Change     // nil of a file
	file   *pkgmerge.FileChange // nil of a resource
}

func (b builder) resource(c *pkgmerge.Change) (*Resource, error) {
	id, meta := c.Newest().ID(), c.Newest().Meta
	r := &Resource{
		Group: visible(id.Group), Kind: visible(meta.Kind), Namespace: visible(meta.Namespace), Name: visible(meta.Name),
		Subject: visible(subject(c)), Action: actionName(c.Action), change: c,
	}
	r.Word = r.Action
	if b.applies {
		r.Word = stepWord(c.Action)
	}
	r.File, r.Line = b.at(c, nil)
	if l := c.Versions[identity.Local]; c.Moved && l != nil {
		r.From = b.named(l.File)
	}
	var err error
	r.Conflicts, err = b.conflicts(c)
	return r, err
}

// Happened reports whether the merge did anything to the resource.
func (r *Resource) Happened() bool {
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

// stepWord is what an apply does by an action.
func stepWord(a pkgmerge.Action) string {
	switch a {
	case pkgmerge.Added:
		return pkgmerge.Creates
	case pkgmerge.Changed:
		return pkgmerge.Updates
	case pkgmerge.Unchanged:
		return pkgmerge.Leaves
	}
	return actionName(a)
}

// changeOf says what a side made of a value, as the object of "changed": of a
// scalar or list what it is now, of a map the first field that differs. A name
// or namespace comes last: to rename a resource is not to customise it.
func changeOf(was, is *yaml.Node) string {
	if was == nil || is == nil {
		return "it"
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

// change is a place at which a value is not what it was; nil is absent.
type change struct {
	path    *merge.Path
	was, is *yaml.Node
}

// firstChange finds the first field that differs, in the order of is, within a
// number of steps.
func firstChange(at *merge.Path, was, is *yaml.Node, steps *int) (change, bool) {
	if *steps--; *steps < 0 {
		return change{}, false
	}
	if was == nil || is == nil || was.Kind != yaml.MappingNode || is.Kind != yaml.MappingNode {
		return change{path: at, was: was, is: is}, !merge.Same(was, is)
	}
	before, after := byName(was), byName(is)
	for _, name := range yamlnode.Names(is) {
		if c, found := firstChange(at.Field(name), before[name], after[name], steps); found {
			return c, true
		}
	}
	for _, name := range yamlnode.Names(was) {
		if after[name] == nil {
			return change{path: at.Field(name), was: before[name]}, true
		}
	}
	return change{}, false
}

// byName are the values of a mapping by name.
func byName(mapping *yaml.Node) map[string]*yaml.Node {
	out := make(map[string]*yaml.Node, len(mapping.Content)/2)
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		out[yamlnode.Resolve(mapping.Content[i]).Value] = mapping.Content[i+1]
	}
	return out
}

// labels is a list with one scalar for each element that is a map: that of the
// first field, as the first element has them, that every element has and no two
// have alike. Without such a field it is the list.
func labels(list *yaml.Node) *yaml.Node {
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

// subject names a resource as the user knows it: kind, namespace and name of
// the local copy.
func subject(m *pkgmerge.Change) string { return subjectOf(m.Newest(), m.File()) }

func subjectOf(it *pkgmerge.Resource, file string) string {
	name := it.Meta.Name
	if it.Meta.Naming == identity.ByPath {
		name = file
	}
	if it.Meta.Namespace != "" {
		name = it.Meta.Namespace + "/" + name
	}
	return strings.TrimSpace(it.Meta.Kind + " " + name)
}

// line puts a message together: who, path and what is said of them. It leaves room
// for so many bytes after it.
func line(who string, at *merge.Path, said string, room int) string {
	path := at.String()
	if path != "" {
		path = " " + path
	}
	said = ": " + said
	if len(who)+len(path)+len(said)+room <= MaxMessage {
		return who + path + said
	}
	who = wording.Cut(who, maxWho)
	return who + wording.CutFront(path, max(MaxMessage-len(who)-len(said)-room, minPath)) + said
}

// Step is what an apply does to one object (rules/apply: results of an apply).
type Step struct {
	// Number counts from 1.
	Number int `json:"step"`
	// Action is create, update or unchanged, and with an inventory also prune, keep or skip.
	Action string `json:"action"`
	// Wave counts what is applied or pruned before the next is waited for, from 1; 0 without
	// an inventory (rules/live: order).
	Wave int `json:"wave,omitempty"`
	// Reason says why an object is kept or skipped.
	Reason string `json:"reason,omitempty"`
	// Group, Kind, Namespace and Name are the object's, as they may be seen.
	Group     string `json:"group"`
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Fields is how many fields of the live object change.
	Fields int `json:"fields"`
}

// newSteps are the steps of an apply, nil if there is none.
func newSteps(applied *pkgmerge.Applied) []Step {
	if applied == nil {
		return nil
	}
	steps := []Step{}
	for i, s := range applied.Steps {
		id := s.Object()
		step := Step{
			Number: i + 1, Action: s.Does, Fields: s.Fields, Reason: visible(stepReason(s.Planned)),
			Group: visible(id.Group), Kind: visible(id.Kind), Namespace: visible(id.Namespace), Name: visible(id.Name),
		}
		if s.Planned != nil {
			step.Wave = s.Planned.Wave
		}
		steps = append(steps, step)
	}
	return steps
}

// subject names the object of a step.
func (s Step) subject() string {
	if s.Namespace == "" {
		return strings.TrimSpace(s.Kind + " " + s.Name)
	}
	return s.Kind + " " + s.Namespace + "/" + s.Name
}
