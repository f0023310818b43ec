package patch

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Patch is the difference between two versions of a resource.
type Patch struct {
	// Form is never Auto.
	Form   Form
	Target Target
	// Node is a list of operations for the form JSON, else a partial resource.
	Node *yaml.Node
}

// Options configure patches.
type Options struct {
	// Form is Auto if it is "".
	Form Form
	// Precondition adds base's metadata.resourceVersion, so that a patch applies only to this
	// version (rules/patches: patches for kustomize).
	Precondition bool
	// CRDs define which lists of custom resources have keys, for form JSON.
	CRDs []*yaml.Node
	// Infer infers the keys of other lists, for form JSON.
	Infer bool
}

// Maker makes patches. It may be used by several goroutines at once.
type Maker struct {
	options            Options
	strategic, merging *schema.Schema
}

// New returns a Maker.
func New(o Options) *Maker {
	crds := schema.Trees(o.CRDs...)
	return &Maker{options: o, strategic: schema.NewColumn(schema.StrategicMerge, crds), merging: schema.New(nil, crds, o.Infer)}
}

// Make returns the patch that turns base into result, and whether there is any difference. Both are
// mappings that name the same resource. The error is ErrInexpressible for a difference that patches
// of the form cannot express, and a *merge.Fault for a version that cannot be merged.
func (m *Maker) Make(base, result *yaml.Node) (p Patch, differs bool, err error) {
	p.Target = TargetOf(base)
	p.Form = m.formOf(p.Target)
	version := yamlnode.Lookup(base, "metadata", "resourceVersion")
	if m.options.Precondition && version != nil {
		result = yamlnode.CopyField(result, base, []string{"metadata", "resourceVersion"})
	}
	c, err := merge.Compare(base, result, m.schemaOf(p))
	if err != nil || c.Equal() {
		return p, false, err
	}
	if m.options.Precondition && version == nil {
		return p, false, errNoVersion
	}
	if at := p.Target.differing(TargetOf(result)); at != nil && p.Form != JSON {
		return p, false, inexpressible(p.Form, at, "the patch finds the resource by it")
	}
	if p.Form == JSON {
		p.Node = rfc6902(c)
	} else {
		p.Node, err = p.partial(c)
	}
	if err != nil || isMap(p.Node) && len(p.Node.Content) == 0 {
		return p, false, err
	}
	switch {
	case !m.options.Precondition:
	case p.Form == JSON: // rules/patches: preconditions
		p.Node.Content = slices.Insert(p.Node.Content, 0, operation("replace", "/metadata/resourceVersion", version))
	default:
		entry(yamlnode.Field(p.Node, "metadata"), "resourceVersion", version)
	}
	return p, true, nil
}

var errNoVersion = errors.New("it has no metadata.resourceVersion, which the precondition needs")

func (m *Maker) formOf(t Target) Form {
	switch f := m.options.Form; {
	case f != Auto && f != "":
		return f
	case m.strategic.TakesStrategicPatches(identity.Group(t.APIVersion), t.Kind):
		return Strategic
	}
	return Merge
}

// schemaOf returns the schema of the kind for the form.
func (m *Maker) schemaOf(p Patch) schema.Resource {
	from := m.strategic
	switch p.Form {
	case Merge:
		return schema.Resource{}
	case JSON:
		from = m.merging
	}
	return from.Resource(identity.Group(p.Target.APIVersion), identity.Version(p.Target.APIVersion), p.Target.Kind)
}

// partial returns a patch that is a partial resource, empty if only an order differs for which kustomize has no patch.
func (p Patch) partial(c *merge.Comparison) (*yaml.Node, error) {
	var delta *yaml.Node
	var err error
	if s := (strategic{p.Form}); p.Form == Merge {
		delta, err = rfc7386(c)
	} else if delta, err = s.mapping(c); err == nil && p.Form == Kustomize && len(delta.Content) > 0 {
		err = cmp.Or(checkLists(c.Type, nil, c.From), checkLists(c.Type, nil, c.To))
	}
	if err != nil || len(delta.Content) == 0 {
		return delta, err
	}
	return p.Target.resource(delta), nil
}

// Form is a form of patches (rules/patches: forms).
type Form string

// The forms. Auto is Strategic for the kinds of Kubernetes and Merge for custom resources, for which
// the server refuses strategic patches.
const (
	Auto      Form = "auto"
	Strategic Form = "strategic"
	Merge     Form = "merge"
	JSON      Form = "json"
	Kustomize Form = "kustomize"
)

// Forms returns the forms.
func Forms() []Form { return []Form{Auto, Strategic, Merge, JSON, Kustomize} }

// Deletion returns the strategic patch with which kustomize drops a resource.
func Deletion(t Target) *yaml.Node {
	out := t.resource(yamlnode.EmptyMap())
	entry(out, patchDirective, yamlnode.String("delete"))
	return out
}

// ErrInexpressible is the error of a difference that a form of patches cannot express.
var ErrInexpressible = errors.New("cannot express it")

func inexpressible(form Form, at *merge.Path, reason string) error {
	return fmt.Errorf("%s: a %s patch %w: %s", cmp.Or(at.String(), "the resource"), form, ErrInexpressible, reason)
}

// checkValue returns an error for a value that a patch of a form cannot set: one with a null, which
// deletes (rules/patches: null), or with a field that has the name of a directive.
func checkValue(form Form, at *merge.Path, n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return inexpressible(form, at, "the result has a null there, and a null in a patch deletes")
		}
	case yaml.MappingNode:
		for key, v := range yamlnode.Pairs(n) {
			if err := cmp.Or(checkName(form, at, key.Value), checkValue(form, at.Field(key.Value), v)); err != nil {
				return err
			}
		}
	default:
		for _, element := range n.Content {
			if err := checkValue(form, at, element); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkName returns an error for a field that a strategic patch would take for a directive.
func checkName(form Form, at *merge.Path, name string) error {
	directives := []string{patchDirective, retainKeys, setElementOrder, deleteFromList}
	if form != Merge && slices.ContainsFunc(directives, func(d string) bool { return strings.HasPrefix(name, d) }) {
		return inexpressible(form, at.Field(name), "the field has the name of a directive")
	}
	return nil
}
