package values

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
)

const (
	// maxCalls is the depth of templates that include others, above which a template is not followed.
	maxCalls = 40
	// maxTurns is the number of times that all templates are followed, since one may set a field that others read.
	maxTurns = 4
	// maxSpecial is the number of names in a path that may be not known, above which the value is read with all that is in it.
	maxSpecial = 2
	// maxPossible is the number of things that one value can be, above which it may be anything.
	maxPossible = 200
)

// abstract has the possible values of an expression in a template that is not run.
type abstract []possible

// possible is a thing that a value in a template may be. At most one group of fields is set.
type possible struct {
	// root is the scope of a chart's context, the $ of its templates.
	root *scope
	// path is a path of the top chart's values; isValue says that it is one, and omitted has the fields that it lacks here.
	path    []string
	isValue bool
	omitted []string
	// fields are the fields of a dict, and elements the elements of a list; items has them by place, where that is known.
	fields   map[string]abstract
	elements abstract
	items    []abstract
	// text is a text that is known, if isText says so. pieces are the known texts in one that is not known as a whole, in
	// their order, with anything between them.
	text   string
	isText bool
	pieces []string
	// encoded are the values whose text in YAML or JSON it is.
	encoded abstract
	// isFile says that it is a file of the chart, which may be a template; isEdited, that a function replaced parts of it.
	isFile, isEdited bool

	// isAny says that it may be anything: where it is used, all values are.
	isAny bool
}

// unknown is a value that is no known text and has no field of the values in it.
func unknown() abstract { return abstract{{}} }

// knownText returns a text that is known.
func knownText(text string) abstract { return abstract{{text: text, isText: true}} }

// key identifies a possible thing among others.
func (p possible) key(depth int) string { return string(p.appendKey(nil, depth)) }

// appendKey appends the key of a possible thing. Texts have their lengths in front.
func (p possible) appendKey(to []byte, depth int) []byte {
	switch {
	case p.root != nil:
		return appendTexts(append(to, "root"...), p.root.path)
	case p.isValue:
		return appendTexts(appendTexts(append(to, "value"...), p.path), p.omitted)
	case p.isFile:
		return strconv.AppendBool(append(to, "file "...), p.isEdited)
	case p.isAny:
		return append(to, "any"...)
	case depth == 0:
		return append(to, "deep"...)
	case p.isText:
		return appendText(append(to, "text"...), p.text)
	case p.encoded != nil:
		return p.encoded.appendKey(append(to, "encoded "...), depth-1)
	case p.isPlain():
		return strconv.AppendBool(appendTexts(append(to, "pieces"...), p.pieces), p.isEdited)
	}
	to = append(p.elements.appendKey(append(to, "list ["...), depth-1), ']')
	for _, item := range p.items {
		to = append(item.appendKey(to, depth-1), ';')
	}
	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		to = p.fields[name].appendKey(appendText(to, name), depth-1)
	}
	return append(to, '}')
}

func appendText(to []byte, text string) []byte {
	return append(append(strconv.AppendInt(append(to, ' '), int64(len(text)), 10), ':'), text...)
}

func appendTexts(to []byte, texts []string) []byte {
	to = strconv.AppendInt(append(to, ' '), int64(len(texts)), 10)
	for _, text := range texts {
		to = appendText(to, text)
	}
	return to
}

// isPlain reports whether it is a text, or something outside of the values, of which nothing more than pieces is known.
func (p possible) isPlain() bool { return p.fields == nil && p.elements == nil && p.items == nil }

func (a abstract) key(depth int) string { return string(a.appendKey(nil, depth)) }

func (a abstract) appendKey(to []byte, depth int) []byte {
	if len(a) == 1 {
		return a[0].appendKey(to, depth)
	}
	keys := make([]string, len(a))
	for i, p := range a {
		keys[i] = p.key(depth)
	}
	slices.Sort(keys)
	for i, key := range slices.Compact(keys) {
		if i > 0 {
			to = append(to, '|')
		}
		to = append(to, key...)
	}
	return to
}

