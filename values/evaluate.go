package values

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// evaluation runs templates with values of which some are open. What depends on an open one is not run.
type evaluation struct {
	*follower
	seen  map[string]bool // the failures, by place
	found []Failure
	steps int
	calls int
	// reasons has the values in the conditions of texts of templates, by the texts.
	reasons map[string][]string
	// ofValues are the maps in the values of charts, by their places in memory.
	ofValues map[uintptr]bool
	// changing says of named templates whether they may change a dict.
	changing map[string]bool
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
	} else {
		e.lose(dot)
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
		if text := strings.TrimSpace(string(n.Text)); len(text) >= minDistinctive {
			f.reasons[text] = f.pathAbove()
		}
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
		f.skip(n, dot)
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

// skip leaves out a block that may be run or not: its output and the variables that it sets are open, and if it may change dicts, all
// that it may reach.
func (f *frame) skip(n *parse.BranchNode, dot any) {
	f.isOpen = true
	text, mutates := n.String(), f.mutates(n)
	for name, value := range f.variables {
		if mutates {
			f.lose(value)
		}
		if name != "$" && strings.Contains(text, name+" = ") {
			f.variables[name] = open{}
		}
	}
	if mutates {
		f.lose(dot)
	}
}

// lose makes all dicts in a value open. Those of the chart's values stay: what a template sets in them is open anyway.
func (e *evaluation) lose(value any) {
	switch value := value.(type) {
	case tree:
		if value[unknownFields] != nil || e.isOfValues(value) {
			return
		}
		before := maps.Clone(value)
		becomeOpen(value)
		for _, below := range before {
			e.lose(below)
		}
	case []any:
		for _, below := range value {
			e.lose(below)
		}
	}
}

// noteValues notes the maps in the values of a chart.
func (e *evaluation) noteValues(value any) {
	switch value := value.(type) {
	case tree:
		e.ofValues[reflect.ValueOf(value).Pointer()] = true
		for _, below := range value {
			e.noteValues(below)
		}
	case []any:
		for _, below := range value {
			e.noteValues(below)
		}
	}
}

func (e *evaluation) isOfValues(value any) bool {
	m, is := value.(tree)
	return is && e.ofValues[reflect.ValueOf(m).Pointer()]
}

// mutates reports whether a node may change a dict, also by the templates that it includes.
func (e *evaluation) mutates(n parse.Node) bool {
	switch n := n.(type) {
	case *parse.ListNode:
		return n != nil && slices.ContainsFunc(n.Nodes, e.mutates)
	case *parse.IfNode:
		return e.mutates(&n.BranchNode)
	case *parse.WithNode:
		return e.mutates(&n.BranchNode)
	case *parse.RangeNode:
		return e.mutates(&n.BranchNode)
	case *parse.BranchNode:
		return e.mutates(n.Pipe) || e.mutates(n.List) || e.mutates(n.ElseList)
	case *parse.ActionNode:
		return e.mutates(n.Pipe)
	case *parse.TemplateNode:
		return n.Pipe != nil && e.mutates(n.Pipe) || e.mutatesNamed(n.Name)
	case *parse.PipeNode:
		return slices.ContainsFunc(n.Cmds, func(c *parse.CommandNode) bool { return e.mutates(c) })
	case *parse.ChainNode:
		return e.mutates(n.Node)
	case *parse.CommandNode:
		if function, is := n.Args[0].(*parse.IdentifierNode); is {
			switch name := function.Ident; {
			case isChange(name) || name == "tpl":
				return true
			case name == "include" && len(n.Args) > 1:
				if named, isKnown := n.Args[1].(*parse.StringNode); !isKnown || e.mutatesNamed(named.Text) {
					return true
				}
			}
		}
		return slices.ContainsFunc(n.Args, e.mutates)
	}
	return false
}

// isChange reports whether a function changes its first argument.
func isChange(function string) bool {
	return function == "set" || function == "unset" || strings.Contains(strings.ToLower(function), "merge")
}

// mutatesNamed reports whether a named template may change a dict.
func (e *evaluation) mutatesNamed(name string) bool {
	mutates, found := e.changing[name]
	if t := e.named[name]; !found && t != nil {
		e.changing[name] = false // of a template that includes itself
		mutates = e.mutates(t.Root)
		e.changing[name] = mutates
	}
	return mutates || e.named[name] == nil
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
			turn(i, value)
		}
		if len(over) == 0 {
			f.block(&n.BranchNode, n.ElseList, dot)
		}
	case tree:
		if over[unknownFields] != nil {
			f.skip(&n.BranchNode, dot)
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
		f.skip(&n.BranchNode, dot)
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
	switch {
	case isChange(function.Ident) && f.isOfValues(at(arguments, 0)):
		return arguments[0] // nobody knows which template does it first
	case isChange(function.Ident) && f.unsure:
		f.lose(at(arguments, 0))
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
		f.lose(context)
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
		value := f.argument(n.Node, dot)
		if value == nil {
			return nil // (nothing).field is nothing
		}
		return f.fields(value, n.Field)
	case *parse.PipeNode:
		return f.pipe(n, dot)
	case *parse.IdentifierNode:
		return result(n.Ident, nil)
	case *parse.StringNode:
		return n.Text
	case *parse.BoolNode:
		return n.True
	case *parse.NumberNode:
		switch {
		case n.IsInt:
			return int(n.Int64)
		case n.IsFloat:
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
			switch {
			case f.isSet(of.path, name):
				return open{}
			case name == "Values":
				value = of.values
			case name == "Chart" && of.about != nil:
				value = of.about
			default:
				return open{}
			}
		case chartMetadata:
			below, found := of[name]
			if !found {
				return open{}
			}
			value = below
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
	if out.Path = f.pathIn(required); out.Path == nil {
		out.Path = f.pathAbove()
	}
	for _, text := range slices.Sorted(maps.Keys(f.reasons)) { // a text that another template wrote for the same message
		if out.Path == nil && strings.Contains(out.Message, text) {
			out.Path = f.reasons[text]
		}
	}
	f.found = append(f.found, out)
}

// pathAbove returns the first value in the nearest condition above that has one, nil if there is none.
func (f *frame) pathAbove() (path []string) {
	for i := len(f.conditions) - 1; i >= 0 && path == nil; i-- {
		path = f.pathIn(f.conditions[i])
	}
	return path
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
		if path = f.pathIn(n.Node); path == nil {
			return nil
		}
		return slices.Concat(path, n.Field)
	}
	if at := slices.Index(path, "Values"); at < 0 || at == len(path)-1 {
		return nil
	} else if path = path[at+1:]; f.context != nil {
		path = slices.Concat(f.context.path, path)
	}
	return path
}
