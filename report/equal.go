package report

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/merge"
)

// conflictSet is a conflict of a merge with the conflicts that are equal to it, which are one decision
// (rules/reports: equal conflicts).
type conflictSet struct {
	resource *Resource
	conflict *Conflict
	// more are the other conflicts, with their resources.
	more []conflictSet
}

// conflictSets returns the conflicts of a report in their order, with equal ones at the first of them.
// Those of an apply each stand alone.
func (r *Report) conflictSets() (sets []*conflictSet) {
	known := map[string]*conflictSet{}
	for _, it := range r.Resources {
		for _, c := range it.Conflicts {
			key := c.equal
			if c.Rule != nil {
				key += "\x00" + c.Rule.Prefer
			}
			if set := known[key]; set != nil {
				set.more = append(set.more, conflictSet{resource: it, conflict: c})
				continue
			}
			set := &conflictSet{resource: it, conflict: c}
			if sets = append(sets, set); c.equal != "" && r.steps == nil {
				known[key] = set
			}
		}
	}
	return sets
}

// numberEqual numbers the conflicts that have equal ones: equal conflicts have one number, from 1.
func (r *Report) numberEqual() map[*Conflict]int {
	numbers, last := map[*Conflict]int{}, 0
	for _, set := range r.conflictSets() {
		if len(set.more) == 0 {
			continue
		}
		last++
		for _, c := range append(set.more, *set) {
			numbers[c.conflict] = last
		}
	}
	return numbers
}

// equalKey returns a text that equal conflicts have in common: their kind and outcome, the last name of a
// field in their paths, and the values. The tags of one image are equal wherever they stand.
func equalKey(c merge.Conflict, out *Conflict) string {
	last := ""
	for _, step := range c.Path.Steps() {
		if step.Field != "" {
			last = step.Field
		}
	}
	if image, tags := imageTags(c, last); image != "" {
		return strings.Join(append([]string{out.Kind, out.Severity, out.Chosen, out.Decision, "image " + image}, tags...), "\x00")
	}
	key := []string{out.Kind, out.Severity, out.Chosen, out.Description, last}
	for _, side := range identity.Sides() {
		switch n := c.Values[side]; {
		case n == nil:
			key = append(key, "absent")
		case n.Kind == yaml.ScalarNode:
			key = append(key, n.ShortTag()+" "+wording.Scalar(n))
		default:
			key = append(key, "is "+wording.Flow(n))
		}
	}
	return strings.Join(key, "\x00")
}

// imageTags returns the name of the image that a conflict is about, and its tag on each side. It returns "" for
// other conflicts, and where the sides have different images, a digest, or no tag.
func imageTags(c merge.Conflict, last string) (image string, tags []string) {
	steps := c.Path.Steps()
	for _, side := range identity.Sides() {
		name, tag := imageOf(c.Values[side], last)
		if last == "newTag" && len(steps) > 1 {
			for _, key := range steps[len(steps)-2].Keys {
				if key.Name == "name" {
					name = key.Value.Value
				}
			}
		}
		if name == "" || tag == "" || image != "" && image != name {
			return "", nil
		}
		image, tags = name, append(tags, tag)
	}
	return image, tags
}

// imageOf returns the name and tag of an image: a text below image, a map of only name and newTag or
// repository and tag, or the text of a newTag, whose name stands above it.
func imageOf(n *yaml.Node, last string) (name, tag string) {
	switch {
	case n == nil:
	case n.Kind == yaml.MappingNode && len(n.Content) == 4:
		fields := map[string]string{n.Content[0].Value: n.Content[1].Value, n.Content[2].Value: n.Content[3].Value}
		if tag = fields["newTag"]; tag != "" {
			return fields["name"], tag
		}
		return fields["repository"], fields["tag"]
	case last == "newTag":
		return "", n.Value
	case last == "image":
		name, tag, digest := transform.SplitImage(n.Value)
		if digest == "" {
			return name, tag
		}
	}
	return "", ""
}

// where names a conflict in a list of equal ones: the resource, the path and the location.
func (s conflictSet) where() string {
	return strings.TrimSpace(s.resource.Subject+" "+s.conflict.Path) + locationSuffix(s.conflict.File, s.conflict.Line)
}

// moreLikeIt tells how many conflicts are equal to the first one.
func (s *conflictSet) moreLikeIt() string { return fmt.Sprintf("and %d more like it", len(s.more)) }

// rules returns the rules that take a side in all conflicts of the set, as elements of conflicts.rules: one
// rule without name and namespace for all that share kind and path. It returns "" if no rule decides them.
func (s *conflictSet) rules(prefer string) string {
	if s.conflict.Rule == nil {
		return ""
	}
	var order []fleetRule
	shared := map[fleetRule][]Rule{}
	for _, c := range append([]conflictSet{*s}, s.more...) {
		rule := *c.conflict.Rule
		rule.Prefer = prefer
		wide := fleetRule{Kind: rule.Kind, Group: rule.Group, Path: rule.Path, Prefer: prefer}
		if shared[wide] == nil {
			order = append(order, wide)
		}
		shared[wide] = append(shared[wide], rule)
	}
	return rulesText(order, shared)
}

// rulesText returns the wide rules that several rules share, and the other rules as they are.
func rulesText(order []fleetRule, shared map[fleetRule][]Rule) string {
	var b strings.Builder
	for _, wide := range order {
		if rules := shared[wide]; len(rules) > 1 && wide.Kind != "" {
			b.WriteString(wide.yaml())
			continue
		}
		for _, rule := range shared[wide] { // one, or several documents without a kind
			b.WriteString(rule.YAML())
		}
	}
	return b.String()
}
