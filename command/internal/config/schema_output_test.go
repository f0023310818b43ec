package config

// outputContradictions are the fields that contradict the output, or need another one
// (rules/patches: the output patches).
func outputContradictions() []*jsonSchema {
	some, yes, elements := &jsonSchema{MinLength: 1}, &jsonSchema{Const: true}, &jsonSchema{MinItems: 1}
	patches, overlay := given("output", &jsonSchema{Const: OutputPatches}), given("output", &jsonSchema{Const: OutputOverlay})
	applies := given("strategy", &jsonSchema{Enum: []string{"apply", "server-side-apply"}})
	based := given("overlay.base", some)
	return []*jsonSchema{
		never(not(patches), given("patches.form", some)),
		never(not(patches), given("patches.from", some)),
		never(not(patches), given("patches.precondition", yes)),
		never(not(overlay), based),
		never(patches, not(applies), given("patches.precondition", yes)),
		never(patches, given("patches.precondition", yes), given("patches.from", &jsonSchema{Const: "upstream"})),
		never(patches, given("mergeComment", yes)),
		never(overlay, given("strategy", some), not(given("strategy", &jsonSchema{Const: "resource-merge"}))),
		never(overlay, given("conflicts.prefer", some), not(given("conflicts.prefer", &jsonSchema{Const: preferLocal}))),
		never(overlay, given("conflicts.rules", elements)),
		never(overlay, given("sources.origin.none", yes)),
		never(overlay, given("sources.origin.from", some)),
		never(overlay, given("mergeComment", yes)),
		never(overlay, given("sources.keep", &jsonSchema{Const: false}), not(based)),
	}
}
