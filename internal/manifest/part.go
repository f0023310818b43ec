package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge"
)

// Part is one place of a result and what it was made of.
type Part = merge.Part

// Entry is a field or an element of one side.
type Entry = merge.Entry

// headOf is the comment above a field, or above an element, which has no key.
func headOf(key, value *yaml.Node) string {
	if key == nil {
		return value.HeadComment
	}
	return joined("\n", key.HeadComment, value.HeadComment)
}

// lineOf is the comment at the end of the line.
func lineOf(key, value *yaml.Node) string {
	if key == nil {
		return value.LineComment
	}
	return joined(" ", key.LineComment, value.LineComment)
}

// footOf is the comment below what is in a field or an element.
func footOf(key, value *yaml.Node) string {
	if key == nil {
		return value.FootComment
	}
	return joined("\n", value.FootComment, key.FootComment)
}

// joined joins two comments, either of which may be missing.
func joined(between, a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}
