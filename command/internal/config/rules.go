package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/stream"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/sink"
)

// Edited is the config in a package's directory before and after an edit: one file, or none.
type Edited struct{ Before, After []pkgmerge.File }

// Edit edits the config in a package's directory, which may be missing. It writes nothing. A config without a byte is
// no file.
func Edit(dir string, edit func(text []byte) ([]byte, error)) (e Edited, err error) {
	name := filepath.Join(dir, file.Config)
	before := pkgmerge.File{Name: file.Config, Mode: 0o644}
	before.Data, err = file.ReadBeside(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return e, err
	}
	if err == nil {
		info, err := os.Lstat(name)
		if err != nil {
			return e, err
		}
		before.Mode |= info.Mode() & 0o111
		e.Before = []pkgmerge.File{before}
	}
	after := before
	if after.Data, err = edit(before.Data); err == nil && len(after.Data) > 0 {
		e.After = []pkgmerge.File{after}
	}
	return e, err
}

// Write writes the edited config into the package's directory: as a whole, or not at all. It is an error if somebody
// changed the config since Edit.
func (e Edited) Write(ctx context.Context, dir string) error {
	return sink.Overwrite{Dir: dir, Read: e.Before}.WriteFiles(ctx, e.After)
}

// learnedIn returns the comment above a rule that says how the rule was learned, without its #, "" if there
// is none (rules/learn: the rules).
func learnedIn(rule *yaml.Node) string {
	form := regexp.MustCompile(`^# ((?:kept ours|took upstream's) \d+ of \d+ times, last in [0-9a-f]+)$`)
	for line := range strings.Lines(rule.HeadComment) {
		if found := form.FindStringSubmatch(strings.TrimSpace(line)); found != nil {
			return found[1]
		}
	}
	return ""
}

// Learned returns the rules that were learned.
func (s Settings) Learned() (rules []ConflictRule) {
	for i, how := range s.learned {
		if how != "" {
			rules = append(rules, s.Conflicts.Rules[i])
		}
	}
	return rules
}

// ByHand returns the settings without the rules that were learned.
func (s Settings) ByHand() Settings {
	s.Conflicts.Rules, s.policy.Rules = slices.Clone(s.Conflicts.Rules), slices.Clone(s.policy.Rules)
	for i := len(s.learned) - 1; i >= 0; i-- {
		if s.learned[i] != "" {
			s.Conflicts.Rules, s.policy.Rules = slices.Delete(s.Conflicts.Rules, i, i+1), slices.Delete(s.policy.Rules, i, i+1)
		}
	}
	s.learned = make([]string, len(s.policy.Rules))
	return s
}

