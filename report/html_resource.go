package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// resources writes the entries of the list of resources. Their conflicts are numbered.
func (m markup) resources(r *Report) error {
	numbers, sets := numberConflicts(r)
	for _, it := range conflictsFirst(r.Resources) {
		m.resourceSummary(r, it)
		for _, c := range it.Conflicts {
			if sets[c] != nil {
				m.conflict(r, sets[c], numbers[c])
			} else {
				m.equalConflict(c, numbers[c])
			}
		}
		if err := m.comparison(r, it); err != nil {
			return err
		}
		if err := m.drift(r, it); err != nil {
			return err
		}
		m.WriteString("</div></details></li>\n")
	}
	return nil
}

// numberConflicts numbers the conflicts of a report, equal ones alike, and returns the sets by their first conflicts.
func numberConflicts(r *Report) (numbers map[*Conflict]int, sets map[*Conflict]*conflictSet) {
	numbers, sets = map[*Conflict]int{}, map[*Conflict]*conflictSet{}
	for i, set := range r.conflictSets() {
		numbers[set.conflict], sets[set.conflict] = i+1, set
		for _, other := range set.more {
			numbers[other.conflict] = i + 1
		}
	}
	return numbers, sets
}

// conflictsFirst returns the resources with conflicts, then the others, each in their order.
func conflictsFirst(resources []*Resource) []*Resource {
	out := slices.Clone(resources)
	slices.SortStableFunc(out, func(a, b *Resource) int {
		return cmp.Compare(min(len(b.Conflicts), 1), min(len(a.Conflicts), 1))
	})
	return out
}

// resourceSummary writes an entry up to its conflicts.
func (m markup) resourceSummary(r *Report, it *Resource) {
	file, open, class := it.File, "", "body"
	if len(it.Conflicts) > 0 {
		open = " open"
	}
	if r.steps != nil {
		class = "body live"
	}
	if it.From != "" {
		file += ", from " + it.From
	}
	m.printf(`<li class="resource" data-kind="%s" data-action="%s" data-conflicts="%s" data-search="%s">`,
		it.Kind, it.Action, fmt.Sprint(len(it.Conflicts)), strings.ToLower(it.Subject+" "+it.File))
	m.printf(`<details`+open+`><summary><span class="action %s">%s</span> <span class="subject">%s</span> <span class="file">%s</span>`,
		it.Action, it.ActionLabel, it.Subject, file)
	if len(it.Conflicts) > 0 {
		m.printf(` <span class="conflicts">%s</span>`, wording.Plural(len(it.Conflicts), "conflict"))
	}
	m.printf("</summary>\n"+`<div class="%s">`, class)
}

// drift writes the remaining differences from upstream of a resource that the merge changed.
func (m markup) drift(r *Report, it *Resource) error {
	if !it.isChanged() || r.steps != nil {
		return nil
	}
	found, err := it.drift()
	if err != nil || len(found) == 0 {
		return err
	}
	m.printf(`<details class="drift"><summary>What differs from upstream (%s)</summary><ul>`, fmt.Sprint(len(found)))
	for _, d := range found {
		m.driftItem(d)
	}
	m.WriteString("</ul></details>")
	return nil
}

// driftItem writes one difference from upstream.
func (m markup) driftItem(d drift) {
	switch {
	case d.path == "" && d.local != "":
		m.WriteString("<li>only here</li>")
	case d.path == "":
		m.WriteString("<li>only upstream</li>")
	default:
		m.printf("<li><code>%s</code>: upstream ", d.path)
		m.driftValue(d.upstream)
		m.WriteString(", here ")
		m.driftValue(d.local)
		m.WriteString("</li>")
	}
}

func (m markup) driftValue(value string) {
	if value == "" {
		m.WriteString("absent")
	} else {
		m.printf("<code>%s</code>", value)
	}
}

