package live

import (
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// ProblemKind says why there is no plan.
type ProblemKind int

const (
	// Cycle: resources depend on each other in a circle. Edges has every dependency
	// between them.
	Cycle ProblemKind = iota
	// Self: a resource depends on itself. Edges has that one dependency.
	Self
	// External: a resource depends on another that is neither in the config nor in
	// the prune set. Edges has that one dependency.
	External
	// Repeated: an annotation names a resource twice. Edges has that one dependency.
	Repeated
	// Malformed: an annotation cannot be read. Detail says what is wrong with it.
	Malformed
	// Duplicate: the config has two resources of one ID.
	Duplicate
	// Emptied: the config has nothing, and the inventory has something.
	Emptied
)

// Edge is a dependency: From is applied after To, and pruned before it.
type Edge struct{ From, To identity.ID }

// Problem is a reason that there is no plan (design 15.5).
type Problem struct {
	Kind ProblemKind
	// Object is the resource that has the problem; for a cycle the first one of it,
	// and for Emptied the inventory.
	Object identity.ID
	// Annotation is the annotation that has it, "" if none has.
	Annotation string
	Edges      []Edge
	Detail     string
}

// String is the problem as a sentence.
func (p Problem) String() string {
	switch p.Kind {
	case Cycle:
		return "resources depend on each other in a circle: " + circle(p.Edges)
	case Self:
		return fmt.Sprintf("%v depends on itself%s", p.Object, p.in())
	case External:
		return fmt.Sprintf("%v depends on %v%s, which is neither in the config nor about to be pruned", p.Object, p.Edges[0].To, p.in())
	case Repeated:
		return fmt.Sprintf("%v names %v twice%s", p.Object, p.Edges[0].To, p.in())
	case Malformed:
		return fmt.Sprintf("%v has an annotation %s that cannot be read: %s", p.Object, p.Annotation, p.Detail)
	case Duplicate:
		return fmt.Sprintf("%v occurs twice in the config", p.Object)
	}
	return fmt.Sprintf("the config has no resource, and all %s of the inventory %v would be pruned", p.Detail, p.Object)
}

// in names the annotation, if there is one.
func (p Problem) in() string {
	if p.Annotation == "" {
		return ""
	}
	return " (annotation " + p.Annotation + ")"
}

func circle(edges []Edge) string {
	parts := make([]string, len(edges))
	for i, e := range edges {
		parts[i] = fmt.Sprintf("%v depends on %v", e.From, e.To)
	}
	return strings.Join(parts, ", ")
}

// Refusal is the error of a plan that cannot be: it has all problems, found before
// anything is done.
type Refusal struct{ Problems []Problem }

func (r *Refusal) Error() string {
	parts := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}

// refusal is the error of problems, nil if there are none.
func refusal(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return &Refusal{Problems: problems}
}

// quote shows what somebody wrote, as long as a line bears.
func quote(text string) string { return fmt.Sprintf("%q", wording.Cut(text, 80)) }
