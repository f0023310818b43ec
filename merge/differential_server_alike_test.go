package merge

import (
	"fmt"
	"maps"
	"reflect"
)

func withoutManagers(object map[string]any) map[string]any {
	metadata := maps.Clone(object["metadata"].(map[string]any))
	delete(metadata, managedFields)
	object["metadata"] = metadata
	return object
}

// withoutNull is a value without nulls and the empty strings that stand for them.
func withoutNull(v any) any { return pruned(v, func(v any) bool { return v == nil || v == "" }) }

// withoutEmpty is a value without nulls and what is empty, or becomes so.
func withoutEmpty(v any) any {
	return pruned(v, func(v any) bool {
		m, isMap := v.(map[string]any)
		l, isList := v.([]any)
		return v == nil || v == "" || isMap && len(m) == 0 || isList && len(l) == 0
	})
}

// withoutNumbers is withoutEmpty with numbers as texts.
func withoutNumbers(v any) any { return numbersAsTexts(withoutEmpty(v)) }

func numbersAsTexts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			out[name] = numbersAsTexts(field)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, element := range v {
			out[i] = numbersAsTexts(element)
		}
		return out
	case float64:
		return fmt.Sprint(v)
	}
	return v
}

// withoutText is withoutEmpty, without what a Secret has.
func withoutText(v any) any {
	out := withoutEmpty(v).(map[string]any)
	if out["kind"] == "Secret" {
		delete(out, "data")
		delete(out, "stringData")
	}
	return out
}

// hasEmpty reports whether there is anything empty in a value, or a null.
func hasEmpty(v any) bool { return !reflect.DeepEqual(v, withoutEmpty(v)) }

func pruned(v any, drop func(any) bool) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, field := range v {
			if field = pruned(field, drop); !drop(field) {
				out[name] = field
			}
		}
		return out
	case []any:
		out := []any{}
		for _, element := range v {
			if element = pruned(element, drop); !drop(element) {
				out = append(out, element)
			}
		}
		return out
	}
	return v
}
