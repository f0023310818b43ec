package mergecheck

import (
	"fmt"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// facts are a value as far as it can be counted: a scalar's kind and text, or
// that there is a map or list, whose content counts at places of its own. An
// image is two facts, if the sides' names end alike, and what was merged line by line
// is its lines.
func (p *place) facts(s spot) []string {
	switch {
	case p.lines:
		return lines(s.value)
	case s.value.Kind == yaml.MappingNode:
		return []string{"a map" + ownTag(s.value)}
	case s.value.Kind == yaml.SequenceNode:
		return []string{"a list" + ownTag(s.value)}
	case (p.scalar == schema.Image || p.hasMirror()) && p.endsAlike():
		if parts := imageParts.FindStringSubmatch(s.value.Value); parts != nil {
			return []string{"the name " + strconv.Quote(parts[1]), "the tag " + strconv.Quote(parts[2])}
		}
	}
	return []string{scalar(s.value)}
}

// ownTag is the tag of a map or list that is not YAML's own, with a space before it.
func ownTag(n *yaml.Node) string {
	if tag := n.ShortTag(); !strings.HasPrefix(tag, "!!") {
		return " " + tag
	}
	return ""
}

// hasMirror reports whether a text is one image with a repository and a tag on all sides, and local's is in another repository than
// upstream's: it is known by its form (rules/fields: images).
func (p *place) hasMirror() bool {
	names := map[string]bool{}
	for _, spots := range p.spots[:Result] {
		for _, s := range spots {
			parts := imageParts.FindStringSubmatch(s.value.Value)
			if s.value.Kind != yaml.ScalarNode || parts == nil || parts[2] == "" || !strings.Contains(parts[1], "/") {
				return false
			}
			names[parts[1]] = true
		}
	}
	return len(names) == 2
}

// endsAlike reports whether the images that the sides have at a place have names with one last
// component, or local's is a mirror of the one that upstream still has.
func (p *place) endsAlike() bool {
	ends := map[string]bool{}
	var names, tags [Result]string
	for v, spots := range p.spots[:Result] {
		for _, s := range spots {
			if parts := imageParts.FindStringSubmatch(s.value.Value); parts != nil {
				ends[path.Base(parts[1])] = true
				names[v], tags[v] = parts[1], parts[2]
			}
		}
	}
	was, _, _ := strings.Cut(tags[Origin], "@")
	mirrored := names[Origin] == names[Upstream] && (tags[Local] == tags[Origin] || tags[Local] == tags[Upstream] || tags[Local] == was)
	return len(ends) <= 1 || mirrored && names[Origin] != ""
}

// imageParts takes an image apart, as the reference grammar of container
// registries has it: name, and tag with digest.
var imageParts = regexp.MustCompile(`^((?:[\w.-]+(?::\w+)?/)?[\w.-]+(?:/[\w.-]+)*)((?::[\w.-]+)?(?:@[\w.+-]+:\w+)?)$`)

// withAmounts writes the quantities below a node of a document, which it alters,
// as amounts.
func (c *checker) withAmounts(n *yaml.Node, steps []string) *yaml.Node {
	for i, child := range n.Content {
		switch {
		case n.Kind != yaml.MappingNode:
			c.withAmounts(child, append(slices.Clip(steps), kindStep(child)))
		case i%2 == 1:
			c.withAmounts(child, append(slices.Clip(steps), n.Content[i-1].Value))
		}
	}
	if n.Kind == yaml.ScalarNode && c.Scalars != nil && c.Scalars(steps) == schema.Quantity {
		if text, ok := Amount(n); ok {
			n.Tag, n.Value, n.Style = "!!str", "the amount "+text, 0
		}
	}
	return n
}

// Amount is a quantity as a fraction, as Kubernetes reads it, and whether it is
// one. An amount below a billionth is exact here, where Kubernetes rounds it.
func Amount(n *yaml.Node) (string, bool) {
	text := n.Value
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		text = strings.TrimSuffix(scalar(n), " (float)")
	}
	parts := amountParts.FindStringSubmatch(text)
	if parts == nil {
		return "", false
	}
	amount, isNumber := new(big.Rat).SetString(parts[1])
	if !isNumber {
		return "", false
	}
	base, exponent := int64(10), 0
	switch unit := parts[2]; {
	case parts[3] != "":
		var err error
		if exponent, err = strconv.Atoi(parts[3]); err != nil || exponent < -99 || exponent > 99 {
			return "", false
		}
	case strings.HasSuffix(unit, "i"):
		base, exponent = 2, 10*(strings.Index("KMGTPE", unit[:1])+1)
	case unit != "":
		exponent = 3 * (strings.Index("num kMGTPE", unit) - 3)
	}
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		unit.Inv(unit)
	}
	return amount.Mul(amount, unit).RatString(), true
}

// amountParts takes a quantity apart: number, and unit, which may be an exponent.
var amountParts = regexp.MustCompile(`^([+-]?(?:\d+\.?\d*|\.\d+))([KMGTPE]i|[numkMGTPE]|[eE]([+-]?\d+)|)$`)

// lines are the lines of a string, or of each string of a list.
func lines(n *yaml.Node) []string {
	var out []string
	if n.Kind == yaml.ScalarNode {
		for _, line := range strings.SplitAfter(n.Value, "\n") {
			out = append(out, "the line "+strconv.Quote(line))
		}
	}
	for i, c := range n.Content {
		for _, line := range lines(c) {
			out = append(out, fmt.Sprintf("%d: %s", i, line))
		}
	}
	return out
}

// word reports whether a scalar is one of the plain words that YAML 1.1 has for
// booleans, and yaml.v3 reads as strings.
func word(n *yaml.Node) bool {
	return n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0 && n.ShortTag() == "!!str" &&
		slices.Contains([]string{"y", "yes", "on", "n", "no", "off"}, strings.ToLower(n.Value))
}
