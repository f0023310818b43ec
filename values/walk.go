package values

import (
	"maps"
	"slices"
	"strings"
	"text/template/parse"
)

// walker follows the nodes of one template.
type walker struct {
	*follower
	text      int // the number of the template's text, below 0 for the text of a value
	scope     *scope
	variables map[string]abstract
	// dropped is the command whose value goes to $_: it is there for its effect.
	dropped *parse.CommandNode
}

func (w *walker) list(l *parse.ListNode, dot abstract) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		w.node(n, dot)
	}
}

// node follows one node.
func (w *walker) node(n parse.Node, dot abstract) {
	switch n := n.(type) {
	case *parse.ActionNode:
		value := w.pipe(n.Pipe, dot)
		if len(n.Pipe.Decl) == 0 {
			w.whole(value)
		}
	case *parse.TextNode:
		if w.depth > 0 && !w.read[n] { // a text that include returns may be the name of a field
			w.read[n] = true
			w.addWords(string(n.Text))
		}
	case *parse.IfNode:
		w.branch(&n.BranchNode, dot, func(abstract) abstract { return dot })
	case *parse.WithNode:
		w.branch(&n.BranchNode, dot, func(value abstract) abstract { return value })
	case *parse.RangeNode:
		w.walkOver(n, dot)
	case *parse.TemplateNode:
		var context abstract
		if n.Pipe != nil {
			context = w.pipe(n.Pipe, dot)
		}
		w.include(n.Name, context, w.scope)
	}
}

// branch follows the node of an if or a with, with the dot in its list.
func (w *walker) branch(n *parse.BranchNode, dot abstract, inside func(value abstract) abstract) {
	outer := maps.Clone(w.variables)
	value := w.pipe(n.Pipe, dot)
	w.tested(value)
	w.list(n.List, inside(value))
	w.list(n.ElseList, dot)
	w.leave(outer)
}

// leave ends a block: the variables that it declared are gone, and the ones that it set may have both values.
func (w *walker) leave(outer map[string]abstract) {
	for name, was := range outer {
		outer[name] = was.or(w.variables[name])
	}
	w.variables = outer
}

// walkOver follows a range twice: what one turn sets, the next one reads.
func (w *walker) walkOver(n *parse.RangeNode, dot abstract) {
	outer := maps.Clone(w.variables)
	over := w.pipe(&parse.PipeNode{NodeType: n.Pipe.NodeType, Pos: n.Pipe.Pos, Cmds: n.Pipe.Cmds}, dot)
	w.tested(over)
	elements := w.field(over, anyName)
	if decl := n.Pipe.Decl; len(decl) > 0 {
		w.variables[decl[len(decl)-1].Ident[0]] = elements
		if len(decl) > 1 {
			w.variables[decl[0].Ident[0]] = nil
		}
	}
	for range 2 {
		w.list(n.List, elements)
	}
	w.list(n.ElseList, dot)
	w.leave(outer)
}

// pipe returns the value of a pipeline, and sets its variables.
func (w *walker) pipe(p *parse.PipeNode, dot abstract) (value abstract) {
	if len(p.Decl) == 1 && p.Decl[0].Ident[0] == "$_" {
		w.dropped = p.Cmds[len(p.Cmds)-1]
	}
	for i, c := range p.Cmds {
		value = w.command(c, dot, value, i > 0)
	}
	for _, v := range p.Decl {
		if p.IsAssign {
			value = orUnknown(value, w.variables[v.Ident[0]])
		}
		w.variables[v.Ident[0]] = value
	}
	return value
}

