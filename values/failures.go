package values

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"sigs.k8s.io/yaml"
)

// Failure is a call of fail or required in a template of the new chart that the user's values certainly reach.
type Failure struct {
	// Template and Line are the place of the call.
	Template string
	Line     int
	// Message is the text of the call, "" if it is not known or has a value that is not to be shown.
	Message string
	// Path is the value that is required, or the first one in the nearest condition above the call, nil if there is none.
	Path []string
	// File and UserLine are the place of the user's line at the path, "" and 0 if the user has none.
	File     string
	UserLine int
}

const (
	// maxSteps is the number of nodes of templates that are evaluated, above which no further failure is looked for.
	maxSteps = 200_000
	// maxFailures is the number of failures that are named.
	maxFailures = 5
)

// open is a value that is not known before the chart is installed.
type open struct{}

// unknownFields is the name of a field that a map has whose fields are not known.
const unknownFields = "\x00"

// contextOf is the context of a chart's templates: its values, and fields of Helm that are not known.
type contextOf struct {
	values any // a tree, or open
	path   []string
}

// failures returns the failures of the new chart's templates. Those of the old chart's with the user's values are left out: something
// that the files lack, such as --set, keeps helm from them.
func (c *comparison) failures() []Failure {
	found := c.upstream.failures(c.nowUses, coalesce(c.user, c.now.values))
	if len(found) > 0 && c.origin != c.upstream {
		was := c.origin.failures(c.oldUses, coalesce(c.user, c.old.values))
		found = slices.DeleteFunc(found, func(f Failure) bool {
			return slices.ContainsFunc(was, func(o Failure) bool { return o.Message == f.Message && slices.Equal(o.Path, f.Path) })
		})
	}
	for i := range found {
		if text := found[i].Message; c.showsSecret(text, coalesce(c.user, c.now.values), nil) || holdsSecret(text) {
			found[i].Message = ""
		}
		for _, l := range c.lines {
			if f := &found[i]; f.Path != nil && l.overriddenBy == "" && (hasPrefix(l.path, f.Path) || hasPrefix(f.Path, l.path)) {
				f.File, f.UserLine = l.file, l.number
				break
			}
		}
	}
	return found[:min(len(found), maxFailures)]
}

// showsSecret reports whether a text has a value in it that is not to be shown.
func (c *comparison) showsSecret(text string, value any, path []string) bool {
	switch value := value.(type) {
	case tree:
		return slices.ContainsFunc(sortedNames(value), func(name string) bool {
			return c.showsSecret(text, value[name], append(slices.Clone(path), name))
		})
	case string:
		return value != "" && strings.Contains(text, value) && c.isSecret(path)
	}
	return false
}

// failures evaluates the templates that Helm runs, as far as values decide what they do.
func (c *Chart) failures(f *follower, values tree) []Failure {
	if c.isFile || f.hasNews || slices.ContainsFunc(f.texts, func(t template) bool { return strings.Contains(t.text, "unset ") }) {
		return nil // a template may remove a value before another one reads it
	}
	known := f.withOpen(values, nil)
	e := &evaluation{follower: f, seen: map[string]bool{}}
	for _, m := range f.mains {
		if context, runs := c.contextFor(known, m.scope.path); runs {
			e.run(m.tree, context)
		}
	}
	return e.found
}

// withOpen returns values with an open one in place of each that a template sets.
func (f *follower) withOpen(value any, path []string) any {
	m, is := value.(tree)
	if !is {
		return value
	}
	added := f.added[joined(path)]
	if added[mergedName] != nil || added[computedName] != nil || added[anyName] != nil {
		return open{}
	}
	out := tree{}
	for name, below := range m {
		out[name] = f.withOpen(below, append(slices.Clone(path), name))
	}
	for name := range added {
		out[name] = open{}
	}
	return out
}

