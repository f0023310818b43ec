package report

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// hidden stands for what may be secret.
	hidden = "(hidden)"
	// absent stands for the value of a side that has none.
	absent = "(absent)"
)

// Value is one side's value of a field, as everybody may see it.
type Value struct {
	// Present says that the side has the field.
	Present bool
	// Hidden says that the value is not shown, because it may be secret.
	Hidden bool
	// Text is the value as YAML, in lines where it has several; at most 4,096 bytes.
	Text string
	// Line is Text on one line, at most 256 bytes.
	Line string
	// Data is the value as JSON has it; nil where it is absent or null.
	Data any
}

// newValue is what is shown of a value, which may be nil.
func newValue(n *yaml.Node, show bool) Value {
	switch {
	case n == nil:
		return Value{Text: absent, Line: absent}
	case !show:
		return Value{Present: true, Hidden: true, Text: hidden, Line: hidden, Data: hidden}
	}
	d := data{budget: maxNodes}
	return Value{
		Present: true,
		Text:    wording.CutMiddle(visibleLines(textOf(n)), maxShown),
		Line:    visible(wording.CutMiddle(lineOf(n), maxValue)),
		Data:    d.of(n),
	}
}

// textOf is a value as YAML: a string of several lines as its lines, what else is
// a scalar as a file has it.
func textOf(n *yaml.Node) string {
	if isText(n) && strings.ContainsRune(n.Value, '\n') {
		return strings.TrimSuffix(n.Value, "\n")
	}
	if n.Kind == yaml.ScalarNode {
		return lineOf(n)
	}
	text, err := yaml.Marshal(n)
	if err != nil {
		return wording.Flow(n)
	}
	return strings.TrimSuffix(string(text), "\n")
}

// lineOf is a value on one line: a string that YAML would read as something else
// in quotes.
func lineOf(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		return wording.Flow(n)
	case !isText(n):
		return n.Value
	}
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}
	if plain.ShortTag() != "!!str" || n.Value == "" || strings.TrimSpace(n.Value) != n.Value {
		return `"` + n.Value + `"`
	}
	return n.Value
}