// command returns the value of a command of a pipeline, whose last argument may be the value of the one before.
func (w *walker) command(c *parse.CommandNode, dot, last abstract, piped bool) abstract {
	function, is := c.Args[0].(*parse.IdentifierNode)
	if !is {
		value := w.argument(c.Args[0], dot)
		for _, a := range c.Args[1:] { // a method, such as .Files.Get
			w.whole(w.argument(a, dot))
		}
		return value
	}
	var arguments []abstract
	for _, a := range c.Args[1:] {
		arguments = append(arguments, w.argument(a, dot))
	}
	if piped {
		arguments = append(arguments, last)
	}
	if c == w.dropped && strings.Contains(strings.ToLower(function.Ident), "merge") && len(arguments) > 1 {
		w.merge(arguments[0], abstract(nil).or(arguments[1:]...))
	}
	return w.call(function.Ident, arguments)
}

// argument returns the value of an operand.
func (w *walker) argument(n parse.Node, dot abstract) abstract {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return w.chain(n, dot, n.Ident)
	case *parse.VariableNode:
		return w.chain(n, w.variables[n.Ident[0]], n.Ident[1:])
	case *parse.ChainNode:
		return w.chain(n, w.argument(n.Node, dot), n.Field)
	case *parse.PipeNode:
		return w.pipe(n, dot)
	case *parse.IdentifierNode:
		return w.call(n.Ident, nil)
	case *parse.StringNode:
		w.addWords(n.Text)
		return abstract{{text: n.Text}}
	case *parse.NumberNode:
		return abstract{{text: n.Text}}
	}
	return nil
}

// chain returns a field of a field of a value, and notes where a template reads a value by its path.
func (w *walker) chain(n parse.Node, from abstract, names []string) abstract {
	value := from
	for _, name := range names {
		value = w.field(value, name)
	}
	if at := slices.Index(names, "Values"); at >= 0 && at < len(names)-1 && w.text >= 0 && len(from) == 1 && from[0].root != nil {
		w.occur(n, append(slices.Clone(from[0].root.path), names[at+1:]...), names)
	}
	return value
}

// occur notes an occurrence. A node's position is behind its first name or at its dot, so the text is searched.
func (w *walker) occur(n parse.Node, path, names []string) {
	text, reference := w.texts[w.text].text, "."+strings.Join(names, ".")
	from := max(int(n.Position())-len(reference)-1, 0)
	at := strings.Index(text[min(from, len(text)):], reference)
	if at < 0 {
		return
	}
	o := occurrence{w.text, from + at, from + at + len(reference), path}
	if !slices.ContainsFunc(w.occurrences, func(e occurrence) bool { return e.template == o.template && e.start == o.start }) {
		w.occurrences = append(w.occurrences, o)
	}
}

// call returns the value of a function (rules/values: templates).
func (w *walker) call(name string, arguments []abstract) abstract {
	argument := func(i int) abstract {
		if i < 0 || i >= len(arguments) {
			return nil
		}
		return arguments[i]
	}
	last := argument(len(arguments) - 1)
	switch name {
	case "include", "template":
		for _, p := range orUnknown(argument(0)) {
			w.includeAny(p, argument(1), w.scope)
		}
		return nil
	case "tpl":
		return w.runText(argument(0), argument(1))
	case "default", "coalesce", "ternary", "and", "or", "required", "any", "all":
		w.tested(arguments...)
		return orUnknown(arguments...)
	case "print", "printf":
		w.whole(arguments...)
		pieces := piecesOf(arguments)
		for _, piece := range pieces {
			w.words["%"+piece] = true
		}
		return abstract{{pieces: pieces}}
	case "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite", "deepCopy", "mustDeepCopy", "pick":
		return abstract(nil).or(arguments...)
	case "omit":
		return without(argument(0), arguments[min(1, len(arguments)):])
	case "concat", "first", "last", "rest", "initial", "uniq", "reverse", "compact", "mustUniq", "without", "sortAlpha":
		return withoutPlaces(abstract(nil).or(arguments...))
	case "not", "empty", "len", "kindIs", "kindOf", "typeOf", "typeIs", "keys":
		w.tested(arguments...)
		if name == "keys" {
			w.field(last, anyName)
		}
		return nil
	case "dict":
		return dictOf(arguments)
	case "list", "tuple":
		return abstract{{elements: abstract(nil).or(arguments...), items: arguments}}
	case "append", "mustAppend", "prepend", "mustPrepend":
		return abstract{{elements: abstract(nil).or(arguments...).or(w.field(argument(0), anyName))}}
	case "set":
		return w.setField(argument(0), argument(1), argument(2))
	case "unset":
		return argument(0)
	case "index", "get", "hasKey":
		value := argument(0)
		for _, key := range arguments[min(1, len(arguments)):] {
			value = w.fieldOf(value, key)
		}
		return value
	case "dig":
		value := last
		for _, key := range arguments[:max(len(arguments)-2, 0)] {
			value = w.fieldOf(value, key)
		}
		return value.or(argument(len(arguments) - 2))
	case "pluck":
		return w.fieldOf(abstract(nil).or(arguments[min(1, len(arguments)):]...), argument(0))
	}
	w.whole(arguments...)
	out := slices.DeleteFunc(abstract(nil).or(arguments...), func(p possible) bool { return p.text != "" || p.pieces != nil })
	for i := range out {
		out[i].isEdited = out[i].isEdited || strings.Contains(strings.ToLower(name), "replace")
	}
	return out
}