// contextFor returns the context of a chart or subchart, and reports whether Helm is sure to run its templates.
func (c *Chart) contextFor(values any, path []string) (context *contextOf, runs bool) {
	at := c
	for _, name := range path {
		children, missing := at.children()
		i := slices.IndexFunc(children, func(child child) bool { return child.key == name })
		m, is := values.(tree)
		if i < 0 || len(missing) > 0 || !is || !children[i].isOn(m) {
			return nil, false
		}
		below, is := m[name].(tree)
		if !is {
			return nil, false
		}
		if shared, hasShared := m["global"]; hasShared {
			own, _ := below["global"].(tree)
			all, is := shared.(tree)
			below = maps.Clone(below)
			below["global"] = open{}
			if is {
				below["global"] = coalesce(all, own)
			}
		}
		values, at = below, children[i].chart
	}
	return &contextOf{values, path}, true
}

// isOn reports whether the condition and the tags of a dependency are sure to switch it on.
func (d dependency) isOn(values tree) bool {
	for condition := range strings.SplitSeq(d.Condition, ",") {
		switch value, _ := lookup(values, strings.Split(strings.TrimSpace(condition), ".")); value := value.(type) {
		case bool:
			return value
		case open:
			return false
		}
	}
	hasOff := false
	for _, tag := range d.Tags {
		switch value, _ := lookup(values, []string{"tags", tag}); value := value.(type) {
		case bool:
			if value {
				return true
			}
			hasOff = true
		case open:
			return false
		}
	}
	return !hasOff
}

// evaluation runs templates with values of which some are open. What depends on an open one is not run.
type evaluation struct {
	*follower
	seen  map[string]bool // the failures, by place
	found []Failure
	steps int
	calls int
}

// frame is one run of a template.
type frame struct {
	*evaluation
	tree      *parse.Tree
	context   *contextOf // nil if the dot is none
	variables map[string]any
	output    strings.Builder
	isOpen    bool // the output is not known
	// conditions are the conditions that led here, from the outermost.
	conditions []parse.Node
	// unsure says that what is evaluated may not be run.
	unsure bool
}

// run evaluates a template, and returns its output.
func (e *evaluation) run(t *parse.Tree, dot any, conditions ...parse.Node) any {
	f := &frame{evaluation: e, tree: t, variables: map[string]any{"$": dot}, conditions: conditions}
	f.context, _ = dot.(*contextOf)
	if e.calls++; e.calls <= maxCalls {
		f.list(t.Root, dot)
	}
	e.calls--
	if f.isOpen || e.calls >= maxCalls {
		return open{}
	}
	return f.output.String()
}

func (f *frame) list(l *parse.ListNode, dot any) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		if f.steps++; f.steps > maxSteps {
			f.isOpen, f.unsure = true, true
			return
		}
		f.node(n, dot)
	}
}

func (f *frame) write(value any) {
	text, known := textOfValue(value)
	f.isOpen = f.isOpen || !known
	f.output.WriteString(text)
}

func (f *frame) node(n parse.Node, dot any) {
	switch n := n.(type) {
	case *parse.TextNode:
		f.output.Write(n.Text)
	case *parse.ActionNode:
		value := f.pipe(n.Pipe, dot)
		if len(n.Pipe.Decl) == 0 {
			f.write(value)
		}
	case *parse.IfNode:
		f.branch(&n.BranchNode, dot, func(any) any { return dot })
	case *parse.WithNode:
		f.branch(&n.BranchNode, dot, func(value any) any { return value })
	case *parse.RangeNode:
		f.loop(n, dot)
	case *parse.TemplateNode:
		var context any
		if n.Pipe != nil {
			context = f.pipe(n.Pipe, dot)
		}
		f.write(f.included(n.Name, context))
	case *parse.BreakNode, *parse.ContinueNode:
		f.isOpen, f.unsure = true, true // what follows may not be run
	}
}

func (f *frame) branch(n *parse.BranchNode, dot any, inside func(value any) any) {
	value := f.pipe(n.Pipe, dot)
	truth, known := truthOf(value)
	switch {
	case !known:
		f.skip(n)
	case truth:
		f.block(n, n.List, inside(value))
	default:
		f.block(n, n.ElseList, dot)
	}
}