// WithLearned returns the text of a config file with other learned rules, which follow all rules written by
// hand. rules are elements of conflicts.rules, over lines, each below its comment. All other lines stay. The
// result is empty if nothing is left.
func WithLearned(name string, text []byte, rules string) ([]byte, error) {
	was, err := readIfAny(name, text)
	if err != nil {
		return nil, err
	}
	more, err := readIfAny("the learned rules", []byte(rules))
	if err != nil {
		return nil, err
	}
	out, err := withoutLearned(text)
	if err == nil && rules != "" {
		out, err = appendRules(out, rules)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out = stream.LikeIn(out, text)
	is, err := readIfAny(name, out)
	want := slices.Concat(was.ByHand().Conflicts.Rules, more.Conflicts.Rules)
	if err == nil && !slices.EqualFunc(is.Conflicts.Rules, want, func(a, b ConflictRule) bool { return reflect.DeepEqual(a, b) }) {
		err = fmt.Errorf("%s: the learned rules cannot be added; write conflicts.rules as a list over lines", name)
	}
	return out, err
}

// readIfAny is ReadText, and returns no settings for a blank text.
func readIfAny(name string, text []byte) (Settings, error) {
	if isBlank(text) {
		return Settings{}, nil
	}
	return ReadText(name, text)
}

// isBlank reports whether a text has neither fields nor comments.
func isBlank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// withoutLearned returns the text of a config without its learned rules, and without the keys above them if
// they hold nothing else.
func withoutLearned(text []byte) ([]byte, error) {
	document, err := parseText(text)
	if err != nil || len(document.Content) == 0 {
		return text, err
	}
	root := document.Content[0]
	conflicts, list := yamlnode.Field(root, "conflicts"), ruleList(root)
	lines := slices.Collect(bytes.Lines(text))
	drop, left := map[int]bool{}, 0
	for _, rule := range yamlnode.Elements(list) {
		if learnedIn(rule) == "" {
			left++
			continue
		}
		dropRule(rule, lines, drop)
	}
	if left == 0 && len(drop) > 0 && conflicts != nil {
		dropKey(root, "conflicts", drop, len(conflicts.Content) > 2)
		dropKey(conflicts, "rules", drop, false)
	}
	return keepLines(lines, drop), nil
}

// keepLines joins lines without those whose numbers are marked.
func keepLines(lines [][]byte, drop map[int]bool) (out []byte) {
	for i, line := range lines {
		if !drop[i+1] {
			out = append(out, line...)
		}
	}
	return out
}

// dropRule marks the numbers of the lines of a learned rule, with the comments above it that tell how it was learned.
func dropRule(rule *yaml.Node, lines [][]byte, drop map[int]bool) {
	for above := rule.Line - 2; above >= 0 && isLearnedLine(lines[above]); above-- {
		drop[above+1] = true
	}
	for line := rule.Line; line <= lastLine(rule); line++ {
		drop[line] = true
	}
}

// ruleList returns the rules of a config: conflicts.rules, or the whole config.
func ruleList(root *yaml.Node) *yaml.Node {
	if root.Kind == yaml.SequenceNode {
		return root
	}
	return yamlnode.Lookup(root, "conflicts", "rules")
}

func isLearnedLine(line []byte) bool {
	return learnedIn(&yaml.Node{HeadComment: string(bytes.TrimSpace(line))}) != ""
}

// dropKey drops the line of a key, unless it stays.
func dropKey(mapping *yaml.Node, name string, drop map[int]bool, stays bool) {
	if key, _ := yamlnode.Entry(mapping, name); key != nil && !stays {
		drop[key.Line] = true
	}
}

// lastLine returns the number of the last line of a node whose scalars have one line each.
func lastLine(n *yaml.Node) (last int) {
	yamlnode.Walk(n, func(n *yaml.Node) { last = max(last, n.Line) })
	return last
}

// appendRules adds rules after the rules of a config.
func appendRules(text []byte, rules string) ([]byte, error) {
	document, err := parseText(text)
	if err != nil {
		return nil, err
	}
	if len(document.Content) == 0 {
		return append(closed(text), "conflicts:\n  rules:\n"+shiftLines(rules, 2)...), nil
	}
	root := document.Content[0]
	conflicts, list := yamlnode.Field(root, "conflicts"), ruleList(root)
	switch {
	case !yamlnode.IsBlock(root) || conflicts != nil && !yamlnode.IsBlock(conflicts):
		return nil, errors.New("the learned rules cannot be added to a map in brackets; write conflicts over lines")
	case yamlnode.Field(root, "prefer") != nil: // one rule alone
		one := strings.TrimPrefix(shiftLines(string(closed(text)), 2), "  ")
		return []byte("- " + one + rules), nil
	case list == nil:
		return addRule(text, root, rules, 0)
	case len(list.Content) > 0 && !yamlnode.IsBlock(list):
		return nil, errors.New("the learned rules cannot be added to rules in brackets; write each rule on a line of its own, after a -")
	}
	return appendToList(text, conflicts, list, rules), nil
}

// appendToList adds rules, each over lines, after the elements of the list of rules.
func appendToList(text []byte, conflicts, list *yaml.Node, rules string) []byte {
	lines := slices.Collect(bytes.Lines(closed(text)))
	at, column := lastLine(list), list.Column-1
	if len(list.Content) == 0 { // []
		line := bytes.Replace(lines[at-1], []byte("[]"), nil, 1)
		lines[at-1] = append(bytes.TrimRight(line, " \r\n"), '\n')
		column = conflicts.Column - 1
	}
	return slices.Concat(bytes.Join(lines[:at], nil), []byte(shiftLines(rules, column)), bytes.Join(lines[at:], nil))
}

// AddRule returns the text of a config file with one more rule, before the other rules that may decide what it decides:
// after the first ones that are about parts of its field. A config that has the rule, and before it no other one
// about the same field, stays as it is. rule is an element of conflicts.rules, over lines. All other lines stay,
// except in a config that has its rules in brackets.
func AddRule(name string, text []byte, rule string) ([]byte, error) {
	parsed, err := ReadText("the rule", []byte(rule))
	if err != nil {
		return nil, err
	}
	added, at := parsed.Conflicts.Rules[0], 0
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, explained(err, text))
	}
	out := append(closed(text), "conflicts:\n  rules:\n"+shiftLines(rule, 2)...)
	if len(document.Content) > 0 {
		before, err := ReadText(name, text)
		if err != nil {
			return nil, err
		}
		rules := before.Conflicts.Rules
		if same := slices.IndexFunc(rules, added.isAboutSame); same >= 0 && reflect.DeepEqual(rules[same], added) {
			return text, nil
		}
		for at < len(rules) && rules[at].isPartOf(added) {
			at++
		}
		if out, err = addRule(text, document.Content[0], rule, at); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	out = stream.LikeIn(out, text)
	return out, checkAddedRule(name, out, added, at)
}

