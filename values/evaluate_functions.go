package values

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

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
	case int:
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

// maxNested is the number of maps in each other that are copied.
const maxNested = 50

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
	case int:
		return strconv.Itoa(value), true
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
		switch {
		case !isMap || len(arguments) != 3:
			return open{}
		case isText:
			m[key] = arguments[2]
		default:
			becomeOpen(m)
		}
		return m
	case "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite":
		m, isMap := at(arguments, 0).(tree)
		for _, other := range arguments[min(1, len(arguments)):] {
			if isMap {
				mergeInto(m, copied(other, 0), strings.HasSuffix(name, "Overwrite"))
			}
		}
		if isMap {
			return m
		}
		return open{}
	case "omit":
		m, isMap := at(arguments, 0).(tree)
		if !isMap || m[unknownFields] != nil {
			return open{}
		}
		out := maps.Clone(m)
		for _, key := range arguments[1:] {
			text, isText := key.(string)
			if !isText {
				return open{}
			}
			delete(out, text)
		}
		return out
	case "deepCopy", "mustDeepCopy":
		return copied(at(arguments, 0), 0)
	case "unset":
		m, isMap := at(arguments, 0).(tree)
		key, isText := at(arguments, 1).(string)
		switch {
		case !isMap:
			return open{}
		case isText:
			delete(m, key)
		default:
			becomeOpen(m)
		}
		return m
	case "kindOf", "typeOf":
		return nameOfType(name, at(arguments, 0))
	case "kindIs", "typeIs":
		is := nameOfType(strings.TrimSuffix(name, "Is")+"Of", at(arguments, 1))
		if wanted, isText := at(arguments, 0).(string); isText && is != (open{}) {
			return wanted == is
		}
		return open{}
	}
	if slices.ContainsFunc(arguments, isPartlyOpen) {
		return open{}
	}
	return resultOfKnown(name, arguments)
}

// copied returns a copy of a value with copies of the maps in it. A context is itself, and what is deeper than maxNested maps is open.
func copied(value any, depth int) any {
	switch value := value.(type) {
	case tree:
		if depth > maxNested {
			return open{}
		}
		out := tree{}
		for name, below := range value {
			out[name] = copied(below, depth+1)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, below := range value {
			out[i] = copied(below, depth+1)
		}
		return out
	}
	return value
}

// becomeOpen makes a map one whose fields are not known.
func becomeOpen(m tree) {
	clear(m)
	m[unknownFields] = open{}
}

// mergeInto merges a value into a map, as merge and mergeOverwrite do. A field that both have, and of which one is empty, is not known then.
func mergeInto(m tree, value any, overwrites bool) {
	other, isMap := value.(tree)
	if value == nil || m[unknownFields] != nil {
		return
	}
	if !isMap || other[unknownFields] != nil {
		becomeOpen(m)
		return
	}
	for name, theirs := range other {
		ours, had := m[name]
		below, isMap := ours.(tree)
		ourTruth, isOursKnown := truthOf(ours)
		theirTruth, isTheirsKnown := truthOf(theirs)
		switch {
		case !had:
			m[name] = theirs
		case isMap && kindOf(theirs) == "map":
			mergeInto(below, theirs, overwrites)
		case !isOursKnown || !isTheirsKnown || !ourTruth || !theirTruth:
			m[name] = open{}
		case overwrites:
			m[name] = theirs
		}
	}
}

// nameOfType returns the result of the functions kindOf and typeOf, which is open for a number and a context, and that of typeOf for a map or a list, too:
// Go has several types for these.
func nameOfType(function string, value any) any {
	_, isNumber := value.(float64)
	_, isContext := value.(*contextOf)
	_, known := truthOf(value)
	kind := kindOf(value)
	switch {
	case isNumber || isContext || !known:
		return open{}
	case function == "kindOf" || kind == "string" || kind == "bool":
		return kind
	}
	return open{}
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
			return len(value)
		case []any:
			return len(value)
		case tree:
			return len(value)
		}
	case "has":
		if list, is := at(arguments, 1).([]any); is {
			return slices.ContainsFunc(list, func(e any) bool { return reflect.DeepEqual(e, first) })
		}
	case "gt", "ge", "lt", "le":
		a, isNumber := first.(int)
		b, isOther := at(arguments, 1).(int)
		if isNumber && isOther {
			return map[string]bool{"gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}[name]
		}
	case "concat":
		all := []any{}
		for _, a := range arguments {
			list, is := a.([]any)
			if !is {
				return open{}
			}
			all = append(all, list...)
		}
		return all
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
		isNumber := kindOf(a) == "float64" || kindOf(a) == "int"
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
