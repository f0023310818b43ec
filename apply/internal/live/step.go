package live

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// Action is the action of a plan on a resource, as results name it (rules/apply: results of an apply).
type Action string

const (
	Apply Action = "apply" // creates or updates the resource, or leaves it if nothing differs
	Prune Action = "prune" // deletes the resource
	// Keep leaves a resource of the prune set that an annotation protects. The resource loses the annotation
	// OwningInventory, and the inventory loses the resource (rules/live: the prune set).
	Keep Action = "keep"
	Skip Action = "skip" // neither applies nor prunes the resource
)

// Reason is the reason why a resource is kept or skipped.
type Reason string

const (
	None      Reason = ""          // the resource is applied or pruned
	Annotated Reason = "annotated" // the live annotation Annotation: Value protects the resource from pruning
	Unowned   Reason = "unowned"   // the live object belongs to no inventory, and the input does not adopt
	Foreign   Reason = "foreign"   // the live object belongs to another inventory, Value
	Inhabited Reason = "inhabited" // the Namespace has the resource Other of the config, or the inventory
	// DependencyPruned: the resource depends on Other, which the config lacks: kpt would neither apply the one nor
	// prune the other.
	DependencyPruned  Reason = "dependency-pruned"
	DependencySkipped Reason = "dependency-skipped" // the resource depends on Other, which is not applied
	DependentApplied  Reason = "dependent-applied"  // Other depends on the resource, and is in the config
	DependentStays    Reason = "dependent-stays"    // Other depends on the resource, and is not pruned
	SameObject        Reason = "same-object"        // the config has the live object as Other, in another group
	Refused           Reason = "refused"            // the server would refuse the resource
)

// Step is the action on one resource, and its reason.
type Step struct {
	ID     identity.ID
	Action Action
	// Pruning reports whether the resource is in the prune set, and not in the config.
	Pruning bool
	// Wave numbers the groups of resources for which kpt waits together, from 1: first the waves of applying, then
	// the waves of pruning.
	Wave   int
	Reason Reason
	// Other is the resource in the reason.
	Other identity.ID
	// Annotation and Value are the live annotation in the reason.
	Annotation, Value string
	// Mutations are the values that the resource gets during the apply (rules/live: mutations).
	Mutations []Mutation
}

// skip returns the step that skips the resource for a reason.
func (s Step) skip(reason Reason, other identity.ID) Step {
	s.Action, s.Reason, s.Other = Skip, reason, other
	return s
}

// ProblemKind is a reason why a config has no plan.
type ProblemKind int

const (
	Cycle     ProblemKind = iota // resources depend on each other in a circle; Edges has all dependencies between them
	Self                         // a resource depends on itself
	External                     // a resource depends on one that is neither in the config nor in the prune set
	Repeated                     // an annotation names a resource twice
	Malformed                    // an annotation cannot be read; Detail has the error
	Duplicate                    // the config has two resources of one ID
	Emptied                      // the config is empty, and the inventory is not
)

// Edge is a dependency: From is applied after To, and pruned before it.
type Edge struct{ From, To identity.ID }

// Problem is a reason that there is no plan (rules/live: errors).
type Problem struct {
	Kind ProblemKind
	// Object is the resource with the problem, the first resource of a cycle, or the inventory for Emptied.
	Object identity.ID
	// Annotation is the name of the annotation with the problem, "" if there is none.
	Annotation string
	Edges      []Edge
	Detail     string
}

// String returns the problem as a sentence.
func (p Problem) String() string {
	in := ""
	if p.Annotation != "" {
		in = " (annotation " + p.Annotation + ")"
	}
	switch p.Kind {
	case Cycle:
		parts := make([]string, len(p.Edges))
		for i, e := range p.Edges {
			parts[i] = fmt.Sprintf("%v depends on %v", e.From, e.To)
		}
		return "resources depend on each other in a circle: " + strings.Join(parts, ", ")
	case Self:
		return fmt.Sprintf("%v depends on itself%s", p.Object, in)
	case External:
		return fmt.Sprintf("%v depends on %v%s, which is neither in the config nor about to be pruned", p.Object, p.Edges[0].To, in)
	case Repeated:
		return fmt.Sprintf("%v names %v twice%s", p.Object, p.Edges[0].To, in)
	case Malformed:
		return fmt.Sprintf("%v has an annotation %s that cannot be read: %s", p.Object, p.Annotation, p.Detail)
	case Duplicate:
		return fmt.Sprintf("%v occurs twice in the config", p.Object)
	}
	return fmt.Sprintf("the config has no resource, and all %s of the inventory %v would be pruned", p.Detail, p.Object)
}

