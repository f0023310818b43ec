package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// AddRule returns the text of a config file with one more rule before the other rules, unless it has
// that one already. rule is an element of conflicts.rules, over lines. All other lines stay, except in a
// config that has its rules in brackets.
func AddRule(name string, text []byte, rule string) ([]byte, error) {
	var added struct{ Conflicts Conflicts }
	parsed, err := ReadText("the rule", []byte(rule))
	if err != nil {
		return nil, err
	}
	added.Conflicts = parsed.Conflicts
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := append(closed(text), "conflicts:\n  rules:\n"+shiftLines(rule, 2)...)
	if len(document.Content) > 0 {
		before, err := ReadText(name, text)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(before.Conflicts.Rules, func(r ConflictRule) bool { return reflect.DeepEqual(r, added.Conflicts.Rules[0]) }) {
			return text, nil
		}
		if out, err = addRule(text, document.Content[0], rule); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	out = stream.LikeIn(out, text)
	after, err := ReadText(name, out)
	if err == nil && (len(after.Conflicts.Rules) == 0 || !reflect.DeepEqual(after.Conflicts.Rules[0], added.Conflicts.Rules[0])) {
		err = fmt.Errorf("%s: the rule cannot be added", name)
	}
	return out, err
}

// addRule adds a rule to a config that is not empty.
func addRule(text []byte, root *yaml.Node, rule string) ([]byte, error) {
	conflicts := yamlnode.Field(root, "conflicts")
	rules := yamlnode.Field(conflicts, "rules")
	switch {
	case root.Kind == yaml.SequenceNode && yamlnode.IsBlock(root): // rules alone
		return insertLines(text, root.Line, shiftLines(rule, root.Column-1)), nil
	case yamlnode.Field(root, "prefer") != nil && yamlnode.IsBlock(root): // one rule alone
		return []byte(rule + "- " + strings.TrimPrefix(shiftLines(string(closed(text)), 2), "  ")), nil
	case yamlnode.Text(yamlnode.Field(root, "kind")) == "ConfigMap":
		return nil, errors.New("a ConfigMap has no rules: write a " + configKind)
	case root.Kind == yaml.MappingNode && conflicts == nil && yamlnode.IsBlock(root):
		return append(closed(text), shiftLines("conflicts:\n  rules:\n"+shiftLines(rule, 2), root.Column-1)...), nil
	case conflicts != nil && rules == nil && yamlnode.IsBlock(conflicts):
		return insertLines(text, conflicts.Line, shiftLines("rules:\n"+rule, conflicts.Column-1)), nil
	case rules != nil && yamlnode.IsBlock(rules):
		return insertLines(text, rules.Line, shiftLines(rule, rules.Column-1)), nil
	}
	return encodeRule(root, rule)
}

// encodeRule adds a rule to a config that has brackets where the rule belongs, and encodes the config.
func encodeRule(root *yaml.Node, rule string) ([]byte, error) {
	var parsed yaml.Node
	if err := yaml.Unmarshal([]byte(rule), &parsed); err != nil {
		return nil, err
	}
	rules := yamlnode.Clone(parsed.Content[0])
	if root = completed(root); root.Kind != yaml.MappingNode {
		return nil, errors.New("the config is no map")
	}
	conflicts := yamlnode.Field(root, "conflicts")
	if conflicts == nil || conflicts.Kind != yaml.MappingNode {
		conflicts = yamlnode.EmptyMap()
	}
	rules.Content = append(rules.Content, yamlnode.Elements(yamlnode.Field(conflicts, "rules"))...)
	conflicts = yamlnode.Clone(yamlnode.Put(conflicts, nil, "rules", rules))
	conflicts.Style = 0
	root = yamlnode.Clone(yamlnode.Put(root, nil, "conflicts", conflicts))
	root.Style = 0
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(root), encoder.Close())
	return out.Bytes(), err
}

// insertLines inserts lines before a line of a text, counted from 1, and before the comments above it.
func insertLines(text []byte, line int, more string) []byte {
	lines := slices.Collect(bytes.Lines(closed(text)))
	for line > 1 && bytes.HasPrefix(bytes.TrimSpace(lines[line-2]), []byte("#")) {
		line--
	}
	return slices.Concat(bytes.Join(lines[:line-1], nil), []byte(more), bytes.Join(lines[line-1:], nil))
}

// shiftLines indents all lines that are not blank.
func shiftLines(text string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.Repeat(" ", columns))
		}
		b.WriteString(line)
	}
	return b.String()
}

// closed returns a text that ends with a line break, unless it is empty.
func closed(text []byte) []byte {
	if len(text) == 0 || bytes.HasSuffix(text, []byte("\n")) {
		return slices.Clip(text)
	}
	return append(slices.Clip(text), '\n')
}
