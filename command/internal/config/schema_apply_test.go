package config

import "strings"

// applyContradictions are the fields that contradict the strategies apply and
// server-side-apply, or need one of them (rules/apply: the strategy apply).
func applyContradictions() []*jsonSchema {
	some, yes := &jsonSchema{MinLength: 1}, &jsonSchema{Const: true}
	elements := &jsonSchema{MinItems: 1}
	csa, ssa := given("strategy", &jsonSchema{Const: "apply"}), given("strategy", &jsonSchema{Const: "server-side-apply"})
	applies := given("strategy", &jsonSchema{Enum: []string{"apply", "server-side-apply"}})
	merges := given("strategy", &jsonSchema{Enum: []string{"fast-forward", "force-delete-replace", "copy-merge"}})
	from := given("sources.origin.from", some)
	lastApplied := given("sources.origin.from", &jsonSchema{Const: FromLastApplied})
	lost := &jsonSchema{Enum: []string{preferLocal, preferUnion}}
	return []*jsonSchema{
		never(applies, given("sources.origin.none", yes)),
		never(applies, given("sources.origin.path", some)),
		never(applies, given("sources.origin.dir", some)),
		never(csa, from, not(lastApplied)),
		never(ssa, lastApplied),
		never(merges, from),
		never(from, not(lastApplied), not(ssa)),
		never(applies, given("conflicts.prefer", lost)),
		never(applies, given("conflicts.rules", &jsonSchema{Contains: given("prefer", lost)})),
		never(applies, given("renames", elements)),
		never(ssa, given("lists", elements)),
		never(applies, given("mergeComment", yes)),
		never(not(ssa), given("apply.fieldManager", some)),
		never(not(ssa), given("apply.force", yes)),
		never(not(applies), not(from), given("apply.namespace", some)),
		never(not(applies), given("apply.inventoryPolicy", some)),
		never(not(applies), given("apply.withoutOwners", yes)),
		never(not(lastApplied), given("apply.adopt", &jsonSchema{})),
		never(applies, given("apply.adopt", &jsonSchema{})),
		never(given("adopt", elements), merges),
		never(given("adopt", elements), applies),
		never(given("adopt", elements), from),
		never(given("adopt", elements), given("sources.origin.none", yes)),
	}
}

func never(all ...*jsonSchema) *jsonSchema { return not(&jsonSchema{AllOf: all}) }

func not(s *jsonSchema) *jsonSchema { return &jsonSchema{Not: s} }

// given holds where the field at a path is there and as s says.
func given(path string, s *jsonSchema) *jsonSchema {
	first, rest, more := strings.Cut(path, ".")
	if more {
		s = given(rest, s)
	}
	return &jsonSchema{Required: []string{first}, Properties: map[string]*jsonSchema{first: s}}
}