// block evaluates a list that a condition led to.
func (f *frame) block(condition *parse.BranchNode, l *parse.ListNode, dot any) {
	outer, conditions := maps.Clone(f.variables), f.conditions
	f.conditions = append(slices.Clip(conditions), condition.Pipe)
	f.list(l, dot)
	f.conditions = conditions
	for name := range outer {
		outer[name] = f.variables[name]
	}
	f.variables = outer
}

// skip leaves out a block that may be run or not: its output and the variables that it sets are open, and with them all dicts
// that it may have changed.
func (f *frame) skip(n *parse.BranchNode) {
	f.isOpen = true
	text := n.String()
	mutates := slices.ContainsFunc([]string{"set ", "erge", "include ", "template "}, func(word string) bool { return strings.Contains(text, word) })
	for name, value := range f.variables {
		m, isMap := value.(tree)
		if name != "$" && (strings.Contains(text, name+" = ") || isMap && mutates) {
			if isMap && mutates {
				clear(m)
				m[unknownFields] = open{}
			}
			f.variables[name] = open{}
		}
	}
	if m, isMap := f.variables["$"].(tree); isMap && mutates {
		clear(m)
		m[unknownFields] = open{}
	}
}

func (f *frame) loop(n *parse.RangeNode, dot any) {
	over := f.pipe(&parse.PipeNode{NodeType: n.Pipe.NodeType, Pos: n.Pipe.Pos, Cmds: n.Pipe.Cmds}, dot)
	turn := func(key, value any) {
		if decl := n.Pipe.Decl; len(decl) > 0 {
			f.variables[decl[len(decl)-1].Ident[0]] = value
			if len(decl) > 1 {
				f.variables[decl[0].Ident[0]] = key
			}
		}
		f.block(&n.BranchNode, n.List, value)
	}
	outer := maps.Clone(f.variables)
	switch over := over.(type) {
	case []any:
		for i, value := range over {
			turn(float64(i), value)
		}
		if len(over) == 0 {
			f.block(&n.BranchNode, n.ElseList, dot)
		}
	case tree:
		if over[unknownFields] != nil {
			f.skip(&n.BranchNode)
			break
		}
		for _, name := range sortedNames(over) {
			turn(name, over[name])
		}
		if len(over) == 0 {
			f.block(&n.BranchNode, n.ElseList, dot)
		}
	case nil:
		f.block(&n.BranchNode, n.ElseList, dot)
	default:
		f.skip(&n.BranchNode)
	}
	for name := range outer {
		outer[name] = f.variables[name]
	}
	f.variables = outer
}

// pipe returns the value of a pipeline, and sets its variables.
func (f *frame) pipe(p *parse.PipeNode, dot any) (value any) {
	for i, c := range p.Cmds {
		value = f.command(c, dot, value, i > 0)
	}
	for _, v := range p.Decl {
		f.variables[v.Ident[0]] = value
	}
	return value
}

func (f *frame) command(c *parse.CommandNode, dot, last any, piped bool) any {
	function, is := c.Args[0].(*parse.IdentifierNode)
	if !is {
		if len(c.Args) > 1 || piped {
			return open{} // a method
		}
		return f.argument(c.Args[0], dot)
	}
	var arguments []any
	unsure := f.unsure
	for _, a := range c.Args[1:] {
		value := f.argument(a, dot)
		arguments = append(arguments, value)
		if truth, known := truthOf(value); function.Ident == "and" && !truth || function.Ident == "or" && (truth || !known) {
			if known {
				f.unsure = unsure
				return value
			}
			f.unsure = true // the arguments that follow may not be evaluated
		} else if function.Ident == "and" && !known {
			f.unsure = true
		}
	}
	f.unsure = unsure
	if piped {
		arguments = append(arguments, last)
	}
	switch function.Ident {
	case "fail":
		f.fail(c, arguments, nil, dot)
		return open{}
	case "required":
		if len(arguments) == 2 && (arguments[1] == nil || arguments[1] == "") {
			f.fail(c, arguments[:1], c.Args[len(c.Args)-1], dot)
			return open{}
		}
	case "include":
		if name, is := at(arguments, 0).(string); is && len(arguments) == 2 {
			return f.included(name, arguments[1])
		}
		return open{}
	case "tpl":
		text, is := at(arguments, 0).(string)
		if is && !strings.Contains(text, "{{") {
			return text
		}
		return open{}
	}
	return result(function.Ident, arguments)
}

