package values

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxText is the length up to which a text that a template makes is known.
	maxText = 256
	// maxTexts is the number of texts that one known text may be.
	maxTexts = 16
)

// write adds a value to the output of a template. Known texts and values in YAML stay known; all others are used whole.
func (w *walker) write(value abstract) {
	if w.output == nil {
		w.whole(value)
		return
	}
	var out abstract
	for _, before := range w.output {
		for _, behind := range orUnknown(value) {
			out = out.or(abstract{w.joined(before, behind)})
		}
	}
	if len(out) > maxTexts {
		w.whole(out)
		out = abstract{{pieces: []string{"", ""}, isEdited: slices.ContainsFunc(out, possible.mayBeTemplate)}}
	}
	w.output = out
}

// joined returns two texts in a row.
func (w *walker) joined(a, b possible) possible {
	switch {
	case a.isText && b.isText && len(a.text)+len(b.text) <= maxText:
		return possible{text: a.text + b.text, isText: true}
	case a.encoded != nil && b.isBlank():
		return a
	case b.encoded != nil && a.isBlank():
		return b
	case b.isValue && !b.isEdited && a.isBlank():
		return possible{encoded: abstract{b}} // YAML of a text, if anything reads it as YAML
	}
	w.whole(abstract{a, b})
	if slices.Equal(a.pieces, []string{"", ""}) { // perhaps it is too long already
		return possible{pieces: a.pieces, isEdited: a.isEdited || b.mayBeTemplate()}
	}
	pieces := joinedPieces(a.sequence(), b.sequence())
	if length := len(strings.Join(pieces, "")); length > maxText || len(pieces) > maxTexts {
		return possible{pieces: []string{"", ""}, isEdited: a.mayBeTemplate() || b.mayBeTemplate()}
	}
	return possible{pieces: pieces, isEdited: a.isEdited || b.isEdited}
}

// isBlank reports whether a text is known, and empty but for spaces.
func (p possible) isBlank() bool { return p.isText && strings.TrimSpace(p.text) == "" }

// isBlank reports whether a text is empty but for spaces, whichever of the possible ones it is.
func isBlank(a abstract) bool {
	return !slices.ContainsFunc(a, func(p possible) bool { return !p.isBlank() })
}

// mayBeTemplate reports whether a text has parts of an action that are not a value's.
func (p possible) mayBeTemplate() bool {
	return p.isEdited || slices.ContainsFunc(p.sequence(), func(piece string) bool { return strings.Contains(piece, "{{") })
}

// sequence returns the known texts in a text in their order. Something unknown is between each two.
func (p possible) sequence() []string {
	switch {
	case p.isText:
		return []string{p.text}
	case len(p.pieces) > 0:
		return p.pieces
	}
	return []string{"", ""}
}

func joinedPieces(a, b []string) []string {
	last := len(a) - 1
	return slices.Concat(a[:last:last], []string{a[last] + b[0]}, b[1:])
}

// piecesOf returns the texts that a printed text has in it, with something unknown between each two.
func piecesOf(name string, arguments []abstract) []string {
	out := []string{""}
	sequenceOf := func(a abstract) []string {
		if len(a) == 1 {
			return a[0].sequence()
		}
		return []string{"", ""}
	}
	if name == "printf" {
		if len(arguments) == 0 || !isKnown(arguments[0]) || len(arguments[0]) > 1 {
			return nil
		}
		texts, verbs, ok := formatOf(arguments[0][0].text)
		if !ok || len(verbs) != len(arguments)-1 {
			return []string{texts[0], ""}
		}
		for i, text := range texts {
			out = joinedPieces(out, []string{text})
			if i < len(verbs) {
				between := []string{"", ""}
				if verbs[i] != 'q' {
					between = sequenceOf(arguments[i+1])
				}
				out = joinedPieces(out, between)
			}
		}
		return out
	}
	for i, a := range arguments {
		if i > 0 { // some functions put a space between
			out = joinedPieces(out, []string{"", ""})
		}
		out = joinedPieces(out, sequenceOf(a))
	}
	return out
}

// formatOf splits a format into its texts and the verbs between them. ok is false if it has other verbs than %s, %v, %d and %q.
func formatOf(format string) (texts []string, verbs []byte, ok bool) {
	text := ""
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			text += format[i : i+1]
			continue
		}
		if i++; i < len(format) && format[i] == '%' {
			text += "%"
			continue
		}
		if i == len(format) || !strings.ContainsRune("svdq", rune(format[i])) {
			return append(texts, text), verbs, false
		}
		texts, verbs, text = append(texts, text), append(verbs, format[i]), ""
	}
	return append(texts, text), verbs, true
}

// textsOf returns the value of a function of texts that are all known, nil if it is another one or a text is not known.
func textsOf(name string, arguments []abstract) abstract {
	if name == "join" && len(arguments) == 2 && len(arguments[1]) == 1 && len(arguments[1][0].items) > 0 {
		arguments = append([]abstract{arguments[0]}, arguments[1][0].items...)
	} else if name == "join" {
		return nil
	}
	all := [][]string{nil}
	for _, a := range arguments {
		if !isKnown(a) || len(all)*len(a) > maxTexts {
			return nil
		}
		var longer [][]string
		for _, before := range all {
			for _, p := range a {
				longer = append(longer, append(slices.Clone(before), p.text))
			}
		}
		all = longer
	}
	var out abstract
	for _, texts := range all {
		value := textOf(name, texts)
		if value == nil {
			return nil
		}
		out = out.or(value)
	}
	return out
}

