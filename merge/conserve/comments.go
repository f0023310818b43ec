package conserve

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// slots are where a field or an element has comments: above it, at the end of
// its line, below it, above and below the value where that is apart, and at the
// end of the map or list that the value is.
type slots [6]string

func (s spot) slots() slots {
	slots := s.around()
	slots[5] = tail(s.value)
	if s.last {
		slots[2] = ""
	}
	return slots
}

// tail is the comment at the end of a map or list. It stands below the last
// thing in it, whatever that is.
func tail(n *yaml.Node) string {
	all := below(n)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].around()[2]
}

// around are the comments of a spot but the tail.
func (s spot) around() slots {
	v := s.value
	if s.key == nil {
		return slots{identity(v.HeadComment), identity(v.LineComment), identity(v.FootComment)}
	}
	line := s.key.LineComment
	if line == "" {
		line = v.LineComment
	}
	return slots{identity(s.key.HeadComment), identity(line), identity(s.key.FootComment), identity(v.HeadComment), identity(v.FootComment)}
}

// identity drops a merge comment: it says who a resource is (DESIGN 2).
func identity(comment string) string {
	if strings.HasPrefix(strings.TrimSpace(strings.TrimLeft(comment, "#")), "kpt-merge:") {
		return ""
	}
	return comment
}

// comments are the texts of a spot's comments.
func (s spot) comments() []string {
	var out []string
	for _, text := range s.slots() {
		if text != "" {
			out = append(out, "# "+text)
		}
	}
	return out
}

// comments objects to comments of the result that neither upstream nor local
// has there, and, at a place that each version has once at most and that is in
// no list with a key twice, to those that a 3-way merge would not leave so.
func (c *checker) comments(p *place, covered bool) {
	for _, s := range p.spots[Result] {
		for _, text := range s.comments() {
			if !c.known[p.anywhere(text)] {
				c.object(p, "the comment %q is invented", text)
			}
		}
	}
	if covered || len(p.spots[Result]) != 1 || len(p.spots[Upstream])+len(p.spots[Local]) == 0 {
		return
	}
	var at [versions]slots
	for v, spots := range p.spots {
		if len(spots) > 1 {
			return
		}
		if len(spots) == 1 {
			at[v] = spots[0].slots()
		}
	}
	for i, got := range at[Result] {
		if o, u, l := at[Origin][i], at[Upstream][i], at[Local][i]; !p.mergedComment(got, o, u, l) {
			c.object(p, "the comment is %q: origin %q, upstream %q, local %q", got, o, u, l)
		}
	}
}

// mergedComment says whether a comment is one that a 3-way merge may give. A
// place that only one of upstream and local has, has its comments.
func (p *place) mergedComment(got, o, u, l string) bool {
	switch {
	case len(p.spots[Upstream]) == 0:
		return got == l
	case len(p.spots[Local]) == 0:
		return got == u
	case u == o:
		return got == l
	case l == o:
		return got == u
	}
	return got == u || got == l
}