// isAboutSame reports whether two rules differ in nothing but their preference.
func (r ConflictRule) isAboutSame(other ConflictRule) bool {
	r.Prefer = other.Prefer
	return reflect.DeepEqual(r, other)
}

// isPartOf reports whether a rule is about a field below the one of another rule, of the same resources.
func (r ConflictRule) isPartOf(other ConflictRule) bool {
	below, is := strings.CutPrefix(r.Path, other.Path)
	r.Path = other.Path
	return is && r.isAboutSame(other) && below != "" && (other.Path == "" || below[0] == '.' || below[0] == '[')
}

// checkAddedRule returns an error if a config does not have an added rule at its place.
func checkAddedRule(name string, text []byte, added ConflictRule, at int) error {
	after, err := ReadText(name, text)
	if err == nil && (len(after.Conflicts.Rules) <= at || !reflect.DeepEqual(after.Conflicts.Rules[at], added)) {
		err = fmt.Errorf("%s: the rule cannot be added", name)
	}
	return err
}

// addRule adds a rule to a config that is not empty, before the rule at an index.
func addRule(text []byte, root *yaml.Node, rule string, at int) ([]byte, error) {
	conflicts := yamlnode.Field(root, "conflicts")
	rules := yamlnode.Field(conflicts, "rules")
	switch {
	case root.Kind == yaml.SequenceNode && yamlnode.IsBlock(root): // rules alone
		return insertElement(text, root, rule, at), nil
	case yamlnode.Field(root, "prefer") != nil && yamlnode.IsBlock(root): // one rule alone
		both := [2]string{rule, "- " + strings.TrimPrefix(shiftLines(string(closed(text)), 2), "  ")}
		return []byte(both[at] + both[1-at]), nil
	case yamlnode.Text(yamlnode.Field(root, "kind")) == "ConfigMap":
		return nil, errors.New("a ConfigMap has no rules: write a " + configKind)
	case root.Kind == yaml.MappingNode && conflicts == nil && yamlnode.IsBlock(root):
		return append(closed(text), shiftLines("conflicts:\n  rules:\n"+shiftLines(rule, 2), root.Column-1)...), nil
	case conflicts != nil && rules == nil && yamlnode.IsBlock(conflicts):
		return insertLines(text, conflicts.Line, shiftLines("rules:\n"+rule, conflicts.Column-1)), nil
	case rules != nil && yamlnode.IsBlock(rules):
		return insertElement(text, rules, rule, at), nil
	}
	return encodeRule(root, rule, at)
}

// insertElement inserts an element into a list over lines, before the one at an index.
func insertElement(text []byte, list *yaml.Node, element string, at int) []byte {
	line := lastLine(list) + 1
	if at < len(list.Content) {
		line = list.Content[at].Line
	}
	return insertLines(text, line, shiftLines(element, list.Column-1))
}

// encodeRule adds a rule to a config that has brackets where the rule belongs, and encodes the config.
func encodeRule(root *yaml.Node, rule string, at int) ([]byte, error) {
	var parsed yaml.Node
	if err := yaml.Unmarshal([]byte(rule), &parsed); err != nil {
		return nil, err
	}
	if root = completed(root); root.Kind != yaml.MappingNode {
		return nil, errors.New("the config is no map")
	}
	conflicts := yamlnode.MapOf(yamlnode.Field(root, "conflicts"))
	rules := yamlnode.Clone(parsed.Content[0])
	rules.Content = slices.Insert(slices.Clone(yamlnode.Elements(yamlnode.Field(conflicts, "rules"))), at, rules.Content...)
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