// textOf returns the value of a function of known texts, nil for a function that is not known. The functions are those of sprig,
// which Helm's engine has (https://masterminds.github.io/sprig/strings.html).
func textOf(name string, texts []string) abstract {
	want, known := map[string]int{
		"lower": 1, "upper": 1, "trim": 1, "nospace": 1, "toString": 1, "quote": 1, "squote": 1, "b64enc": 1, "b64dec": 1,
		"trimPrefix": 2, "trimSuffix": 2, "trimAll": 2, "trunc": 2, "splitList": 2, "split": 2, "regexFind": 2,
		"replace": 3, "substr": 3, "regexReplaceAll": 3, "regexReplaceAllLiteral": 3, "join": -1, "printf": -1, "print": -1, "cat": -1,
	}[name]
	if !known || len(texts) == 0 || want > 0 && len(texts) != want {
		return nil
	}
	last := texts[len(texts)-1]
	switch name {
	case "lower":
		return knownText(strings.ToLower(last))
	case "upper":
		return knownText(strings.ToUpper(last))
	case "trim":
		return knownText(strings.TrimSpace(last))
	case "nospace":
		return knownText(strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, last))
	case "toString":
		return knownText(last)
	case "quote":
		return knownText(strconv.Quote(last))
	case "squote":
		return knownText("'" + last + "'")
	case "b64enc":
		return knownText(base64.StdEncoding.EncodeToString([]byte(last)))
	case "b64dec":
		text, err := base64.StdEncoding.DecodeString(last)
		if err != nil {
			return nil
		}
		return knownText(string(text))
	case "trimPrefix":
		return knownText(strings.TrimPrefix(last, texts[0]))
	case "trimSuffix":
		return knownText(strings.TrimSuffix(last, texts[0]))
	case "trimAll":
		return knownText(strings.Trim(last, texts[0]))
	case "trunc":
		return truncated(texts[0], last)
	case "substr":
		return substring(texts[0], texts[1], last)
	case "splitList", "split":
		return splitText(name, texts[0], last)
	case "replace":
		return knownText(strings.ReplaceAll(last, texts[0], texts[1]))
	case "regexFind", "regexReplaceAll", "regexReplaceAllLiteral":
		return matched(name, texts)
	case "join":
		return knownText(strings.Join(texts[1:], texts[0]))
	}
	return printed(name, texts)
}

// truncated returns the first characters of a text, or for a number below 0 the last ones.
func truncated(count, text string) abstract {
	n, err := strconv.Atoi(count)
	switch {
	case err != nil:
		return nil
	case n < 0 && len(text)+n > 0:
		return knownText(text[len(text)+n:])
	case n >= 0 && len(text) > n:
		return knownText(text[:n])
	}
	return knownText(text)
}

// substring returns a part of a text; a bound below 0 is none.
func substring(from, to, text string) abstract {
	start, err := strconv.Atoi(from)
	end, wrong := strconv.Atoi(to)
	switch {
	case err != nil || wrong != nil:
		return nil
	case start < 0:
		start = 0
	}
	if end < 0 || end > len(text) {
		end = len(text)
	}
	if start > end {
		return nil
	}
	return knownText(text[start:end])
}

// splitText returns the parts of a text, in a list, or with split in a map with the names _0 and on.
func splitText(name, separator, text string) abstract {
	parts := strings.Split(text, separator)
	if len(parts) > maxItems {
		return nil
	}
	list, fields := possible{}, map[string]abstract{}
	for i, part := range parts {
		list.items = append(list.items, knownText(part))
		list.elements = list.elements.or(knownText(part))
		fields["_"+strconv.Itoa(i)] = knownText(part)
	}
	if name == "split" {
		return abstract{{fields: fields, items: list.items}}
	}
	return abstract{list}
}

// matched returns the value of a function of a regular expression, nil if the expression is wrong.
func matched(name string, texts []string) abstract {
	expression, err := regexp.Compile(texts[0])
	if err != nil {
		return nil
	}
	switch name {
	case "regexFind":
		return knownText(expression.FindString(texts[1]))
	case "regexReplaceAll":
		return knownText(expression.ReplaceAllString(texts[1], texts[2]))
	}
	return knownText(expression.ReplaceAllLiteralString(texts[1], texts[2]))
}

// printed returns a printed text, nil if it is not known: a number is not printed as a text is.
func printed(name string, texts []string) abstract {
	isNumber := func(text string) bool { _, err := strconv.ParseFloat(text, 64); return err == nil }
	switch name {
	case "print":
		if slices.ContainsFunc(texts, isNumber) {
			return nil
		}
		return knownText(strings.Join(texts, ""))
	case "cat":
		return knownText(strings.TrimSpace(strings.Join(texts, " ")))
	}
	between, verbs, ok := formatOf(texts[0])
	if !ok || len(verbs) != len(texts)-1 {
		return nil
	}
	out := between[0]
	for i, verb := range verbs {
		text := texts[i+1]
		switch {
		case isNumber(text) == (verb == 's' || verb == 'q') && verb != 'v' || verb == 'd' && !isNumber(text):
			return nil
		case verb == 'q':
			text = strconv.Quote(text)
		}
		out += text + between[i+1]
	}
	return knownText(out)
}