// isLike reports whether two possible things are the same down to a depth, as their keys are.
func (p possible) isLike(q possible, depth int) bool {
	switch {
	case p.root != nil || q.root != nil:
		return p.root == q.root
	case p.isValue || q.isValue:
		return p.isValue && q.isValue && slices.Equal(p.path, q.path) && slices.Equal(p.omitted, q.omitted)
	case p.isFile || q.isFile:
		return p.isFile && q.isFile && p.isEdited == q.isEdited
	case p.isAny || q.isAny:
		return p.isAny && q.isAny
	case depth == 0:
		return true
	case p.isText || q.isText:
		return p.isText && q.isText && p.text == q.text
	case p.encoded != nil || q.encoded != nil:
		return p.encoded != nil && q.encoded != nil && p.encoded.isLike(q.encoded, depth-1)
	case p.isPlain() || q.isPlain():
		return p.isPlain() && q.isPlain() && slices.Equal(p.pieces, q.pieces) && p.isEdited == q.isEdited
	}
	isLike := func(a, b abstract) bool { return a.isLike(b, depth-1) }
	return isLike(p.elements, q.elements) && slices.EqualFunc(p.items, q.items, isLike) && maps.EqualFunc(p.fields, q.fields, isLike)
}

// isLike reports whether two values may be the same things down to a depth.
func (a abstract) isLike(b abstract, depth int) bool {
	lacks := func(all abstract) func(possible) bool {
		return func(p possible) bool {
			return !slices.ContainsFunc(all, func(q possible) bool { return p.isLike(q, depth) })
		}
	}
	return (len(a) == 0) == (len(b) == 0) && !slices.ContainsFunc(a, lacks(b)) && !slices.ContainsFunc(b, lacks(a))
}

// or returns what is a or one of others.
func (a abstract) or(others ...abstract) abstract {
	const depth = 3
	out := slices.Clip(a)
	for _, b := range others {
		for _, p := range b {
			switch {
			case slices.ContainsFunc(out, func(q possible) bool { return q.isLike(p, depth) }):
			case len(out) < maxPossible:
				out = append(out, p)
			default:
				return append(out[:maxPossible-1:maxPossible-1], possible{isAny: true})
			}
		}
	}
	return out
}

// scope is a chart within the values of the top chart.
type scope struct {
	path      []string
	subcharts map[string]*scope
	// fields are the fields of the chart's context that templates set.
	fields map[string]abstract
}

// follower finds the values that templates read.
type follower struct {
	references *references
	named      map[string]*parse.Tree
	// outputs has the outputs of the named templates by template and context, also of those that are being followed.
	outputs map[string]abstract
	// dicts has the fields of the dicts that nodes make without fields.
	dicts map[dictSite]map[string]abstract
	// seen has the contexts of texts and files that were followed.
	seen        map[string]bool
	depth       int
	occurrences []occurrence
	// added are the fields that templates set in maps of the values, by joined path and name.
	added map[string]map[string]abstract
	// reading has the joined paths of the maps whose added fields are being read.
	reading map[string]bool
	// isPartial says that a subchart is not there, whose templates others may include.
	isPartial bool
	// hasNews says that a template set a field of a context or of the values to something that the templates before it did not know.
	hasNews bool
	// unsetsContext says that a template removes a field of a chart's context.
	unsetsContext bool
	// texts are the templates, by number, and files the texts of other files that may be templates.
	texts []template
	files []string
	// byPlace are the occurrences by their places.
	byPlace map[place][]occurrence
	// values are the chart's default values and the user's.
	values []tree
	// valueTexts are the texts of values that are templates, which tpl runs.
	valueTexts []string
	// unparsed are the templates that could not be parsed.
	unparsed []string
	// mains are the templates that Helm runs.
	mains []main
}

// dictSite is a node that makes a dict, in one run of its template.
type dictSite struct {
	node parse.Node
	run  string
}

// main is a template that Helm runs, in its chart's scope.
type main struct {
	tree  *parse.Tree
	scope *scope
	text  int
}

// follow returns the values that the templates of a chart read, given its default values and a user's.
func (c *Chart) follow(values ...tree) *follower {
	f := &follower{references: &references{}, values: values, named: map[string]*parse.Tree{}, added: map[string]map[string]abstract{}, reading: map[string]bool{}, seen: map[string]bool{}, outputs: map[string]abstract{}, dicts: map[dictSite]map[string]abstract{}}
	mains, top := f.parse(c, nil)
	f.mains = mains
	for _, v := range values {
		f.addTexts(v)
	}
	f.hasNews = true
	for turn := 0; f.hasNews && turn < maxTurns; turn++ {
		f.hasNews = false
		clear(f.seen)
		clear(f.outputs)
		for _, m := range mains {
			w := &walker{follower: f, text: m.text, scope: m.scope, variables: map[string]abstract{"$": {{root: m.scope}}}}
			w.list(m.tree.Root, w.variables["$"])
		}
		for _, v := range values {
			f.texted(v, []*scope{top})
		}
	}
	if f.hasNews {
		f.references.whole = true
	}
	f.conditions(c, nil)
	return f
}

