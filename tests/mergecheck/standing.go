package mergecheck

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// remark is a line of a comment that has lines of its own, and where it stands in a document:
// the field or element that the parser gives it to, and the ones before and after it.
type remark struct {
	text, owner, before, after string
	// end is the map or list at whose end the line stands, below its last field or element, "-" for none.
	end string
	// above says that the line stands right above its owner, without an empty line between.
	above bool
}

// places are a remark with its owner, with the parts before and after it, and at the end of a map
// or list. A loose comment has another owner once a field is added beside it, and the comment at an
// end once another field is the last.
func (r remark) places() []string {
	places := []string{r.text + "\x00of\x00" + r.owner, r.text + "\x00below\x00" + r.before, r.text + "\x00above\x00" + r.after}
	if r.end != "-" {
		places = append(places, r.text+"\x00end\x00"+r.end)
	}
	return places
}

// allowed are the places of a result where a side's remark may be: one right above a field stays
// there, or is above a field that the other side uncommented between the two. One above an element
// is below another one where the result lacks the element.
func (r remark) allowed() []string {
	if !r.above {
		return r.places()
	}
	allowed := []string{r.places()[0], r.text + "\x00uncommented above\x00" + r.owner}
	if strings.HasSuffix(r.owner, "\x00*") {
		allowed = append(allowed, r.text+"\x00below an element\x00"+r.owner)
	}
	return allowed
}

// belowElements are the places of a remark below the elements that end with the field before it.
func (r remark) belowElements() (places []string) {
	steps := strings.Split(r.before, "\x00")
	for i, step := range steps {
		if step == "*" {
			places = append(places, r.text+"\x00below an element\x00"+strings.Join(steps[:i+1], "\x00"))
		}
	}
	return places
}

// remarksOf are the remarks of a document in their order, as it is written: aliases are not
// followed. Fields and elements for which has is false are not before or after a remark.
func remarksOf(n *yaml.Node, has func(owner string) bool) []remark {
	w := remarkWalk{has: has}
	if n != nil {
		w.in(n, nil)
	}
	return w.found
}

// remarkWalk walks a document from top to bottom. All elements of a list have one name: fields
// of both sides may meet in one.
type remarkWalk struct {
	found []remark
	has   func(owner string) bool
	// last is the field or element above, and open are how many remarks have none below yet.
	last string
	open int
}

func (w *remarkWalk) in(n *yaml.Node, steps []string) {
	parts := below(n)
	for i, b := range parts {
		name, end := "*", "-"
		if i == len(parts)-1 {
			end = strings.Join(steps, "\x00")
		}
		if b.key != nil {
			name = b.key.Value
		}
		at := append(slices.Clip(steps), name)
		owner, comments := strings.Join(at, "\x00"), b.around()
		w.comment(comments[0], owner, "-", true)
		w.pass(owner)
		w.comment(comments[3], owner, "-", false)
		w.in(b.value, at)
		w.comment(comments[2], owner, end, false)
		w.comment(comments[4], owner, end, false)
	}
}

// comment notes the lines of a comment. Of one above a field, or above an element, the lines
// behind the last empty line stand right above it.
func (w *remarkWalk) comment(text, owner, end string, above bool) {
	loose := strings.LastIndex(text, "\n\n")
	if strings.HasSuffix(text, "\n") {
		loose = len(text)
	}
	at := 0
	for line := range strings.Lines(text) {
		if said := strings.TrimSpace(line); said != "" {
			w.found = append(w.found, remark{text: said, owner: owner, before: w.last, end: end, above: above && at > loose})
			w.open++
		}
		at += len(line)
	}
}

// pass comes to a field or an element.
func (w *remarkWalk) pass(at string) {
	if !w.has(at) {
		return
	}
	for i := range w.found[len(w.found)-w.open:] {
		w.found[len(w.found)-w.open+i].after = at
	}
	w.last, w.open = at, 0
}

// elsewhere finds a side's remarks that stand right above a field or an element in origin, and on the
// side below another field that it put in between, or where it removed the field. It also finds
// remarks that the other side has right above a field, and the side there in a column that gives them
// to another field. The result is by that field or element. The other side's lines above it go to the
// places of these remarks (rules/comments-and-text: comments between fields, changed and removed
// text).
func elsewhere(origin, other, side []remark) map[string][]remark {
	had, has := map[string]bool{}, map[string]bool{}
	of := func(r remark) string { return r.places()[0] }
	for _, r := range origin {
		had[of(r)] = true
	}
	for _, r := range side {
		has[of(r)] = true
	}
	out := map[string][]remark{}
	add := func(was []remark, isElsewhere func(to remark, owner string) bool) {
		for _, r := range was {
			if !r.above || strings.Trim(r.text, "# -=") == "" || has[of(r)] {
				continue
			}
			for _, to := range side {
				if to.text == r.text && isElsewhere(to, r.owner) {
					out[r.owner] = append(out[r.owner], to)
				}
			}
		}
	}
	add(origin, func(to remark, _ string) bool { return !had[of(to)] })
	add(other, func(to remark, owner string) bool { return to.after == owner })
	return out
}