// without returns values that lack the fields whose names are known.
func without(a abstract, names []abstract) abstract {
	out := slices.Clone(a)
	for i := range out {
		out[i].omitted = slices.Clone(out[i].omitted)
		for _, name := range names {
			if len(name) == 1 && isKnown(name) {
				out[i].omitted = append(out[i].omitted, name[0].text)
			}
		}
	}
	return out
}

// withoutPlaces returns values in which the places of elements of lists are not known.
func withoutPlaces(a abstract) abstract {
	out := slices.Clone(a)
	for i := range out {
		out[i].items = nil
	}
	return out
}

// orUnknown returns a value that may be any of the given ones; an unknown one counts as a possibility of its own.
func orUnknown(values ...abstract) (out abstract) {
	for _, v := range values {
		if len(v) == 0 {
			v = abstract{{}}
		}
		out = out.or(v)
	}
	return out
}

// piecesOf returns the texts that a printed text has in it.
func piecesOf(arguments []abstract) (pieces []string) {
	verbs := strings.NewReplacer("%s", "\x00", "%d", "\x00", "%v", "\x00", "%q", "\x00")
	for _, a := range arguments {
		if len(a) == 1 {
			pieces = append(pieces, strings.Split(verbs.Replace(a[0].text), "\x00")...)
			pieces = append(pieces, a[0].pieces...)
		}
	}
	return slices.DeleteFunc(pieces, func(p string) bool { return p == "" })
}

// isKnown reports whether a value is sure to be one of some texts.
func isKnown(a abstract) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(p possible) bool { return p.text == "" })
}

// fieldOf returns the field of a value by a name that is computed.
func (w *walker) fieldOf(value, key abstract) (out abstract) {
	w.whole(key)
	if !isKnown(key) {
		return w.field(value, computedName)
	}
	for _, p := range key {
		out = out.or(w.field(value, p.text))
	}
	return out
}

// runText follows the text that tpl runs. The texts of values are followed elsewhere.
func (w *walker) runText(text, context abstract) abstract {
	w.whole(text)
	for _, p := range text {
		switch {
		case p.isFile:
			w.file(p, context, w.scope)
		case p.text != "":
			w.follower.text(p.text, context, w.scope)
		case slices.ContainsFunc(p.pieces, func(piece string) bool { return strings.Contains(piece, "{{") }):
			w.whole(context)
		}
	}
	return nil
}

// dictOf returns a map of names and values in turn.
func dictOf(arguments []abstract) abstract {
	fields := map[string]abstract{}
	var others abstract
	for i := 0; i+1 < len(arguments); i += 2 {
		if !isKnown(arguments[i]) {
			others = others.or(arguments[i+1])
		}
		for _, p := range arguments[i] {
			fields[p.text] = fields[p.text].or(arguments[i+1])
		}
	}
	return abstract{{fields: fields, elements: others}}
}
