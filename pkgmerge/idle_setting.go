package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// idleLists are the indices of the rules for lists that no resource has. Each resource is
// gone through once, however many rules there are about its kind (rules/reading: bounds).
func (m *merger) idleLists() []int {
	type kind struct{ group, kind string }
	wanted := map[kind]*wantedLists{}
	for _, rule := range m.options.Lists {
		of := kind{rule.Group, rule.Kind}
		wanted[of] = wanted[of].with(rule.Path)
	}
	for _, r := range m.resources() {
		wanted[kind{identity.Group(r.Meta.APIVersion), r.Meta.Kind}].find(r.item.Node)
	}
	var idle []int
	for i, rule := range m.options.Lists {
		if !wanted[kind{rule.Group, rule.Kind}].found(rule.Path) {
			idle = append(idle, i)
		}
	}
	return idle
}

// wantedLists are lists that are looked for at a path and below it.
type wantedLists struct {
	here  bool // a list was found at the path itself
	below map[string]*wantedLists
}

// with is w with the list at a path.
func (w *wantedLists) with(path []string) *wantedLists {
	if w == nil {
		w = &wantedLists{below: map[string]*wantedLists{}}
	}
	if len(path) > 0 {
		w.below[path[0]] = w.below[path[0]].with(path[1:])
	}
	return w
}

// find notes which of the lists n has.
func (w *wantedLists) find(n *yaml.Node) {
	if n = yamlnode.Resolve(n); w == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		w.here = true
		if element := w.below[schema.AnyElement]; element != nil {
			for _, c := range n.Content {
				element.find(c)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content) && len(w.below) > 0; i += 2 {
			if name := n.Content[i].Value; name != schema.AnyElement {
				w.below[name].find(n.Content[i+1])
			}
		}
	}
}

// found reports whether a list was found at a path.
func (w *wantedLists) found(path []string) bool {
	for _, name := range path {
		w = w.below[name]
	}
	return w.here
}

// IdleRule is a rule of the policy that was about nothing; most often it is misspelt
// (rules/conflicts: rules).
type IdleRule struct {
	// Index is the rule's place among the rules.
	Index int
	// Selects says that the rule's selectors match a resource, and only its path
	// matches no field of those that they match.
	Selects bool
}

// idleRules finds the rules that are about no resource or no field. Resources that changed
// are looked into first: the others have not been parsed.
func (m *merger) idleRules(changes []*Change) ([]IdleRule, error) {
	rules, ok := m.options.Policy.(indexedRules)
	if !ok {
		return nil, nil
	}
	left := make(map[int]*IdleRule, len(rules.Rules.Rules))
	for i := range rules.Rules.Rules {
		left[i] = &IdleRule{Index: i}
	}
	for _, unchanged := range [2]bool{false, true} {
		for i := 0; i < len(changes) && len(left) > 0; i++ {
			if (changes[i].Action == Unchanged) != unchanged {
				continue
			}
			if err := rules.use(changes[i].Match, left); err != nil {
				return nil, err
			}
		}
	}
	var idle []IdleRule
	for i := range rules.Rules.Rules {
		if left[i] != nil {
			idle = append(idle, *left[i])
		}
	}
	return idle, nil
}

// use takes the rules out of those that are left whose selectors match a resource, and whose
// path matches a field of it.
func (r indexedRules) use(m *Match, left map[int]*IdleRule) error {
	parsed := false
	for _, i := range r.about(m) {
		rule := r.Rules.Rules[i]
		if left[i] == nil {
			continue
		}
		left[i].Selects = true
		if rule.Path != nil && !parsed {
			if _, err := m.Trees(); err != nil {
				return err
			}
			defer m.forget()
			parsed = true
		}
		if rule.Path == nil || reaches(rule.Path, m.trees) {
			delete(left, i)
		}
	}
	return nil
}

// reaches reports whether any version of a resource has the field of a rule.
func reaches(path merge.Pattern, trees [3]*yaml.Node) bool {
	for _, tree := range trees {
		if tree != nil && path.Reaches(tree) {
			return true
		}
	}
	return false
}