// parse parses the templates of a chart and its subcharts.
func (f *follower) parse(c *Chart, path []string) (mains []main, s *scope) {
	s = &scope{path: path, subcharts: map[string]*scope{}, fields: map[string]abstract{}}
	children, missing := c.children()
	f.isPartial = f.isPartial || len(missing) > 0
	for _, child := range children {
		below, sub := f.parse(child.chart, append(slices.Clone(path), child.key))
		mains, s.subcharts[child.key] = append(mains, below...), sub
	}
	f.files = append(f.files, c.texts...)
	for _, t := range c.templates {
		number := len(f.texts)
		tree := f.parseTemplate(t, path)
		runs := !c.isLibrary && !strings.HasPrefix(t.name[strings.LastIndexByte(t.name, '/')+1:], "_")
		if tree != nil && runs {
			mains = append(mains, main{tree, s, number})
		}
	}
	return mains, s
}

// parseTemplate parses a template and notes the named ones in it. It returns nil if it has no text or cannot be parsed.
func (f *follower) parseTemplate(t template, path []string) *parse.Tree {
	f.texts = append(f.texts, t)
	trees, err := parsed(t.name, t.text)
	if err != nil {
		f.unparsed = append(f.unparsed, t.name)
		f.references.at(path).whole = true
		return nil
	}
	for name, tree := range trees {
		if name != t.name {
			f.named[name] = tree // the chart above wins, as it is read later
		}
	}
	return trees[t.name]
}

// parsed parses a template with any functions.
func parsed(name, text string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	t := parse.New(name)
	t.Mode = parse.SkipFuncCheck
	_, err := t.Parse(text, "", "", trees)
	return trees, err
}

// addTexts notes the texts of values that are templates.
func (f *follower) addTexts(value any) {
	switch value := value.(type) {
	case tree:
		for _, name := range sortedNames(value) {
			f.addTexts(name) // tpl may run the text of the map
			f.addTexts(value[name])
		}
	case []any:
		for _, v := range value {
			f.addTexts(v)
		}
	case string:
		if strings.Contains(value, "{{") && !slices.Contains(f.valueTexts, value) {
			f.valueTexts = append(f.valueTexts, value)
		}
	}
}

// texted follows the texts of values that are templates, which tpl runs with the context of a chart that has the value.
func (f *follower) texted(value any, scopes []*scope) {
	switch value := value.(type) {
	case tree:
		for name, v := range value {
			below, last := scopes, scopes[len(scopes)-1]
			if sub := last.subcharts[name]; sub != nil {
				below = append(slices.Clip(scopes), sub)
			} else if name == "global" {
				below = append(slices.Clip(scopes), last.all()...)
			}
			f.texted(name, below)
			f.texted(v, below)
		}
	case []any:
		for _, v := range value {
			f.texted(v, scopes)
		}
	case string:
		if !strings.Contains(value, "{{") {
			return
		}
		for _, s := range scopes {
			f.whole(f.text(value, abstract{{root: s}}, s))
		}
	}
}

// text follows a text that tpl runs, and returns its output.
func (f *follower) text(text string, context abstract, s *scope) abstract {
	trees, err := parsed("text", text)
	if err != nil { // the rest of it may be in another text of one map
		for _, reference := range regexp.MustCompile(`\.Values((?:\.\w+)+)`).FindAllStringSubmatch(text, -1) {
			value := f.field(context, "Values")
			for name := range strings.SplitSeq(reference[1][1:], ".") {
				value = f.field(value, name)
			}
			f.whole(value)
		}
	}
	if err != nil || trees["text"] == nil {
		return nil
	}
	for name, tree := range trees {
		if name != "text" && f.named[name] == nil {
			f.named[name] = tree
		}
	}
	return f.run(trees["text"], context, -1, s, "")
}

