package kyamlmerge

import (
	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/command/function"
)

const (
	apiVersion = "fn.kpt.dev/v1alpha1"
	kind       = "ResourceMerge"
)

// ResourceMerge is the function config of a merge, and a filter of items that merges as it says. docs/config.md describes
// the fields. framework.LoadFunctionConfig reads one with its defaults, and checks it.
type ResourceMerge struct {
	yaml.ResourceMeta `json:",inline"`
	// Strategy is resource-merge, fast-forward, force-delete-replace, copy-merge, apply or server-side-apply. "" is the
	// strategy of the local root Kptfile, else resource-merge.
	Strategy string `json:"strategy,omitempty"`
	// Upstream is the source of the copy. Only the command update reads it.
	Upstream  *Upstream `json:"upstream,omitempty"`
	Apply     Apply     `json:"apply,omitzero"`
	Sources   Sources   `json:"sources,omitzero"`
	Conflicts Conflicts `json:"conflicts,omitzero"`
	// Renames are the resources that upstream renamed, for renames that are not found otherwise.
	Renames []Rename `json:"renames,omitempty"`
	// Lists gives keys to lists that no schema describes, and InferListKeys infers keys of other ones; nil is true.
	Lists         []ListRule `json:"lists,omitempty"`
	InferListKeys *bool      `json:"inferListKeys,omitempty"`
	// SetterComments lets Flux's setter comments decide values; nil is true.
	SetterComments *bool `json:"setterComments,omitempty"`
	// MergeComment writes kpt-merge comments; nil is true where the result has resources and no patches.
	MergeComment *bool `json:"mergeComment,omitempty"`
	// Adopt lists the changes of local to all its resources that resources added by upstream get too. nil is the namespace,
	// and an empty list is none.
	Adopt []string `json:"adopt,omitzero"`
	// TextValues writes the values in results as strings.
	TextValues bool `json:"textValues,omitempty"`
	// Output is merged, patches or overlay; "" is merged.
	Output  string  `json:"output,omitempty"`
	Patches Patches `json:"patches,omitzero"`
	Overlay Overlay `json:"overlay,omitzero"`

	// Results are the results of the last run of Filter.
	Results framework.Results `json:"-"`
}

// Upstream is the source of a copy.
type Upstream struct {
	Source  string   `json:"source,omitempty"`
	Command []string `json:"command,omitempty"`
	Timeout string   `json:"timeout,omitempty"`
	Version string   `json:"version,omitempty"`
	Digest  string   `json:"digest,omitempty"`
}

// Apply are the settings of the strategies apply and server-side-apply, and of an origin from live objects.
type Apply struct {
	Namespace       string   `json:"namespace,omitempty"`
	FieldManager    string   `json:"fieldManager,omitempty"`
	Force           bool     `json:"force,omitempty"`
	InventoryPolicy string   `json:"inventoryPolicy,omitempty"`
	WithoutOwners   bool     `json:"withoutOwners,omitempty"`
	Adopt           []string `json:"adopt,omitzero"`
}

// Sources are the places of the items of each side. Keep leaves the items of origin and upstream among the merged ones;
// nil is false, and true under apply and server-side-apply.
type Sources struct {
	Origin   OriginSource `json:"origin,omitzero"`
	Upstream Source       `json:"upstream,omitzero"`
	Local    Source       `json:"local,omitzero"`
	Keep     *bool        `json:"keep,omitempty"`
}

// Source is a directory of the package, or a directory that the merge reads itself.
type Source struct {
	Path string `json:"path,omitempty"`
	Dir  string `json:"dir,omitempty"`
}

// OriginSource is a directory as in Source, no origin at all, or live objects.
type OriginSource struct {
	Path string `json:"path,omitempty"`
	Dir  string `json:"dir,omitempty"`
	None bool   `json:"none,omitempty"`
	From string `json:"from,omitempty"`
}