// at returns an argument, an open value if there is none.
func at(arguments []any, i int) any {
	if i >= len(arguments) {
		return open{}
	}
	return arguments[i]
}

// included returns the output of a named template.
func (f *frame) included(name string, context any) any {
	t := f.named[name]
	if t == nil || f.isPartial || f.unsure {
		return open{}
	}
	return f.run(t, context, f.conditions...)
}

func (f *frame) argument(n parse.Node, dot any) any {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return f.fields(dot, n.Ident)
	case *parse.VariableNode:
		value, found := f.variables[n.Ident[0]]
		if !found {
			return open{}
		}
		return f.fields(value, n.Ident[1:])
	case *parse.ChainNode:
		return f.fields(f.argument(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return f.pipe(n, dot)
	case *parse.IdentifierNode:
		return result(n.Ident, nil)
	case *parse.StringNode:
		return n.Text
	case *parse.BoolNode:
		return n.True
	case *parse.NumberNode:
		if n.IsFloat {
			return n.Float64
		}
		return open{}
	case *parse.NilNode:
		return nil
	}
	return open{}
}

func (f *frame) fields(value any, names []string) any {
	for _, name := range names {
		switch of := value.(type) {
		case *contextOf:
			if name != "Values" || f.isSet(of.path, name) {
				return open{}
			}
			value = of.values
		case tree:
			below, found := of[name]
			if of[unknownFields] != nil || !found && (isMethod(name) || name == "AsMap") {
				return open{}
			}
			value = below
		default: // templates fail on a field of nothing in another way
			return open{}
		}
	}
	return value
}

// isSet reports whether a template sets a field of the context of a chart.
func (f *frame) isSet(path []string, name string) bool {
	return slices.ContainsFunc(f.mains, func(m main) bool {
		return slices.Equal(m.scope.path, path) && (m.scope.fields[name] != nil || m.scope.fields[mergedName] != nil)
	})
}

// fail records a failure, unless the call may not be reached.
func (f *frame) fail(c *parse.CommandNode, message []any, required parse.Node, dot any) {
	if f.unsure {
		return
	}
	out := Failure{Template: f.tree.ParseName}
	place, _ := f.tree.ErrorContext(c)
	if _, rest, found := strings.Cut(strings.TrimPrefix(place, f.tree.ParseName), ":"); found {
		line, _, _ := strings.Cut(rest, ":")
		out.Line, _ = strconv.Atoi(line)
	}
	key := fmt.Sprintf("%s:%d", out.Template, out.Line)
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	if text, is := at(message, 0).(string); is {
		out.Message = strings.TrimSpace(text)
	}
	out.Path = f.pathIn(required)
	for i := len(f.conditions) - 1; i >= 0 && out.Path == nil; i-- {
		out.Path = f.pathIn(f.conditions[i])
	}
	f.found = append(f.found, out)
}

// pathIn returns the path of the first value in a node that is read from a chart's context.
func (f *frame) pathIn(n parse.Node) (path []string) {
	switch n := n.(type) {
	case *parse.PipeNode:
		for _, c := range n.Cmds {
			if path = f.pathIn(c); path != nil {
				return path
			}
		}
	case *parse.CommandNode:
		for i, a := range n.Args {
			path = f.pathIn(a)
			if field, isField := a.(*parse.FieldNode); isField && i == 1 && slices.Equal(field.Ident, []string{"Values"}) && len(n.Args) > 2 {
				if name, is := n.Args[2].(*parse.StringNode); is { // hasKey, index
					return f.pathIn(&parse.FieldNode{Ident: []string{"Values", name.Text}})
				}
			}
			if path != nil {
				return path
			}
		}
	case *parse.FieldNode:
		path = n.Ident
	case *parse.VariableNode:
		path = n.Ident[1:]
	case *parse.ChainNode:
		return f.pathIn(n.Node)
	}
	if at := slices.Index(path, "Values"); at < 0 || at == len(path)-1 {
		return nil
	} else if path = path[at+1:]; f.context != nil {
		path = slices.Concat(f.context.path, path)
	}
	return path
}

// truthOf returns whether templates take a value for true, and whether that is known.
func truthOf(value any) (truth, known bool) {
	switch value := value.(type) {
	case nil:
		return false, true
	case open:
		return false, false
	case bool:
		return value, true
	case string:
		return value != "", true
	case float64:
		return value != 0, true
	case []any:
		return len(value) > 0, true
	case tree:
		return len(value) > 0, value[unknownFields] == nil
	}
	return true, true
}

// isPartlyOpen reports whether a value is open or a context, or has such a one in it. A value of more than maxParts parts counts as such.
func isPartlyOpen(value any) bool {
	parts := 0
	var walk func(value any) bool
	walk = func(value any) bool {
		if parts++; parts > maxParts {
			return true
		}
		switch value := value.(type) {
		case open, *contextOf:
			return true
		case tree:
			for _, below := range value {
				if walk(below) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(value, walk)
		}
		return false
	}
	return walk(value)
}

// maxParts is the number of parts of a value down to which functions of it are evaluated: dicts may be made of each other.
const maxParts = 10_000

// textOfValue returns the text that a template writes for a value, and whether it is known.
func textOfValue(value any) (text string, known bool) {
	switch value := value.(type) {
	case nil:
		return "", true
	case string:
		return value, true
	case bool:
		return strconv.FormatBool(value), true
	case float64:
		if value == float64(int64(value)) && value < 1e6 && value > -1e6 {
			return strconv.FormatInt(int64(value), 10), true
		}
	}
	return "", false
}

// result returns the value of a function of known arguments, an open one if it is not known. The functions are those of text/template
// and sprig.
func result(name string, arguments []any) any {
	switch name { // these know some results of open arguments
	case "and", "or":
		return at(arguments, len(arguments)-1)
	case "not", "empty":
		if truth, known := truthOf(at(arguments, 0)); known && len(arguments) == 1 {
			return !truth
		}
		return open{}
	case "default":
		if truth, known := truthOf(at(arguments, 1)); known && len(arguments) == 2 {
			if truth {
				return arguments[1]
			}
			return arguments[0]
		}
		return open{}
	case "coalesce":
		for _, a := range arguments {
			if truth, known := truthOf(a); truth || !known {
				return a
			}
		}
		return nil
	case "required":
		return at(arguments, 1)
	case "ternary":
		if is, known := at(arguments, 2).(bool); known {
			if is {
				return arguments[0]
			}
			return arguments[1]
		}
		return open{}
	case "dict":
		out := tree{}
		for i := 0; i+1 < len(arguments); i += 2 {
			key, is := arguments[i].(string)
			if !is {
				return open{}
			}
			out[key] = arguments[i+1]
		}
		return out
	case "list":
		return append([]any{}, arguments...)
	case "append":
		if list, is := at(arguments, 0).([]any); is && len(arguments) == 2 {
			return append(slices.Clone(list), arguments[1])
		}
		return open{}
	case "index", "get":
		value := at(arguments, 0)
		for _, key := range arguments[min(1, len(arguments)):] {
			m, isMap := value.(tree)
			text, isText := key.(string)
			if !isMap || !isText || m[unknownFields] != nil {
				return open{}
			}
			below, found := m[text]
			if value = below; !found && name == "get" {
				value = ""
			}
		}
		return value
	case "hasKey":
		m, isMap := at(arguments, 0).(tree)
		key, isText := at(arguments, 1).(string)
		if !isMap || !isText || m[unknownFields] != nil {
			return open{}
		}
		_, found := m[key]
		return found
	case "set":
		m, isMap := at(arguments, 0).(tree)
		key, isText := at(arguments, 1).(string)
		if isMap && isText && len(arguments) == 3 {
			m[key] = arguments[2]
			return m
		}
		return open{}
	case "kindIs":
		kind, is := at(arguments, 0).(string)
		value := at(arguments, 1)
		_, known := truthOf(value)
		_, isNumber := value.(float64)
		if _, isContext := value.(*contextOf); !is || isNumber || isContext || !known {
			return open{}
		}
		return kind == kindOf(value)
	}
	if slices.ContainsFunc(arguments, isPartlyOpen) {
		return open{}
	}
	return resultOfKnown(name, arguments)
}

// kindOf returns the kind of a value as Go's package reflect names it.
func kindOf(value any) string {
	if value == nil {
		return "invalid"
	}
	return reflect.TypeOf(value).Kind().String()
}

// resultOfKnown returns the value of a function whose arguments have nothing open in them.
func resultOfKnown(name string, arguments []any) any {
	first := at(arguments, 0)
	switch name {
	case "eq", "ne":
		if len(arguments) < 2 || name == "ne" && len(arguments) > 2 {
			return open{}
		}
		for _, other := range arguments[1:] {
			if first == nil || other == nil || reflect.TypeOf(first) != reflect.TypeOf(other) || isMap(first) || kindOf(first) == "slice" || kindOf(first) == "float64" {
				return open{} // a number may be of another type to helm
			}
			if first == other {
				return name == "eq"
			}
		}
		return name == "ne"
	case "len":
		switch value := first.(type) {
		case string:
			return float64(len(value))
		case []any:
			return float64(len(value))
		case tree:
			return float64(len(value))
		}
	case "has":
		if list, is := at(arguments, 1).([]any); is {
			return slices.ContainsFunc(list, func(e any) bool { return reflect.DeepEqual(e, first) })
		}
	case "without":
		if list, is := first.([]any); is {
			return slices.DeleteFunc(slices.Clone(list), func(e any) bool {
				return slices.ContainsFunc(arguments[1:], func(a any) bool { return reflect.DeepEqual(e, a) })
			})
		}
	case "join":
		list, is := at(arguments, 1).([]any)
		separator, isText := first.(string)
		if !is || !isText {
			return open{}
		}
		var texts []string
		for _, e := range list {
			text, known := textOfValue(e)
			if !known || e == nil {
				return open{}
			}
			texts = append(texts, text)
		}
		return strings.Join(texts, separator)
	case "contains", "hasPrefix", "hasSuffix":
		part, isText := first.(string)
		text, isOther := at(arguments, 1).(string)
		if isText && isOther {
			return map[string]func(string, string) bool{"contains": strings.Contains, "hasPrefix": strings.HasPrefix, "hasSuffix": strings.HasSuffix}[name](text, part)
		}
	case "toJson":
		if text, err := json.Marshal(first); err == nil {
			return string(text)
		}
	case "toYaml":
		if text, err := yaml.Marshal(first); err == nil {
			return strings.TrimSuffix(string(text), "\n")
		}
	default:
		return resultOfTexts(name, arguments)
	}
	return open{}
}

// resultOfTexts returns the value of a function of texts (rules/values: templates).
func resultOfTexts(name string, arguments []any) any {
	var texts []abstract
	for _, a := range arguments {
		text, known := textOfValue(a)
		_, isText := a.(string)
		_, isNumber := a.(float64)
		if !known || !isText && !(isNumber && (name == "printf" || name == "print" || name == "trunc")) {
			return open{}
		}
		texts = append(texts, knownText(text))
	}
	if out := textsOf(name, texts); len(out) == 1 && out[0].isText {
		return out[0].text
	}
	return open{}
}