// anyText follows the texts of the values that tpl may run between pieces of another text. Those that it runs in a chart's own
// context are followed elsewhere.
func (f *follower) anyText(pieces []string, context abstract, s *scope) {
	isRoot := !slices.ContainsFunc(context, func(p possible) bool { return p.root == nil })
	if len(pieces) == 0 && isRoot {
		return
	}
	key := fmt.Sprintf("texts %q\n%s", pieces, context.key(4))
	if f.depth >= maxCalls {
		f.whole(context)
	}
	if f.seen[key] || f.depth >= maxCalls {
		return
	}
	f.seen[key] = true
	f.depth++
	defer func() { f.depth-- }()
	if len(pieces) == 0 {
		pieces = []string{"", ""}
	}
	before := ""
	for _, piece := range pieces[:len(pieces)-1] {
		if before += piece; strings.LastIndex(before, "{{") > strings.LastIndex(before, "}}") || strings.HasSuffix(before, "{") {
			f.whole(context) // the text between the pieces is in an action
			return
		}
	}
	if _, err := parsed("text", strings.Join(pieces, "")); err != nil {
		f.whole(context)
		return
	}
	for _, between := range append([]string{""}, f.valueTexts...) {
		f.whole(f.text(strings.Join(pieces, between), context, s))
	}
}

// file follows the text of a file that tpl runs: any file of the charts that is a template. One that a function edited, or
// that a missing subchart has, may read all values.
func (f *follower) file(file possible, context abstract, s *scope) {
	key := "file\n" + context.key(4)
	if file.isEdited || f.isPartial || f.depth >= maxCalls {
		f.whole(context)
	}
	if f.seen[key] || f.depth >= maxCalls {
		return
	}
	f.seen[key] = true
	f.depth++
	for _, text := range f.files {
		f.whole(f.text(text, context, s))
	}
	f.depth--
}

// conditions records the values that Helm itself reads: the ones that switch a subchart on.
func (f *follower) conditions(c *Chart, path []string) {
	for _, d := range c.dependencies {
		for condition := range strings.SplitSeq(d.Condition, ",") {
			if condition = strings.TrimSpace(condition); condition != "" {
				f.references.at(append(slices.Clone(path), strings.Split(condition, ".")...)).whole = true
			}
		}
		for _, tag := range d.Tags {
			f.references.at(append(slices.Clone(path), "tags", tag)).whole = true
		}
	}
	children, _ := c.children()
	for _, child := range children {
		f.conditions(child.chart, append(slices.Clone(path), child.key))
	}
}

// run follows a template with its context, and returns its output. The values in the output are not used yet.
func (f *follower) run(t *parse.Tree, context abstract, text int, s *scope, run string) abstract {
	w := &walker{follower: f, text: text, scope: s, variables: map[string]abstract{"$": context}, output: knownText(""), run: run}
	w.list(t.Root, context)
	return w.output
}

// include follows a named template with its context, and returns its output.
func (f *follower) include(name string, context abstract, s *scope) abstract {
	t := f.named[name]
	key := name + "\n" + context.key(4)
	if output, found := f.outputs[key]; found {
		return output
	}
	if t == nil && !f.isPartial { // helm would fail, so this is never run
		return unknown()
	}
	if t == nil || f.depth >= maxCalls {
		f.whole(context)
		return abstract{{isEdited: true}}
	}
	f.outputs[key] = abstract{{isEdited: true}} // of a template that includes itself
	f.depth++
	output := f.run(t, context, f.numberOf(t), s, key)
	f.depth--
	f.outputs[key] = output
	return output
}

// includeAny follows the named templates that may be meant by a name. A file's name is that of a template which Helm
// runs anyway with the context of its chart.
func (f *follower) includeAny(name possible, context abstract, s *scope) (output abstract) {
	if name.isText && f.named[name.text] != nil {
		return f.include(name.text, context, s)
	}
	pieces := slices.DeleteFunc(append(slices.Clone(name.pieces), name.text), func(piece string) bool { return piece == "" })
	isFile := slices.ContainsFunc(pieces, func(piece string) bool {
		return strings.Contains(piece, "/") || slices.ContainsFunc(f.texts, func(t template) bool { return strings.HasSuffix("/"+t.name, piece) })
	})
	for _, known := range slices.Sorted(maps.Keys(f.named)) {
		if !name.isText && !slices.ContainsFunc(pieces, func(piece string) bool { return !strings.Contains(known, piece) }) {
			output = output.or(f.include(known, context, s))
		}
	}
	isRoot := !slices.ContainsFunc(context, func(p possible) bool { return p.root == nil })
	if f.isPartial || isFile && !isRoot {
		f.whole(context)
	}
	return orUnknown(output)
}

