package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	_ "k8s.io/kubernetes/pkg/controlplane"
)

// defaultOf returns the default of a field in a stored struct. An empty value that is not stored is none.
func (p place) defaultOf(types map[string]reflect.Type, stored map[string]any, name string) string {
	value, has := stored[name]
	if !has || value == nil || len(p.path) == 0 && (name == "status" || name == "apiVersion" || name == "kind" || name == "metadata") {
		return none
	}
	if strings.HasSuffix(types[name].String(), ".Time") {
		return none // it is now
	}
	if kind := types[name].Kind(); kind == reflect.Struct && types[name].Name() != "IntOrString" && types[name].Name() != "Quantity" {
		return none // its own struct has the defaults
	} else if kind != reflect.Pointer && isEmpty(value) {
		return none
	}
	return compact(value)
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case json.Number:
		return v == "0"
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// compact returns a value as JSON without blanks.
func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was read from JSON
	}
	return strings.ReplaceAll(string(text), " ", "\\u0020")
}

// words are the values of fields on which defaults depend.
func words(name string) []any {
	switch name {
	case "type":
		return []any{"NodePort", "LoadBalancer", "ExternalName", "ClusterIP", "RollingUpdate", "OnDelete", "Recreate", "Limited", "Exempt",
			"Queue", "Reject", "Localhost", "Container", "Resource"}
	case "kind":
		return []any{"User", "Group", "ServiceAccount"}
	case "clusterIP":
		return []any{"None"}
	case "restartPolicy":
		return []any{"OnFailure", "Never"}
	case "completionMode":
		return []any{"Indexed"}
	case "externalTrafficPolicy":
		return []any{"Local"}
	case "scheme":
		return []any{"HTTPS"}
	}
	return nil
}

// probes are values of a scalar.
func probes(name string, typ reflect.Type) []any {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ.Kind() {
	case reflect.String:
		return append(words(name), other)
	case reflect.Int32, reflect.Int64, reflect.Int:
		return []any{1, 7}
	case reflect.Bool:
		return []any{true}
	case reflect.Struct:
		if typ.Name() == "IntOrString" {
			return []any{7}
		}
		return []any{map[string]any{}}
	}
	return nil
}

// vary notes the defaults of a struct with a scalar that differ from those without it.
func (p place) vary(r *row, types map[string]reflect.Type, made map[string]any, sibling string, probe any) {
	for name := range types {
		if name == sibling {
			continue
		}
		base, value := none, p.defaultOf(types, made, name)
		if f := r.fields[name]; f != nil {
			base = f.values[""]
		}
		switch rest, made := strings.CutPrefix(value, `"`+other); {
		case value == compact(probe) && (probe == 7 || probe == other):
			value = "$" + sibling
		case probe == other && made:
			value = "$" + sibling + "+" + strings.TrimSuffix(rest, `"`)
		case probe == other && value == compact(strings.ToLower(other)):
			value = "$" + sibling + "-"
		case strings.Contains(value, other):
			continue
		}
		if _, isStruct := probe.(map[string]any); isStruct && types[sibling].Kind() != reflect.Pointer {
			continue // it is always there
		}
		isWord := probe == 1 || slices.Contains(words(sibling), probe)
		if value == base && !isWord {
			continue
		}
		if r.fields[name] == nil {
			r.fields[name] = &field{values: map[string]string{"": none}}
		}
		at := fmt.Sprint(probe)
		if _, isStruct := probe.(map[string]any); isStruct || probe == 7 || probe == other {
			at = "*"
		}
		r.fields[name].values[sibling+":"+at] = value
	}
}

// copied returns the value of a default that is made of a sibling's value, "" for any other.
func copied(value, sibling, word string) string {
	switch rest, is := strings.CutPrefix(value, "$"+sibling); {
	case !is:
		return ""
	case rest == "-":
		return strings.ToLower(word)
	default:
		return word + strings.TrimPrefix(rest, "+")
	}
}
