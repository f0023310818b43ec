package values

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

// walker follows the nodes of one template.
type walker struct {
	*follower
	text      int // the number of the template's text, below 0 for the text of a value
	scope     *scope
	variables map[string]abstract
	// output is the text that the template has written so far, nil if nothing reads it.
	output abstract
	// run is the name and the context of the template if another one includes it.
	run string
}

// dict returns the dict of names and values in turn that a node makes. It is one in all turns, with all values that it has in one of them:
// a template may set more fields of it later, and a dict in a dict would have more and more of them.
func (w *walker) dict(n parse.Node, arguments []abstract) abstract {
	at := dictSite{n, w.run}
	fields := w.dicts[at]
	if fields == nil {
		fields = map[string]abstract{}
		w.dicts[at] = fields
	}
	for i := 0; i+1 < len(arguments); i += 2 {
		names := arguments[i]
		if !isKnown(names) {
			names = knownText(computedName)
		}
		for _, p := range names {
			fields[p.text] = fields[p.text].or(arguments[i+1])
		}
	}
	return abstract{{fields: fields}}
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
			w.write(value)
		}
	case *parse.TextNode:
		w.write(knownText(string(n.Text)))
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
		w.write(w.include(n.Name, context, w.scope))
	}
}

// branch follows the node of an if or a with, with the dot in its list. A value that cannot be there is false.
func (w *walker) branch(n *parse.BranchNode, dot abstract, inside func(value abstract) abstract) {
	outer, before := maps.Clone(w.variables), w.output
	value := w.pipe(n.Pipe, dot)
	w.tested(value)
	start := maps.Clone(w.variables)
	if len(value) > 0 {
		w.list(n.List, inside(value))
	}
	then, output := w.variables, w.output
	w.variables, w.output = start, before
	w.list(n.ElseList, dot)
	if len(value) > 0 {
		w.variables, w.output = either(then, w.variables), w.output.or(output)
	}
	w.leave(outer)
}

// either returns variables that have one of two values.
func either(a, b map[string]abstract) map[string]abstract {
	out := maps.Clone(a)
	for name, value := range b {
		out[name] = out[name].or(value)
	}
	return out
}

// leave ends a block: the variables that it declared are gone.
func (w *walker) leave(outer map[string]abstract) {
	for name := range outer {
		outer[name] = w.variables[name]
	}
	w.variables = outer
}

// maxItems is the number of known elements up to which a range over them is followed one by one.
const maxItems = 32

// walkOver follows a range. A list whose elements are known is followed one by one; else what one turn sets, the next one reads.
func (w *walker) walkOver(n *parse.RangeNode, dot abstract) {
	outer, before := maps.Clone(w.variables), w.output
	over := w.pipe(&parse.PipeNode{NodeType: n.Pipe.NodeType, Pos: n.Pipe.Pos, Cmds: n.Pipe.Cmds}, dot)
	w.tested(over)
	if isListed(over) {
		w.eachItem(n, over)
		w.leave(outer)
		return
	}
	elements := w.field(over, anyName)
	w.tested(elements) // the keys of a map are read
	if before != nil {
		w.output = knownText("")
	}
	start := maps.Clone(w.variables)
	for turns := 0; ; turns++ {
		was := maps.Clone(w.variables)
		w.turn(n, unknown(), elements)
		w.variables = either(was, w.variables)
		if isSame(was, w.variables) {
			break
		}
		if turns == maxTurns {
			for name, value := range w.variables {
				if !value.isLike(was[name], 4) {
					w.whole(value)
					w.variables[name] = value.or(abstract{{isAny: true}})
				}
			}
			w.turn(n, unknown(), elements)
			w.variables = either(was, w.variables)
			break
		}
	}
	repeated := w.output
	w.variables, w.output = either(start, w.variables), before
	if !isBlank(repeated) {
		w.whole(repeated)
		w.write(abstract{{isEdited: slices.ContainsFunc(repeated, possible.mayBeTemplate)}})
	} else if slices.ContainsFunc(repeated, func(p possible) bool { return p.text != "" }) {
		w.write(knownText("").or(repeated, unknown()))
	}
	afterwards := w.output
	w.list(n.ElseList, dot)
	w.output = w.output.or(afterwards)
	w.leave(outer)
}

