package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// unionsOf returns the unions of an object in a CRD (rules/unions: union structs): a oneOf whose alternatives require one
// field each, also within allOf, and the validations that allow at most one of some fields.
func unionsOf(schema *yaml.Node) (out []Union) {
	properties := yamlnode.Field(schema, "properties")
	add := func(members []string) {
		isField := func(name string) bool { return yamlnode.Field(properties, name) != nil }
		slices.Sort(members)
		members = slices.Compact(members)
		isKnown := slices.ContainsFunc(out, func(u Union) bool { return slices.Equal(u.Members, members) })
		if len(members) > 1 && !isKnown && !slices.ContainsFunc(members, func(name string) bool { return !isField(name) }) {
			out = append(out, Union{Members: members})
		}
	}
	add(alternatives(yamlnode.Field(schema, "oneOf")))
	for _, all := range yamlnode.Elements(yamlnode.Field(schema, "allOf")) {
		add(alternatives(yamlnode.Field(all, "oneOf")))
	}
	for _, v := range yamlnode.Elements(yamlnode.Field(schema, "x-kubernetes-validations")) {
		for _, members := range excluded(yamlnode.Text(yamlnode.Field(v, "rule"))) {
			add(members)
		}
	}
	return out
}

// alternatives returns the fields that the alternatives of a oneOf require, one each; nil if an alternative requires
// anything else. An alternative that says only what must not be there stands for none of the fields.
func alternatives(oneOf *yaml.Node) (members []string) {
	for _, n := range yamlnode.Elements(oneOf) {
		n = yamlnode.Resolve(n)
		required := yamlnode.Elements(yamlnode.Field(n, "required"))
		switch {
		case len(required) == 1:
			members = append(members, required[0].Value)
		case len(required) > 1 || yamlnode.Field(n, "not") == nil:
			return nil
		}
	}
	return members
}

// maxRule limits the length of a validation that is read.
const maxRule = 1000

// excluded returns the groups of fields of which a validation allows at most one: a count of fields that are there, as
// controller-gen writes it, or a condition of nothing but has(self.field).
func excluded(rule string) [][]string {
	if len(rule) > maxRule || !strings.Contains(rule, "has(self.") {
		return nil
	}
	count := regexp.MustCompile(`^\s*\[((?:\s*has\(self\.\w+\)\s*,?)+)\]\.filter\(\w+,\s*\w+\s*==\s*true\)\.size\(\)\s*(?:==|<=)\s*1\s*$`)
	if match := count.FindStringSubmatch(rule); match != nil {
		var members []string
		for _, name := range regexp.MustCompile(`self\.(\w+)`).FindAllStringSubmatch(match[1], -1) {
			members = append(members, name[1])
		}
		return [][]string{members}
	}
	return exclusivePairs(rule)
}

// exclusivePairs returns the pairs of fields that a condition never allows together. It reads CEL by Go's grammar, which
// is the same for such a condition.
func exclusivePairs(rule string) (out [][]string) {
	e, err := parser.ParseExpr(rule)
	if err != nil {
		return nil
	}
	names, ok := fieldsOf(e)
	const most = 6
	if !ok || len(names) < 2 || len(names) > most {
		return nil
	}
	allowed := map[[2]int]bool{}
	for set := range 1 << len(names) {
		has := func(name string) bool { return set>>slices.Index(names, name)&1 == 1 }
		for i := range names {
			for j := range i {
				if has(names[i]) && has(names[j]) && holds(e, has) {
					allowed[[2]int{j, i}] = true
				}
			}
		}
	}
	for i := range names {
		for j := range i {
			if !allowed[[2]int{j, i}] {
				out = append(out, []string{names[j], names[i]})
			}
		}
	}
	return out
}

// fieldsOf returns the fields of a condition; ok is false if it has anything but has(self.field), and operators.
func fieldsOf(e ast.Expr) (names []string, ok bool) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return fieldsOf(e.X)
	case *ast.UnaryExpr:
		names, ok = fieldsOf(e.X)
		return names, ok && e.Op == token.NOT
	case *ast.BinaryExpr:
		left, isLeft := fieldsOf(e.X)
		right, isRight := fieldsOf(e.Y)
		for _, name := range right {
			if !slices.Contains(left, name) {
				left = append(left, name)
			}
		}
		return left, isLeft && isRight && slices.Contains([]token.Token{token.LAND, token.LOR, token.EQL, token.NEQ}, e.Op)
	}
	name := fieldOf(e)
	return []string{name}, name != ""
}

// fieldOf returns the field of has(self.field), "" for any other expression.
func fieldOf(e ast.Expr) string {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	function, _ := call.Fun.(*ast.Ident)
	field, _ := call.Args[0].(*ast.SelectorExpr)
	if function == nil || function.Name != "has" || field == nil {
		return ""
	}
	if self, _ := field.X.(*ast.Ident); self == nil || self.Name != "self" {
		return ""
	}
	return field.Sel.Name
}

// holds evaluates a condition that fieldsOf could read.
func holds(e ast.Expr, has func(name string) bool) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return holds(e.X, has)
	case *ast.UnaryExpr:
		return !holds(e.X, has)
	case *ast.BinaryExpr:
		left, right := holds(e.X, has), holds(e.Y, has)
		switch e.Op {
		case token.LAND:
			return left && right
		case token.LOR:
			return left || right
		case token.EQL:
			return left == right
		}
		return left != right
	}
	return has(fieldOf(e))
}