// Conflicts decides whose version a conflict takes: the first rule that matches, else Prefer.
type Conflicts struct {
	Prefer string         `json:"prefer,omitempty"`
	Rules  []ConflictRule `json:"rules,omitempty"`
}

// ConflictRule decides the conflicts in some resources. A selector that is nil or "" matches everything.
type ConflictRule struct {
	Group     *string `json:"group,omitempty"`
	Kind      string  `json:"kind,omitempty"`
	Name      string  `json:"name,omitempty"`
	Namespace *string `json:"namespace,omitempty"`
	Path      string  `json:"path,omitempty"`
	Prefer    string  `json:"prefer,omitempty"`
}

// Rename is a resource that upstream renamed. A nil group is any.
type Rename struct {
	Group *string `json:"group,omitempty"`
	Kind  string  `json:"kind,omitempty"`
	From  string  `json:"from,omitempty"`
	To    string  `json:"to,omitempty"`
}

// ListRule gives keys to a list.
type ListRule struct {
	Group string   `json:"group,omitempty"`
	Kind  string   `json:"kind,omitempty"`
	Path  string   `json:"path,omitempty"`
	Keys  []string `json:"keys,omitempty"`
}

// Patches are the settings of the output patches.
type Patches struct {
	Form         string `json:"form,omitempty"`
	From         string `json:"from,omitempty"`
	Precondition bool   `json:"precondition,omitempty"`
}

// Overlay are the settings of the output overlay.
type Overlay struct {
	Base string `json:"base,omitempty"`
}

var (
	_ framework.Defaulter                = &ResourceMerge{}
	_ framework.Validator                = &ResourceMerge{}
	_ framework.ValidationSchemaProvider = &ResourceMerge{}
	_ kio.Filter                         = &ResourceMerge{}
)

// Default sets the fields that are not set to the defaults that a merge has without them. Fields whose default depends on
// the package, the strategy and adopt, stay unset.
func (m *ResourceMerge) Default() error {
	applies, serverSide := m.Strategy == "apply" || m.Strategy == "server-side-apply", m.Strategy == "server-side-apply"
	set(&m.APIVersion, apiVersion)
	set(&m.Kind, kind)
	set(&m.Output, "merged")
	if m.Output == "overlay" {
		set(&m.Conflicts.Prefer, "local")
	}
	set(&m.Conflicts.Prefer, "upstream")
	setTo(&m.InferListKeys, true)
	setTo(&m.SetterComments, true)
	setTo(&m.MergeComment, m.Output == "merged" && !applies)
	if applies || m.Output != "overlay" {
		setTo(&m.Sources.Keep, applies)
	}
	if applies || m.Sources.Origin.From != "" {
		set(&m.Apply.Namespace, "default")
	}
	if applies {
		set(&m.Apply.InventoryPolicy, "strict")
	}
	if serverSide {
		set(&m.Apply.FieldManager, "kubectl")
	}
	if m.Output == "patches" {
		set(&m.Patches.Form, "auto")
		set(&m.Patches.From, "local")
	}
	return nil
}

func set(field *string, value string) {
	if *field == "" {
		*field = value
	}
}

func setTo(field **bool, value bool) {
	if *field == nil {
		*field = &value
	}
}

// Validate returns an error if a field is wrong, or contradicts another one. It names the field, its value and the allowed
// values.
func (m *ResourceMerge) Validate() error {
	text, err := k8syaml.Marshal(m)
	if err != nil {
		return err
	}
	return function.CheckConfig(text)
}

// Filter merges the items. With an error it returns the items as they came, and the error is the results with the severity
// error. Results has all of them.
func (m *ResourceMerge) Filter(items []*yaml.RNode) (merged []*yaml.RNode, err error) {
	config := *m
	set(&config.APIVersion, apiVersion)
	set(&config.Kind, kind)
	text, err := k8syaml.Marshal(config)
	if err != nil {
		return items, err
	}
	node, err := yaml.Parse(string(text))
	if err != nil {
		return items, err
	}
	merged, m.Results, err = merge(items, node)
	return merged, err
}
