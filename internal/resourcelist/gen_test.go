package resourcelist

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// gen draws the text of a list, with comments and empty lines in most of their possible places.
type gen struct {
	t *rapid.T
	b strings.Builder
}

// listText draws a ResourceList. outer allows comments outside the items.
func listText(t *rapid.T, outer bool) string {
	g := &gen{t: t}
	column := 2 * g.n(2)
	g.b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:" + g.lineComment() + "\n")
	for range 1 + g.n(4) {
		if outer && g.n(3) == 0 {
			g.own(g.n(column+1), "")
		}
		g.item(column)
	}
	if outer && g.n(3) == 0 {
		g.own(g.n(column+3), "")
	}
	if g.n(2) == 0 {
		g.b.WriteString("functionConfig:\n  data: {a: b}\n")
	}
	return g.b.String()
}

// n draws a number below limit.
func (g *gen) n(limit int) int {
	return rapid.IntRange(0, limit-1).Draw(g.t, "n")
}

// one draws one of the texts.
func (g *gen) one(texts ...string) string {
	return texts[g.n(len(texts))]
}

// item draws an item.
func (g *gen) item(column int) {
	fmt.Fprintf(&g.b, "%*s- ", column, "")
	if g.n(4) == 0 {
		fmt.Fprintf(&g.b, "# h%d\n%*s", g.n(10), column+2, "")
	}
	g.mapping(column+2, 3, true)
	if g.n(5) == 0 {
		g.b.WriteString("\n")
	}
}

// own draws comments and empty lines, in lines of their own.
func (g *gen) own(indent int, prefix string) {
	switch g.n(9) {
	case 0, 1:
		fmt.Fprintf(&g.b, "%s%*s# o%d\n", prefix, indent, "", g.n(10))
	case 2:
		g.b.WriteString("\n")
	case 3:
		fmt.Fprintf(&g.b, "%*s# o%d\n\n", indent, "", g.n(10))
	}
}

// lineComment draws a line comment or nothing.
func (g *gen) lineComment() string {
	if g.n(6) == 0 {
		return fmt.Sprintf(" # l%d", g.n(10))
	}
	return ""
}

// mapping draws a block mapping. If inline, the indentation of the first key is already written.
func (g *gen) mapping(indent, depth int, inline bool) {
	for i := range 1 + g.n(3) {
		if !inline || i > 0 {
			g.own(indent, "")
			if g.n(15) == 0 {
				g.own(indent-2+g.n(5), "")
			}
			fmt.Fprintf(&g.b, "%*s", indent, "")
		}
		key := g.one("metadata", fmt.Sprintf("k%d", i), fmt.Sprintf("'q%d'", i), fmt.Sprintf(`"d%d"`, i))
		g.b.WriteString(key + ":")
		g.value(indent, depth)
	}
	if g.n(4) == 0 {
		g.own(indent, "")
	}
}

// value draws the value of a field.
func (g *gen) value(indent, depth int) {
	switch {
	case depth > 0 && g.n(3) == 0:
		g.b.WriteString(g.lineComment() + "\n")
		g.mapping(indent+2, depth-1, false)
	case depth > 0 && g.n(3) == 0:
		g.b.WriteString(g.lineComment() + "\n")
		g.sequence(indent+2*g.n(2), depth-1)
	default:
		g.b.WriteString(strings.TrimRight(" "+g.scalar(indent), " ") + "\n")
	}
}

// sequence draws a block sequence.
func (g *gen) sequence(indent, depth int) {
	for range 1 + g.n(3) {
		g.own(indent, "")
		fmt.Fprintf(&g.b, "%*s- ", indent, "")
		if depth > 0 && g.n(2) == 0 {
			g.mapping(indent+2, depth-1, true)
		} else {
			g.b.WriteString(g.scalar(indent) + "\n")
		}
	}
	if g.n(4) == 0 {
		g.own(indent, "")
	}
}

// scalar draws a scalar or a flow collection, with a line comment at times.
func (g *gen) scalar(indent int) string {
	in := strings.Repeat(" ", indent+2)
	switch g.n(12) {
	case 0:
		return "|" + g.one("", "-", "+") + g.lineComment() + "\n" + in + "lit\n" + in + g.one("# in", "- a", "\tx", " y")
	case 1:
		return ">-\n" + in + "f\n\n" + in + "g"
	case 2:
		return "pl\n" + in + "ain" + g.lineComment()
	case 3:
		return "[a," + g.lineComment() + "\n" + in + "b]" + g.lineComment()
	case 4:
		return `"x` + g.one(`\n`, "\n"+in, " # ", "\n\n"+in) + `y"` + g.lineComment()
	}
	return g.one("v", "", "'q'", "{a: b}", "[]", "{}", "~", "0x1f", "on", "!t v") + g.lineComment()
}
