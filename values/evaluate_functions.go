package values

import (
	"encoding/json"
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
	case "gt", "ge", "lt", "le":
		a, isNumber := first.(float64)
		b, isOther := at(arguments, 1).(float64)
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
