package pkgmerge

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// IdleRule is a rule of the policy that was about nothing; most often it is
// misspelt (design 5).
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
