package manifest

import (
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
)

// Encoding is something that came out of the encoder, as no text has it.
type Encoding struct {
	// What is "resource", or the kind of a field or an element: "scalar", "map" or
	// "list".
	What string
	// Why is the reason.
	Why string
}

// The reasons.
const (
	notUnderstood = "the layout is not understood"
	notEdited     = "no edit reads as it was decided"
	notRead       = "the edit reads otherwise than it was decided"
	noSource      = "the merge made it, no side has it"
	inBrackets    = "upstream has it in brackets, local in lines"
	isAnchored    = "an anchor or an alias"
	ofUpstream    = "in what upstream added, local has it otherwise"
	notTaken      = "upstream's lines cannot stand there"
)

// tell notes that a part is encoded.
func (e *editor) tell(part *Part, why string) {
	what := "scalar"
	switch target(part.Value).Kind {
	case yaml.MappingNode:
		what = "map"
	case yaml.SequenceNode:
		what = "list"
	}
	e.told = append(e.told, Encoding{what, why})
}

// whyNot is why the text of the other side cannot stand in a place, or "".
func (e *editor) whyNot(from source) string {
	switch {
	case e.isForced():
		return notRead
	case from.entry == nil:
		return noSource
	case e.base == identity.Upstream:
		return ofUpstream
	case from.in.form != block:
		return inBrackets
	}
	return ""
}
