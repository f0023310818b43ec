package blame

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/managed"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// liveField is a field of a live object: its value, and the manager who set it last.
type liveField struct {
	Manager string          `json:"manager"`
	Time    string          `json:"time"`
	Value   json.RawMessage `json:"value"`
}

// object is a live object.
type object struct {
	finder  *merge.Finder
	entries managed.Entries
}

// join finds the live fields of an annotation (rules/blame: live objects).
func (a *Annotation) join(recorded pkgmerge.Package, warn func(error)) error {
	p, err := recorded.Unlisted()
	if err != nil {
		return err
	}
	known, owned, err := a.liveObjects(p.Resources)
	if err != nil {
		return err
	}
	switch {
	case len(known) == 0:
		warn(fmt.Errorf("the recorded cluster has no object of %s", a.file))
	case owned == 0:
		warn(fmt.Errorf("the live objects have no managedFields; kubectl get -o yaml --show-managed-fields records them"))
	}
	a.hasLive = true
	for _, u := range a.units {
		if o := known[u.in]; o != nil && u.isChosen && u.leaf != nil && u.leaf.isWhole {
			u.live = o.field(u.leaf.path)
		}
	}
	return nil
}

// liveObjects returns the live objects of the documents, and how many entries their managedFields have together.
func (a *Annotation) liveObjects(resources []*pkgmerge.Resource) (known map[*document]*object, owned int, err error) {
	known = map[*document]*object{}
	for _, d := range a.documents {
		if r := liveOf(d, resources); r != nil {
			tree, err := r.Tree()
			if err != nil {
				return nil, 0, err
			}
			entries, err := managed.EntriesOf(tree)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", r, err)
			}
			known[d] = &object{merge.NewFinder(tree), entries}
			owned += len(entries)
		}
	}
	return known, owned, nil
}

// liveOf returns the live object of a document: that of its group, kind, name and namespace; nil if there is none. A
// document without a namespace has one of the cluster's.
func liveOf(d *document, live []*pkgmerge.Resource) (found *pkgmerge.Resource) {
	want := identity.Entry{Meta: d.meta}.OwnID()
	for _, r := range live {
		id := r.ID()
		if id == want {
			return r
		}
		isNear := id.Namespace != "" && want.Namespace == "" && (found == nil || id.Namespace == "default")
		if id.Namespace = ""; d.isNamed() && isNear && id == want {
			found = r
		}
	}
	return found
}

// field returns the live field at a path, nil if the object lacks it.
func (o *object) field(path *merge.Path) *liveField {
	value := o.finder.Value(path)
	if value == nil {
		return nil
	}
	l := &liveField{Value: json.RawMessage(managed.JSON(value))}
	for _, e := range o.entries {
		if owns(e.Fields, path.Steps(), value) && (l.Manager == "" || e.Time > l.Time) {
			l.Manager, l.Time = e.Manager, e.Time
		}
	}
	return l
}

// owns reports whether a set has the path of a value.
func owns(s *managed.Set, steps []merge.Step, value *yaml.Node) bool {
	if len(steps) == 0 {
		return s.Member() || value.Kind != yaml.ScalarNode && s.HasBelow()
	}
	if steps[0].Keys == nil {
		return owns(s.Below(managed.Field(steps[0].Field)), steps[1:], value)
	}
	var parts []managed.KeyPart
	for _, k := range steps[0].Keys {
		parts = append(parts, managed.KeyPart{Name: k.Name, Value: k.Value})
	}
	for step, below := range s.Children() {
		if step.Agrees(parts...) && owns(below, steps[1:], value) {
			return true
		}
	}
	return false
}

// column returns the live fields of a line as text: their managers, and their values where they differ.
func (a *Annotation) column(line int) (text string) {
	for _, u := range a.first[line] {
		if u.live == nil {
			continue
		}
		one := u.live.Manager
		if len(u.live.Time) >= 10 {
			one += " " + u.live.Time[:10]
		}
		if managed.JSON(u.leaf.value) != string(u.live.Value) {
			value := string(u.live.Value)
			if u.isHidden {
				value = hidden
			}
			one += " " + wording.Cut(value, 60)
		}
		if text != "" {
			text += ", "
		}
		text += one
	}
	return wording.Visible(text, "")
}