// isListed reports whether a value is sure to be one of some lists whose elements are known.
func isListed(over abstract) bool {
	return len(over) > 0 && len(over) <= maxTexts && !slices.ContainsFunc(over, func(p possible) bool { return len(p.items) == 0 || len(p.items) > maxItems })
}

// eachItem follows a range over each of some lists, element by element.
func (w *walker) eachItem(n *parse.RangeNode, over abstract) {
	variables, before, run := w.variables, w.output, w.run
	var allVariables map[string]abstract
	var allOutput abstract
	for i, list := range over {
		w.variables, w.output = maps.Clone(variables), before
		for place, item := range list.items {
			w.run = fmt.Sprintf("%s %d.%d", run, i, place)
			w.turn(n, knownText(strconv.Itoa(place)), item)
		}
		if allOutput = allOutput.or(w.output); i == 0 {
			allVariables = w.variables
			continue
		}
		allVariables = either(allVariables, w.variables)
	}
	w.variables, w.output, w.run = allVariables, allOutput, run
}

// turn follows the list of a range with one element.
func (w *walker) turn(n *parse.RangeNode, key, element abstract) {
	if decl := n.Pipe.Decl; len(decl) > 0 {
		w.variables[decl[len(decl)-1].Ident[0]] = element
		if len(decl) > 1 {
			w.variables[decl[0].Ident[0]] = key
		}
	}
	outer := maps.Clone(w.variables)
	w.list(n.List, element)
	w.leave(outer)
}

// isSame reports whether variables have the same values.
func isSame(a, b map[string]abstract) bool {
	return maps.EqualFunc(a, b, func(a, b abstract) bool { return a.isLike(b, 4) })
}

