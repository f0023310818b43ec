package pkgmerge

// IdleRule is a rule of the policy that was about nothing; most often it is
// misspelt (design 5).
type IdleRule struct {
	// Index is the rule's place among the rules.
	Index int
	// Selects says that the rule's selectors match a resource, and only its path
	// matches no field of those that they match.
	Selects bool
}

// idleRules finds the rules that are about no resource or no field.
func (m *merger) idleRules(changes []*Change) ([]IdleRule, error) {
	rules, ok := m.options.Policy.(Rules)
	if !ok {
		return nil, nil
	}
	var idle []IdleRule
	for i, rule := range rules.Rules {
		selects, reaches, err := rule.use(changes)
		if err != nil {
			return nil, err
		}
		if !reaches {
			idle = append(idle, IdleRule{Index: i, Selects: selects})
		}
	}
	return idle, nil
}

// use reports whether the rule's selectors match a resource, and its path a field
// of such a one. Resources that changed are looked into first: the others have
// not been parsed.
func (r Rule) use(changes []*Change) (selects, reaches bool, err error) {
	for _, unchanged := range [2]bool{false, true} {
		for _, c := range changes {
			if (c.Action == Unchanged) != unchanged || !r.matches(c.Match) {
				continue
			}
			selects = true
			if reaches, err = r.reaches(c.Match); reaches || err != nil {
				return selects, reaches, err
			}
		}
	}
	return selects, false, nil
}

// reaches reports whether any version of a resource has the rule's field.
func (r Rule) reaches(m *Match) (bool, error) {
	if r.Path == nil {
		return true, nil
	}
	trees, err := m.Trees()
	if err != nil {
		return false, err
	}
	defer m.forget()
	for _, tree := range trees {
		if tree != nil && r.Path.Reaches(tree) {
			return true, nil
		}
	}
	return false, nil
}
