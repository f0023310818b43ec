package report

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// maxHead is how much of a value stands before the gap where the gap is not in
	// its middle.
	maxHead = 12
	// maxLead is how far before a difference the step may begin that is shown.
	maxLead = 20
	// maxSteps bounds how much of two values is compared for a message.
	maxSteps = 100_000
)

// excerpt is a value as a message has it (design 5): a string in quotes, another
// scalar as it stands, a list or map on one line; cut in its middle to
// ShortValue bytes. Where the cut would hide the first place at which the value
// differs from other, which may be nil, that place is shown instead of the end.
func excerpt(n, other *yaml.Node) string { return excerptTo(n, other, ShortValue) }

// excerptTo is excerpt with another limit.
func excerptTo(n, other *yaml.Node, limit int) string {
	text, than := oneLine(n), ""
	if other != nil {
		than = oneLine(other)
	}
	short := wording.CutMiddle(text, limit)
	if short != text && other != nil && short == wording.CutMiddle(than, limit) {
		short = cutAround(text, differing(text, than), limit)
	}
	if isText(n) {
		return strconv.Quote(short)
	}
	return short
}

func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" }

// oneLine is a value's text: a scalar's own, a list or map as a line of YAML.
func oneLine(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	return wording.Flow(n)
}

// cutAround shortens text to at most limit bytes: its beginning, an wording.Ellipsis,
// and what stands at a place.
func cutAround(text string, at, limit int) string {
	start := at
	if step := strings.LastIndexAny(text[max(at-maxLead, 0):at], " \n{[,"); step >= 0 {
		start = max(at-maxLead, 0) + step + 1
	}
	head := text[:wording.RuneStart(text, maxHead)] + wording.Ellipsis
	if start <= len(head) {
		return wording.Cut(text, limit)
	}
	return head + wording.Cut(text[wording.RuneStart(text, start):], limit-len(head))
}

// differing is the first byte at which two texts differ.
func differing(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	return wording.RuneStart(a, i)
}