// pipe returns the value of a pipeline, and sets its variables.
func (w *walker) pipe(p *parse.PipeNode, dot abstract) (value abstract) {
	for i, c := range p.Cmds {
		value = w.command(c, dot, value, i > 0)
	}
	for _, v := range p.Decl {
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
		if piped {
			w.whole(last)
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
	if strings.Contains(strings.ToLower(function.Ident), "merge") && len(arguments) > 1 {
		w.merge(arguments[0], abstract(nil).or(arguments[1:]...))
	}
	if function.Ident == "dict" {
		return w.dict(c, arguments)
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
		if n.Ident == "dict" {
			return w.dict(n, nil)
		}
		return w.call(n.Ident, nil)
	case *parse.StringNode:
		return knownText(n.Text)
	case *parse.NumberNode:
		return knownText(n.Text)
	case *parse.NilNode:
		return nil
	}
	return unknown()
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
		var output abstract
		for _, p := range orUnknown(argument(0)) {
			output = output.or(w.includeAny(p, argument(1), w.scope))
		}
		return output
	case "tpl":
		return w.runText(argument(0), argument(1))
	case "ternary":
		w.tested(last)
		return orUnknown(arguments[:max(len(arguments)-1, 0)]...)
	case "default", "coalesce", "and", "or", "required", "any", "all":
		w.tested(arguments...)
		return orUnknown(arguments...)
	case "toYaml", "toYamlPretty", "mustToYaml", "toJson", "mustToJson", "toPrettyJson", "mustToPrettyJson", "toRawJson", "mustToRawJson":
		if len(last) > 0 {
			return abstract{{encoded: last}}
		}
		return unknown()
	case "fromYaml", "fromJson", "mustFromJson", "fromYamlArray", "fromJsonArray":
		return w.decoded(last)
	case "nindent", "indent", "trim":
		if slices.ContainsFunc(last, func(p possible) bool { return p.encoded != nil }) {
			w.whole(arguments[:len(arguments)-1]...)
			return last
		}
	case "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite", "deepCopy", "mustDeepCopy", "pick":
		return abstract(nil).or(arguments...)
	case "omit":
		return without(argument(0), arguments[min(1, len(arguments)):])
	case "concat", "first", "last", "rest", "initial", "uniq", "reverse", "compact", "mustUniq", "without", "sortAlpha":
		return w.listOf(name, arguments)
	case "not", "empty", "kindIs", "kindOf", "typeOf", "typeIs":
		w.tested(arguments...)
		return unknown()
	case "contains":
		isOfActions := isKnown(argument(0)) && !slices.ContainsFunc(argument(0), func(p possible) bool { return !strings.Contains(p.text, "{{") })
		if isOfActions && !w.hasActions(map[extent]bool{}, last) { // whatever is in the values, it is false
			return unknown()
		}
	case "len", "keys":
		w.tested(arguments...)
		w.tested(w.field(last, anyName))
		return unknown()
	case "list", "tuple":
		list := possible{items: append([]abstract{}, arguments...)}
		if len(arguments) > 0 {
			list.elements = orUnknown(arguments...)
		}
		return abstract{list}
	case "append", "mustAppend", "prepend", "mustPrepend":
		return w.added(name, argument(0), argument(1))
	case "set":
		return w.setField(argument(0), argument(1), argument(2))
	case "unset":
		return w.unsetField(argument(0), argument(1))
	case "index", "get", "hasKey":
		value := argument(0)
		for _, key := range arguments[min(1, len(arguments)):] {
			value = w.fieldOf(value, key)
		}
		if name == "hasKey" {
			w.tested(value)
			return unknown()
		}
		return value
	case "dig":
		value := last
		for _, key := range arguments[:max(len(arguments)-2, 0)] {
			value = w.fieldOf(value, key)
		}
		return orUnknown(value, argument(len(arguments)-2))
	case "pluck":
		return abstract{{elements: orUnknown(w.fieldOf(abstract(nil).or(arguments[min(1, len(arguments)):]...), argument(0)))}}
	}
	if text := textsOf(name, arguments); text != nil {
		return text
	}
	return w.other(name, arguments)
}

// other returns the value of a function that may use all of its arguments, and return any of them.
func (w *walker) other(name string, arguments []abstract) abstract {
	w.whole(arguments...)
	isEdited := w.mayMakeTemplate(name, arguments)
	out := abstract{{isEdited: isEdited}}
	if isPrint(name) {
		out[0].pieces = piecesOf(name, arguments)
	}
	for _, p := range abstract(nil).or(arguments...) {
		isInPieces := out[0].pieces != nil && p.isPlain() && !p.isValue && !p.isFile && !p.isAny && p.root == nil
		if p.isText || p.encoded != nil || isInPieces {
			continue
		}
		p.isEdited = p.isEdited || isEdited
		p.pieces = nil
		out = out.or(abstract{p})
	}
	return out
}

// added returns a list with one more element, first or last. Of one that may be several lists the places are not known.
func (w *walker) added(name string, list, element abstract) abstract {
	more := possible{elements: orUnknown(element).or(w.field(list, anyName))}
	switch {
	case len(list) != 1 || list[0].items == nil || len(list[0].items) >= maxItems:
	case strings.HasSuffix(name, "repend"):
		more.items = append([]abstract{element}, list[0].items...)
	default:
		more.items = append(slices.Clone(list[0].items), element)
	}
	return abstract{more}
}

// listOf returns the list that a function makes of lists, or the element that it takes from one.
func (w *walker) listOf(name string, arguments []abstract) abstract {
	if len(arguments) == 1 && len(arguments[0]) == 1 && len(arguments[0][0].items) > 0 {
		items := slices.Clone(arguments[0][0].items)
		switch name {
		case "first":
			return items[0]
		case "last":
			return items[len(items)-1]
		case "reverse":
			slices.Reverse(items)
			return abstract{{elements: arguments[0][0].elements, items: items}}
		}
	}
	if name == "first" || name == "last" {
		return orUnknown(w.field(abstract(nil).or(arguments...), anyName))
	}
	return withoutPlaces(abstract(nil).or(arguments...))
}

// without returns values that lack the fields whose names are known.
func without(a abstract, names []abstract) abstract {
	out := slices.Clone(a)
	for i := range out {
		out[i].omitted = slices.Clone(out[i].omitted)
		for _, name := range names {
			if len(name) == 1 && isKnown(name) && !slices.Contains(out[i].omitted, name[0].text) {
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
	if len(values) == 0 {
		return unknown()
	}
	for _, v := range values {
		if len(v) == 0 {
			v = unknown()
		}
		out = out.or(v)
	}
	return out
}

// isKnown reports whether a value is sure to be one of some texts.
func isKnown(a abstract) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(p possible) bool { return !p.isText })
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
