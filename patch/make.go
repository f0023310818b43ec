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

// Patch is what makes the result of a resource.
type Patch struct {
	// Form is never Auto.
	Form   Form
	Target Target
	// Node is the patch: of form JSON a list of operations, else a partial resource.
	Node *yaml.Node
}

// Options say what patches are to be like.
type Options struct {
	// Form is Auto if it is "".
	Form Form
	// Precondition has a patch apply only to the version that base is: its
	// metadata.resourceVersion is in the patch (rules/patches: patches for kustomize).
	Precondition bool
	// CRDs are the CustomResourceDefinitions that say which lists of custom resources
	// have keys, for form JSON.
	CRDs []*yaml.Node
	// Infer has keys be inferred of lists that nothing describes, for form JSON.
	Infer bool
}

// Maker makes patches. It may be used by several goroutines at once.
type Maker struct {
	options            Options
	strategic, merging *schema.Schema
}

// New returns a Maker.
func New(o Options) *Maker {
	return &Maker{
		options: o, strategic: schema.NewColumn(schema.StrategicMerge, schema.Trees(o.CRDs...)), merging: schema.New(nil, schema.Trees(o.CRDs...), o.Infer),
	}
}

// Make returns the patch that makes result of base, and whether there is any
// difference. Both are mappings that name the same resource. An *Unsayable is a
// difference that patches of the form cannot say, and a *merge.Fault a version that
// cannot be merged.
func (m *Maker) Make(base, result *yaml.Node) (p Patch, differs bool, err error) {
	p.Target = TargetOf(base)
	p.Form = m.formOf(p.Target)
	version := yamlnode.Lookup(base, "metadata", "resourceVersion")
	if m.options.Precondition && version != nil {
		result = yamlnode.CopyField(result, base, []string{"metadata", "resourceVersion"})
	}
	c, err := merge.Compare(base, result, m.known(p))
	if err != nil || c.Equal() {
		return p, false, err
	}
	if m.options.Precondition && version == nil {
		return p, false, errNoVersion
	}
	if at := p.Target.differing(TargetOf(result)); at != nil && p.Form != JSON {
		return p, false, &Unsayable{Form: p.Form, Path: at, Reason: "it is what the patch finds the resource by"}
	}
	if p.Form == JSON {
		p.Node, err = rfc6902(c)
	} else {
		p.Node, err = p.partial(c)
	}
	if err != nil || isMap(p.Node) && len(p.Node.Content) == 0 {
		return p, false, err
	}
	p.demand(version, m.options.Precondition)
	return p, true, nil
}

var errNoVersion = errors.New("it has no metadata.resourceVersion, which the precondition needs")

// formOf is the form that a kind gets.
func (m *Maker) formOf(t Target) Form {
	switch f := m.options.Form; {
	case f != Auto && f != "":
		return f
	case m.strategic.TakesStrategicPatches(identity.Group(t.APIVersion), identity.Version(t.APIVersion), t.Kind):
		return Strategic
	}
	return Merge
}

// known is what the schema says of the kind, in the column that the form goes by.
func (m *Maker) known(p Patch) schema.Resource {
	from := m.strategic
	switch p.Form {
	case Merge:
		return schema.Resource{}
	case JSON:
		from = m.merging
	}
	return from.Resource(identity.Group(p.Target.APIVersion), identity.Version(p.Target.APIVersion), p.Target.Kind)
}

// partial is a patch that is a partial resource, empty if the form says nothing of what
// differs: an order that kustomize has none for.
func (p Patch) partial(c *merge.Comparison) (*yaml.Node, error) {
	var delta *yaml.Node
	var err error
	if s := (strategic{p.Form}); p.Form == Merge {
		delta, err = rfc7386(c)
	} else if delta, err = s.mapping(c); err == nil && p.Form == Kustomize && len(delta.Content) > 0 {
		err = cmp.Or(losing(c.Type, nil, c.From), losing(c.Type, nil, c.To))
	}
	if err != nil || len(delta.Content) == 0 {
		return delta, err
	}
	return p.Target.resource(delta), nil
}

// demand puts the precondition into a patch, if it is asked for (rules/patches:
// preconditions).
func (p Patch) demand(version *yaml.Node, asked bool) {
	switch {
	case !asked:
	case p.Form == JSON:
		p.Node.Content = append([]*yaml.Node{operation("replace", "/metadata/resourceVersion", version)}, p.Node.Content...)
	default:
		entry(yamlnode.Field(p.Node, "metadata"), "resourceVersion", version)
	}
}

// Form is how a patch says what differs (rules/patches: forms).
type Form string

// The forms. Auto is Strategic for the kinds of Kubernetes and Merge for custom resources,
// of which the server refuses strategic patches.
const (
	Auto      Form = "auto"
	Strategic Form = "strategic"
	Merge     Form = "merge"
	JSON      Form = "json"
	Kustomize Form = "kustomize"
)

// Forms lists the forms.
func Forms() []Form { return []Form{Auto, Strategic, Merge, JSON, Kustomize} }

// ParseForm is the form of a name.
func ParseForm(name string) (Form, error) {
	if f := Form(name); slices.Contains(Forms(), f) {
		return f, nil
	}
	var names []string
	for _, f := range Forms() {
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown form %q of a patch; want one of %s", name, strings.Join(names, ", "))
}

// Deletion is the strategic patch by which kustomize leaves a resource out.
func Deletion(t Target) *yaml.Node {
	out := t.resource(yamlnode.EmptyMap())
	entry(out, patchDirective, yamlnode.String("delete"))
	return out
}

// Unsayable is the error of a difference that a form of patches cannot say.
type Unsayable struct {
	Form   Form
	Path   *merge.Path
	Reason string
}

func (e *Unsayable) Error() string {
	path := e.Path.String()
	if path == "" {
		path = "the resource"
	}
	return fmt.Sprintf("%s: a %s patch cannot say it: %s", path, e.Form, e.Reason)
}

// writable finds what a patch of a form cannot set as a part of a value: a null, which
// deletes (rules/patches: null), and a field that is named as a directive.
func writable(form Form, at *merge.Path, n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return &Unsayable{Form: form, Path: at, Reason: "a null must stay there, and a null deletes"}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			if err := sayableName(form, at, name); err != nil {
				return err
			}
			if err := writable(form, at.Field(name), n.Content[i+1]); err != nil {
				return err
			}
		}
	default:
		for _, element := range n.Content {
			if err := writable(form, at, element); err != nil {
				return err
			}
		}
	}
	return nil
}

// sayableName finds a field that a strategic patch would take for a directive.
func sayableName(form Form, at *merge.Path, name string) error {
	if form == Merge || !strings.HasPrefix(name, "$") {
		return nil
	}
	for _, directive := range [4]string{patchDirective, retainKeys, setElementOrder, deleteFromList} {
		if strings.HasPrefix(name, directive) {
			return &Unsayable{Form: form, Path: at.Field(name), Reason: "the field has the name of a directive"}
		}
	}
	return nil
}
