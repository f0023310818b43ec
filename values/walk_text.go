package values

import (
	"regexp"
	"slices"
	"strings"
)

func isPrint(name string) bool { return name == "print" || name == "printf" || name == "cat" }

// mayMakeTemplate reports whether a function may return a text with an action in it that no value and no file has: it decodes a
// text, puts known parts of an action together, or edits the text of a value or a file that has one.
func (w *walker) mayMakeTemplate(name string, arguments []abstract) bool {
	keeping := []string{
		"quote", "squote", "trim", "indent", "nindent", "toString", "toStrings", "print", "printf", "cat", "fail", "eq", "ne", "lt", "le", "gt", "ge", "has", "contains",
		"hasPrefix", "hasSuffix", "regexMatch", "mustRegexMatch", "semver", "semverCompare", "int", "int64", "float64", "atoi", "add", "add1", "sub", "mul", "div", "mod", "max", "min",
		"ceil", "floor", "round", "until", "untilStep", "seq", "sha1sum", "sha256sum", "sha512sum", "adler32sum", "b64enc", "b32enc", "bcrypt", "htpasswd", "lookup",
		"randAlphaNum", "randAlpha", "randNumeric", "randAscii", "uuidv4", "now", "date", "genCA", "genSignedCert", "genSelfSignedCert", "genPrivateKey", "derivePassword",
	}
	isOfAction := func(a abstract) bool {
		return slices.ContainsFunc(a, func(p possible) bool {
			return p.isFile || p.isEdited || slices.ContainsFunc(p.sequence(), func(piece string) bool { return strings.ContainsAny(piece, "{}") })
		})
	}
	switch {
	case slices.Contains(keeping, name):
		return slices.ContainsFunc(arguments, func(a abstract) bool { return slices.ContainsFunc(a, func(p possible) bool { return p.isEdited }) })
	case strings.HasSuffix(name, "dec") || strings.HasPrefix(name, "decrypt"):
		isOutside := func(p possible) bool { // of the cluster, or of Helm
			return !p.isValue && !p.isFile && !p.isText && !p.isEdited && p.pieces == nil && p.encoded == nil
		}
		return slices.ContainsFunc(arguments, func(a abstract) bool { return slices.ContainsFunc(a, func(p possible) bool { return !isOutside(p) }) })
	}
	return slices.ContainsFunc(arguments, isOfAction) || w.hasActions(map[extent]bool{}, arguments...)
}

// hasActions reports whether values may have a text with an action in it.
func (f *follower) hasActions(seen map[extent]bool, all ...abstract) bool {
	if len(f.valueTexts) == 0 {
		return false
	}
	for _, a := range all {
		if len(a) == 0 || seen[extent{&a[0], len(a)}] {
			continue
		}
		seen[extent{&a[0], len(a)}] = true
		for _, p := range a {
			switch {
			case p.isAny || p.root != nil || p.isValue && f.hasActionAt(p.path):
				return true
			case f.hasActions(seen, p.elements, p.encoded):
				return true
			}
			for _, field := range p.fields {
				if f.hasActions(seen, field) {
					return true
				}
			}
		}
	}
	return false
}

// hasActionAt reports whether the values have a text with an action at a path or below it, or a template sets something there.
func (f *follower) hasActionAt(path []string) bool {
	for at := range f.added {
		if at == joined(path) || len(path) == 0 || strings.HasPrefix(at, joined(path)+"\x00") {
			return true
		}
	}
	return slices.ContainsFunc(f.values, func(values tree) bool { return hasAction(values, path) })
}

// hasAction reports whether a value has a text with an action at a path, in which any name and a name that is not known stand for all
// names, or below it.
func hasAction(value any, path []string) bool {
	switch value := value.(type) {
	case tree:
		for _, name := range sortedNames(value) {
			rest := path
			if len(path) > 0 {
				if name != path[0] && path[0] != anyName && path[0] != computedName {
					continue
				}
				rest = path[1:]
			}
			if len(path) == 0 && strings.Contains(name, "{{") || hasAction(value[name], rest) {
				return true
			}
		}
	case []any:
		rest := path[min(1, len(path)):]
		return slices.ContainsFunc(value, func(e any) bool { return hasAction(e, rest) })
	case string:
		return strings.Contains(value, "{{")
	}
	return false
}

// decoded returns the values of texts in YAML or JSON. A text that is no value's has fields that are not known.
func (w *walker) decoded(texts abstract) abstract {
	out := unknown()
	for _, p := range texts {
		if p.encoded != nil {
			out = out.or(p.encoded)
			continue
		}
		if p.isValue {
			w.references.at(p.path) // a text: helm fails on a map
			continue
		}
		w.whole(abstract{p})
		if !p.isText {
			out = out.or(abstract{p})
		}
	}
	return out
}

// runText follows the text that tpl runs, and returns its output. A value that tpl runs is a text, with nothing in it.
func (w *walker) runText(text, context abstract) (output abstract) {
	for _, p := range orUnknown(text) {
		switch {
		case p.isFile:
			w.file(p, context, w.scope)
			output = output.or(unknown())
		case p.isText:
			output = output.or(w.follower.text(p.text, context, w.scope))
		case p.isEdited || p.isAny:
			w.whole(abstract{p}, context)
			output = output.or(abstract{{isEdited: true}})
		case p.encoded != nil:
			w.anyText(nil, context, w.scope)
			output = output.or(abstract{p})
		case p.isValue:
			w.references.at(p.path)
			w.anyText(nil, context, w.scope)
			output = output.or(w.outputOfTexts())
		default:
			w.anyText(p.pieces, context, w.scope)
			output = output.or(w.outputOfTexts())
		}
	}
	return output
}

// outputOfTexts returns the output of texts of the values. One that has a brace in an action, or decodes something, may write an action.
func (f *follower) outputOfTexts() abstract {
	writes := regexp.MustCompile(`\{\{[^}]*(\{|dec)`)
	return abstract{{isEdited: slices.ContainsFunc(f.valueTexts, writes.MatchString)}}
}