// numberOf returns the number of the text that a named template is in.
func (f *follower) numberOf(t *parse.Tree) int {
	return slices.IndexFunc(f.texts, func(text template) bool { return text.name == t.ParseName })
}

func (f *follower) field(a abstract, name string) (out abstract) {
	for _, p := range a {
		switch {
		case p.root != nil:
			out = out.or(p.root.field(name))
		case p.isValue:
			f.references.at(p.path)
			switch {
			case isMethod(name):
				f.whole(abstract{p})
				out = out.or(abstract{p}, unknown())
			case name == "AsMap":
				out = out.or(abstract{p}, f.valueField(p.path, name))
			case slices.Contains(p.omitted, name), slices.Contains(p.path, name) && !f.hasField(p.path, name): // else merged maps have no end
			case isSpecial(name) && slices.Contains(p.path, name) && specialNames(p.path) >= maxSpecial:
				f.whole(abstract{p})
			default:
				out = out.or(f.valueField(p.path, name), f.addedField(joined(p.path), name))
			}
		case p.isAny:
			f.references.whole = true
			out = out.or(abstract{p})
		case p.isFile:
			out = out.or(abstract{p})
		case p.encoded != nil:
			f.whole(p.encoded)
			out = out.or(unknown())
		case p.isText:
		case p.fields == nil && p.elements == nil && p.items == nil:
			out = out.or(unknown())
		case p.fields != nil && (name == anyName || name == computedName):
			out = out.or(f.oneOf(p.fields, name), p.elements)
		case p.fields[name] != nil:
			out = out.or(f.oneOf(p.fields, name))
		default:
			out = out.or(p.element(name), f.oneOf(p.fields, name))
		}
	}
	return out
}

// specialNames returns the number of names in a path that are not known.
func specialNames(path []string) (n int) {
	for _, name := range path {
		if isSpecial(name) {
			n++
		}
	}
	return n
}

func isSpecial(name string) bool { return name == anyName || name == computedName }

// hasField reports whether some values have a field at a path, in which any name and a name that is not known stand for all names.
func (f *follower) hasField(path []string, name string) bool {
	at := append(slices.Clone(path), name)
	return slices.ContainsFunc(f.values, func(values tree) bool { return hasAt(values, at) })
}

// hasAt reports whether a value has a field or an element at a path.
func hasAt(value any, path []string) bool {
	if len(path) == 0 {
		return true
	}
	switch value := value.(type) {
	case tree:
		for name, below := range value {
			if (name == path[0] || path[0] == anyName || path[0] == computedName) && hasAt(below, path[1:]) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, func(e any) bool { return hasAt(e, path[1:]) })
	}
	return false
}

// isMethod reports whether a name is that of a method of Helm's values which reads fields that are not known here.
func isMethod(name string) bool {
	return name == "YAML" || name == "Table" || name == "PathValue" || name == "Encode"
}

// element returns the element of a list in the place that a number names, any one if that is not known.
func (p possible) element(name string) abstract {
	if place, err := strconv.Atoi(name); err == nil && place >= 0 && place < len(p.items) {
		return p.items[place]
	}
	return p.elements
}

// valueField returns a field of the values. The field global of a subchart's values is also that of the charts above.
func (f *follower) valueField(path []string, name string) abstract {
	out := abstract{{isValue: true, path: append(slices.Clone(path), name)}}
	if name == "global" {
		for depth := range path {
			out = append(out, possible{isValue: true, path: append(slices.Clone(path[:depth]), name)})
		}
	}
	for _, p := range out {
		f.references.at(p.path)
	}
	return out
}

// all returns the scopes of the charts below a chart.
func (s *scope) all() (below []*scope) {
	for _, name := range slices.Sorted(maps.Keys(s.subcharts)) {
		below = append(append(below, s.subcharts[name]), s.subcharts[name].all()...)
	}
	return below
}

// field returns a field of a chart's context: Helm's, or one that a template set.
func (s *scope) field(name string) abstract { return s.helmField(name).or(s.fields[name]) }

func (s *scope) helmField(name string) abstract {
	switch name {
	case "Values":
		return abstract{{isValue: true, path: s.path}}
	case "Files":
		return abstract{{isFile: true}}
	case "Subcharts":
		fields := map[string]abstract{}
		for key, sub := range s.subcharts {
			fields[key] = abstract{{root: sub}}
		}
		return abstract{{fields: fields}}
	}
	return unknown()
}