// Refusal is the error of a config without a plan: it has all problems, found before anything is done.
type Refusal struct{ Problems []Problem }

func (r *Refusal) Error() string {
	parts := make([]string, len(r.Problems))
	for i, p := range r.Problems {
		parts[i] = p.String()
	}
	return strings.Join(parts, "; ")
}

// quote quotes a user's text, shortened to fit a line.
func quote(text string) string { return fmt.Sprintf("%q", wording.Cut(text, 80)) }

// Object is a resource of the config or of the cluster. Its ID is the identity of the object (rules/apply: identity of
// objects): the namespace is defaulted, and a cluster-scoped object has none.
type Object struct {
	ID   identity.ID
	Node *yaml.Node
}

// annotation returns the value of an annotation, and whether the object has it.
func (o Object) annotation(name string) (value string, found bool) {
	v := yamlnode.Field(yamlnode.Annotations(o.Node), name)
	return yamlnode.Text(v), v != nil
}

// text returns the value of a field that holds a string, "" if there is none.
func (o Object) text(names ...string) string { return yamlnode.Text(yamlnode.Lookup(o.Node, names...)) }

// groupKind is a kind in a group.
type groupKind struct{ group, kind string }

func (o Object) groupKind() groupKind { return groupKind{o.ID.Group, o.ID.Kind} }

// indexByID returns the index of the first object of each ID.
func indexByID(objects []Object) map[identity.ID]int {
	at := make(map[identity.ID]int, len(objects))
	for i, o := range objects {
		if _, found := at[o.ID]; !found {
			at[o.ID] = i
		}
	}
	return at
}

// ApplyTimeMutation is the annotation that lists the values which a resource gets from others during the apply.
const ApplyTimeMutation = "config.kubernetes.io/apply-time-mutation"

// Mutation is a value that only the cluster knows: the field at TargetPath gets it from another resource during the
// apply (rules/live: mutations). Token is the part of the field that it replaces, "" for the whole.
type Mutation struct {
	Source                        identity.ID
	SourcePath, TargetPath, Token string
}

// readMutations reads the annotation apply-time-mutation, a list in YAML.
func readMutations(text string) ([]Mutation, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, errors.New("it is not valid YAML")
	}
	if len(doc.Content) == 0 || doc.Content[0].ShortTag() == "!!null" {
		return nil, nil
	}
	list := doc.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, errors.New("it is not a list")
	}
	out := make([]Mutation, len(list.Content))
	for i, element := range list.Content {
		m, err := readMutation(yamlnode.Resolve(element))
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
		out[i] = m
	}
	return out, nil
}

// readMutation reads one element. The group of a source is the field group, else that of apiVersion; kpt defaults no
// namespace of a source (V).
func readMutation(element *yaml.Node) (m Mutation, err error) {
	source := yamlnode.Field(element, "sourceRef")
	if element.Kind != yaml.MappingNode || source != nil && source.Kind != yaml.MappingNode {
		return m, errors.New("it and its sourceRef must be maps")
	}
	text := func(mapping *yaml.Node, name string) string { // a field that must be a string; the first error counts
		v := yamlnode.Field(mapping, name)
		if v == nil || v.ShortTag() == "!!null" {
			return ""
		}
		if err == nil && (v.Kind != yaml.ScalarNode || v.ShortTag() != "!!str") {
			err = fmt.Errorf("%s must be a string", name)
		}
		return v.Value
	}
	m.Source = identity.ID{
		Group: text(source, "group"), Kind: text(source, "kind"), Namespace: text(source, "namespace"), Name: text(source, "name"),
	}
	if version := text(source, "apiVersion"); m.Source.Group == "" {
		m.Source.Group = identity.Group(version)
	}
	m.SourcePath, m.TargetPath, m.Token = text(element, "sourcePath"), text(element, "targetPath"), text(element, "token")
	return m, err
}