// equalConflict writes a conflict that is decided with an equal one above it.
func (m markup) equalConflict(c *Conflict, number int) {
	m.printf(`<section class="equal"><h3>%s: <code>%s</code></h3><p>`, c.Kind, c.Path)
	m.printf(`<span class="place"> %s</span>: decided with <a href="#conflict-%s">an equal conflict</a>.</p></section>`+"\n", fileAndLine(c.File, c.Line), strconv.Itoa(number))
}

// conflict writes a conflict: its location, its three values, the choices, and the equal conflicts that the
// choice decides too.
func (m markup) conflict(r *Report, set *conflictSet, number int) {
	c, rules := set.conflict, ""
	if c.Rule != nil {
		rules = set.rules(c.Rule.Prefer)
	}
	m.conflictHead(c, fmt.Sprintf("conflict-%d", number))
	m.conflictValues(r, set, number, rules != "" && r.steps == nil)
	if len(set.more) > 0 {
		m.printf(`<details class="equal"><summary>%s</summary><ul>`, set.moreLikeIt())
		for _, other := range set.more {
			m.printf("<li>%s</li>", other.where())
		}
		m.WriteString("</ul></details>\n")
	}
	switch {
	case r.steps != nil:
		m.WriteString(`<p class="none">The server decides this. Change config, or the live object, instead.</p>`)
	case rules == "":
		m.WriteString(`<p class="none">No rule changes the outcome of a deletion or a switch. Edit the result instead.</p>`)
	}
	m.WriteString("</section>\n")
}

// conflictHead begins the section of a conflict with its kind, its location and its description.
func (m markup) conflictHead(c *Conflict, id string) {
	m.printf(`<section class="conflict" aria-labelledby="%s"><h3 id="%s">%s`, id, id, c.Kind)
	if c.Path != "" {
		m.printf(": <code>%s</code>", c.Path)
	}
	m.WriteString("</h3><p>")
	if c.File != "" {
		m.printf(`<span class="place"> %s</span>: `, fileAndLine(c.File, c.Line))
	}
	m.printf("%s.</p>\n", c.Description)
}

// conflictValues writes the three values of a conflict, to choose from if a rule can decide it.
func (m markup) conflictValues(r *Report, set *conflictSet, number int, hasChoice bool) {
	element, class := "div", "values"
	if hasChoice {
		element, class = "fieldset", "values choice"
	}
	m.printf("<"+element+` class="%s">`, class)
	if hasChoice {
		m.WriteString(`<legend class="hidden">Decide by a rule</legend>`)
	}
	c := set.conflict
	for _, side := range c.sides() {
		m.value(r.Sides[side], c.Values[side], c.Chosen == side.String())
		if hasChoice && side != identity.Origin {
			m.choice(set, side.String(), number)
		}
		m.WriteString("</div>\n")
	}
	m.WriteString("</" + element + ">\n")
}

// value writes one side's value of a conflict, in an element that the caller closes.
func (m markup) value(side string, v Value, taken bool) {
	class, title := "value", side
	if taken {
		class, title = "value taken", side+" (taken)"
	}
	if v.Source != "" {
		title += ", from " + v.Source
	}
	m.printf(`<div class="%s"><h4>%s</h4>`, class, title)
	switch {
	case !v.Present:
		m.WriteString(`<p class="none">absent</p>`)
	case v.Hidden:
		m.WriteString(`<p class="none">hidden</p>`)
	default:
		m.pre([]part{{text: v.Text}}, "", ` tabindex="0" role="group" aria-label="Value of `+side+`"`)
	}
}

// choice writes the choice of a side, with the rules that take it unless the result has it.
func (m markup) choice(set *conflictSet, side string, number int) {
	m.printf(`<label><input type="radio" name="choice-%s" value="%s"`, strconv.Itoa(number), side)
	if side == set.conflict.Chosen {
		m.WriteString(" checked")
	} else {
		m.printf(` data-rule="%s"`, set.rules(side))
	}
	m.printf("> take %s</label>\n", whoseText(side))
}