// madeUp objects to a line of a comment in the result that neither upstream nor local has at
// its place: a comment right above a field stays there, a loose one stays below or above what
// it was below or above of, apart from fields that this side does not have: one of them may have
// the comment that was right above the next.
func (c *checker) madeUp() {
	var known [2]map[string]bool
	var owners [2]map[string]bool
	var remarks [2][]remark
	sides := [2]Version{Upstream, Local}
	for i, v := range sides {
		known[i], owners[i] = map[string]bool{}, map[string]bool{}
		for _, r := range remarksOf(c.Documents[v], func(owner string) bool { owners[i][owner] = true; return true }) {
			remarks[i] = append(remarks[i], r)
			for _, place := range r.allowed() {
				known[i][place] = true
			}
		}
	}
	inOrigin := map[string]bool{}
	origins := remarksOf(c.Documents[Origin], func(owner string) bool { inOrigin[owner] = true; return true })
	for i := range sides {
		to := elsewhere(origins, remarks[1-i], remarks[i])
		for _, r := range remarks[1-i] {
			for _, at := range to[r.owner] {
				if at.text = r.text; r.above {
					for _, place := range at.allowed() {
						known[i][place] = true
					}
				}
			}
		}
	}
	for _, v := range c.results() {
		has := map[string]bool{}
		remarksOf(c.Documents[v], func(owner string) bool { has[owner] = true; return true })
		for i := range sides {
			lacks := false
			for owner := range inOrigin {
				lacks = lacks || !owners[i][owner]
			}
			for _, r := range remarks[i] {
				if lacks && !has[r.owner] { // a field that the side commented out above one that is gone stays below the one above
					known[i][r.places()[1]] = true
				}
			}
		}
		var of [2][]remark
		for i := range sides {
			of[i] = remarksOf(c.Documents[v], func(owner string) bool { return owners[i][owner] })
		}
		for n, r := range of[0] {
			isKnown := func(i int) bool {
				places := append(of[i][n].places(), of[i][n].belowElements()...)
				if !owners[i][r.owner] {
					places = append(places, r.text+"\x00uncommented above\x00"+of[i][n].after)
				}
				return slices.ContainsFunc(places, func(place string) bool { return known[i][place] })
			}
			if !isKnown(0) && !isKnown(1) {
				c.objections = append(c.objections, strings.ReplaceAll(r.owner, "\x00", ".")+": the comment "+r.text+" is invented")
			}
		}
	}
}

// stays reports whether a side has a line of a comment where origin has it: one that it removed in one place and added in another
// is as often there, though both are changes.
func (c *checker) stays(line string, side Version) bool {
	var owners [versions][]string
	for _, v := range [2]Version{Origin, side} {
		for _, r := range remarksOf(c.Documents[v], func(string) bool { return true }) {
			if r.text == line {
				owners[v] = append(owners[v], r.owner)
			}
		}
		slices.Sort(owners[v])
	}
	return slices.Equal(owners[Origin], owners[side])
}

// onlyMoved reports whether the result has each line of the comments, which the versions have
// at one place, as often as a 3-way merge of the whole document may have it: the line stands
// elsewhere, and madeUp says whether it may.
func (c *checker) onlyMoved(comments ...string) bool {
	for line := range strings.Lines(strings.Join(comments, "\n")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		o, u, l := c.remarks[Origin][line], c.remarks[Upstream][line], c.remarks[Local][line]
		least, most := min(u, l), max(u, l, u+l-o)
		switch {
		case o == u && c.stays(line, Upstream):
			least, most = l, l
		case o == l && c.stays(line, Local):
			least, most = u, u
		}
		isIn := func(n int) bool { return n >= least && n <= most }
		r, x := c.remarks[Result][line], c.remarks[Marked][line]
		if c.Marks && r != x && (isIn(r) || r == l) && (isIn(x) || x == u) {
			continue
		}
		if !isIn(r) {
			return false
		}
	}
	return true
}
