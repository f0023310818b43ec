package values

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"
	"unicode"
)

const (
	// maxCalls is the depth of templates that include others, above which a template is not followed.
	maxCalls = 40
	// maxTurns is the number of times that all templates are followed, since one may set a field that others read.
	maxTurns = 4
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
	// text is a text that is known, and pieces are texts that one has in it.
	text   string
	pieces []string
	// isFile says that it is a file of the chart, which may be a template; isEdited, that a function replaced parts of it.
	isFile, isEdited bool
	// isAny says that it may be anything: where it is used, all values are.
	isAny bool
}

// key identifies a possible thing among others.
func (p possible) key(depth int) string {
	switch {
	case p.root != nil:
		return "root " + joined(p.root.path)
	case p.isValue:
		return fmt.Sprintf("value %s %q", joined(p.path), p.omitted)
	case p.isFile:
		return "file " + strconv.FormatBool(p.isEdited)
	case p.isAny:
		return "any"
	case depth == 0:
		return "deep"
	case p.fields == nil && p.elements == nil && p.pieces == nil:
		return "text " + strconv.Quote(p.text)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "text %q %q [%s] {", p.text, p.pieces, p.elements.key(depth-1))
	for _, item := range p.items {
		fmt.Fprintf(&b, "%s;", item.key(depth-1))
	}
	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		fmt.Fprintf(&b, "%q: %s,", name, p.fields[name].key(depth-1))
	}
	b.WriteByte('}')
	return b.String()
}

func (a abstract) key(depth int) string {
	keys := a.keys(depth)
	slices.Sort(keys)
	return strings.Join(slices.Compact(keys), "|")
}

func (a abstract) keys(depth int) []string {
	keys := make([]string, len(a), len(a)+1)
	for i, p := range a {
		keys[i] = p.key(depth)
	}
	return keys
}

// or returns what is a or one of others.
func (a abstract) or(others ...abstract) abstract {
	const depth = 3
	out := slices.Clip(a)
	var keys []string
	for _, b := range others {
		for _, p := range b {
			if keys == nil {
				keys = out.keys(depth)
			}
			key := p.key(depth)
			switch {
			case slices.Contains(keys, key):
			case len(out) < maxPossible:
				out, keys = append(out, p), append(keys, key)
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
	// seen has the named templates and the contexts that were followed.
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
	// texts are the templates, by number, and files the texts of other files that may be templates.
	texts []template
	files []string
	// byPlace are the occurrences by their places.
	byPlace map[place][]occurrence
	// words are the words of the texts in templates and values; a computed name is one of them.
	words map[string]bool
	// read are the texts of templates whose words are among them.
	read map[*parse.TextNode]bool
	// unparsed are the templates that could not be parsed.
	unparsed []string
}

// main is a template that Helm runs, in its chart's scope.
type main struct {
	tree  *parse.Tree
	scope *scope
	text  int
}

// follow returns the values that the templates of a chart read, given its default values and a user's.
func (c *Chart) follow(values ...tree) *follower {
	f := &follower{references: &references{}, named: map[string]*parse.Tree{}, seen: map[string]bool{}, words: map[string]bool{}, added: map[string]map[string]abstract{}, reading: map[string]bool{}, read: map[*parse.TextNode]bool{}}
	mains, top := f.parse(c, nil)
	f.hasNews = true
	for turn := 0; f.hasNews && turn < maxTurns; turn++ {
		f.hasNews = false
		clear(f.seen)
		for _, m := range mains {
			f.run(m.tree, abstract{{root: m.scope}}, m.text, m.scope)
		}
		for _, v := range values {
			f.texted(v, top)
		}
	}
	f.conditions(c, nil)
	return f
}

// parse parses the templates of a chart and its subcharts.
func (f *follower) parse(c *Chart, path []string) (mains []main, s *scope) {
	s = &scope{path: path, subcharts: map[string]*scope{}, fields: map[string]abstract{}}
	f.addWords(c.Name)
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

// texted follows the texts of values that are templates, which tpl runs.
func (f *follower) texted(value any, s *scope) {
	switch value := value.(type) {
	case tree:
		for _, v := range value {
			f.texted(v, s)
		}
	case []any:
		for _, v := range value {
			f.texted(v, s)
		}
	case string:
		f.addWords(value)
		if strings.Contains(value, "{{") {
			f.text(value, abstract{{root: s}}, s)
		}
	}
}

func (f *follower) addWords(text string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		f.words[word], f.words["~"+plainWord(word)] = true, true
	}
}

// plainWord returns a word as functions that change its form leave it, such as lower and camelcase.
func plainWord(word string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(word))
}

// isWord reports whether a name may be computed from the texts in templates and values: one of their words, or one
// with a word of a format such as "%sEnabled" at an end.
func (f *follower) isWord(name string) bool {
	if f.words[name] || f.words["~"+plainWord(name)] {
		return true
	}
	for word := range f.words {
		if piece, is := strings.CutPrefix(word, "%"); is && len(piece) > 2 && (strings.HasPrefix(name, piece) || strings.HasSuffix(name, piece)) {
			return true
		}
	}
	return false
}

// text follows a text that tpl runs.
func (f *follower) text(text string, context abstract, s *scope) {
	trees, err := parsed("text", text)
	if err != nil {
		return
	}
	if tree := trees["text"]; tree != nil {
		f.run(tree, context, -1, s)
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
		f.text(text, context, s)
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

// run follows a template with its context.
func (f *follower) run(t *parse.Tree, context abstract, text int, s *scope) {
	w := &walker{follower: f, text: text, scope: s, variables: map[string]abstract{"$": context}}
	w.list(t.Root, context)
}

// include follows a named template with its context.
func (f *follower) include(name string, context abstract, s *scope) {
	t := f.named[name]
	key := name + "\n" + context.key(4)
	if f.seen[key] {
		return
	}
	if t == nil && !f.isPartial { // helm would fail, so this is never run
		return
	}
	if t == nil || f.depth >= maxCalls {
		f.whole(context)
		return
	}
	f.seen[key] = true
	f.depth++
	f.run(t, context, f.numberOf(t), s)
	f.depth--
}

// includeAny follows the named templates that may be meant by a name. A file's name is that of a template which Helm
// runs anyway.
func (f *follower) includeAny(name possible, context abstract, s *scope) {
	if name.text != "" {
		f.include(name.text, context, s)
		return
	}
	isFile := slices.ContainsFunc(name.pieces, func(piece string) bool {
		return strings.Contains(piece, "/") || slices.ContainsFunc(f.texts, func(t template) bool { return strings.HasSuffix("/"+t.name, piece) })
	})
	found := false
	for _, known := range slices.Sorted(maps.Keys(f.named)) {
		if len(name.pieces) > 0 && !slices.ContainsFunc(name.pieces, func(piece string) bool { return !strings.Contains(known, piece) }) {
			f.include(known, context, s)
			found = true
		}
	}
	if !found && !isFile {
		f.whole(context)
	}
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
			if !slices.Contains(p.omitted, name) {
				out = out.or(f.valueField(p.path, name), f.addedField(joined(p.path), name))
			}
		case p.isAny:
			f.references.whole = true
		case p.isFile:
			out = out.or(abstract{p})
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
	return nil
}
