package overlay

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
	"github.com/resource-merge/resource-merge/patch"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// maker makes an overlay.
type maker struct {
	pairs         []*pair
	inline        bool
	kustomization *yaml.Node
	taken         patch.FileNames
	known         *schema.Schema
	crds          []*yaml.Node
	files         []pkgmerge.File
	unsaid        []Unsaid
	// owns says that the fork has resources of its own.
	owns bool
	// named counts the base's resources by all but their namespace.
	named map[yamlnode.Meta]int
}

func (m *maker) say(subject, path, text string) {
	m.unsaid = append(m.unsaid, Unsaid{Subject: subject, Path: path, Text: text})
}

// write writes what makes the fork's resource of the base's, and returns its entry among
// the patches, nil if it has none.
func (m *maker) write(p *pair, patcher patcher) (*yaml.Node, error) {
	switch {
	case p.base == nil && p.fork == nil, p.isDead(), p.same():
		if p.same() && !merge.Alike(p.base, p.source) {
			m.say(subject(p.target()), "", "its comments differ")
		}
		return nil, nil
	case p.fork == nil:
		return m.patch(p.target(), patch.Deletion(patch.Target(p.target())), nil)
	case p.base == nil:
		return nil, m.own(p)
	}
	t, is := p.target(), yamlnode.MetaOf(p.source)
	if !p.isPatched() {
		entry, err := m.patch(t, patch.Deletion(patch.Target(t)), nil)
		if err != nil {
			return nil, err
		}
		return entry, m.own(p)
	}
	made, differs, unordered, err := patcher.change(p.base, p.source)
	for _, at := range unordered {
		m.say(subject(t), at, "its elements come in another order: kustomize puts first what a patch names")
	}
	if err != nil || !differs {
		return nil, err
	}
	if made.Form == patch.JSON {
		rounded(p.source, nil, func(at *merge.Path) {
			m.say(subject(t), at.String(), "kustomize rounds it: to apply a JSON patch, it reads numbers as floats, which are exact up to 2^53")
		})
	}
	return m.patch(t, made.Node, m.beside(made, t.Name != is.Name))
}

// beside are the fields of a patch's entry beside its path.
func (m *maker) beside(p patch.Patch, renames bool) (out []*yaml.Node) {
	if p.Form == patch.JSON || renames {
		out = append(out, yamlnode.String("target"), m.selector(yamlnode.Meta(p.Target)))
	}
	if p.Form != patch.JSON && renames {
		allow := yamlnode.EmptyMap()
		allow.Content = append(allow.Content, yamlnode.String("allowNameChange"), &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
		out = append(out, yamlnode.String("options"), allow)
	}
	return out
}

// selector selects one resource: where the base has others of the name, in its namespace. For
// kustomize a resource of the cluster is in no namespace, whatever its metadata says.
func (m *maker) selector(t yamlnode.Meta) *yaml.Node {
	anywhere := t
	anywhere.Namespace = ""
	switch {
	case transform.ClusterScoped(t):
		t = anywhere
	case m.named[anywhere] > 1:
		t.Namespace = transform.NamespaceOf(t)
	}
	return patch.Target(t).Selector()
}

// patch writes a patch and returns its entry.
func (m *maker) patch(t yamlnode.Meta, n *yaml.Node, more []*yaml.Node) (*yaml.Node, error) {
	text, err := encode(n)
	if m.inline && n.Kind == yaml.SequenceNode {
		literal := yamlnode.String(string(text))
		literal.Style = yaml.LiteralStyle
		entry := yamlnode.EmptyMap()
		entry.Content = append(append(entry.Content, yamlnode.String("patch"), literal), more...)
		return entry, err
	}
	name := "patches/" + m.taken.Of(patch.Target(t))
	m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	entry := mapOf([2]string{"path", name})
	entry.Content = append(entry.Content, more...)
	return entry, err
}

// own writes a resource that only the fork has (rules/overlay: added and dropped resources).
func (m *maker) own(p *pair) error {
	m.owns = true
	name := m.taken.Of(patch.TargetOf(p.source))
	text, err := encode(p.source)
	m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	resources := sequence(m.kustomization, "resources")
	resources.Content = append(resources.Content, yamlnode.String(name))
	return err
}

func encode(n *yaml.Node) ([]byte, error) { return patch.Patch{Node: n}.YAML() }

// knows reports whether kustomize knows which lists of a kind have keys. Its schema is that of
// Kubernetes 1.21.
func knows(t yamlnode.Meta) bool {
	switch t.Kind {
	case "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "IPAddress", "ServiceCIDR", "VolumeAttributesClass":
		return false
	}
	return slices.Contains([]string{
		"v1", "apps/v1", "batch/v1", "networking.k8s.io/v1", "policy/v1",
		"rbac.authorization.k8s.io/v1", "autoscaling/v1", "storage.k8s.io/v1", "scheduling.k8s.io/v1",
		"admissionregistration.k8s.io/v1", "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "coordination.k8s.io/v1",
		"discovery.k8s.io/v1", "node.k8s.io/v1", "certificates.k8s.io/v1",
	}, t.APIVersion)
}

// lacksKeys reports whether a list that kustomize merges by a key has an element without it.
// A patch of anything else in the resource makes kustomize lose elements of such a list.
func lacksKeys(n *yaml.Node) bool {
	keys := map[string][]string{
		"ports": {"port", "containerPort"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
		"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "env": {"name"}, "volumes": {"name"},
	}
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		of, list := keys[n.Content[i].Value], n.Content[i+1]
		lacks := func(e *yaml.Node) bool {
			return e.Kind == yaml.MappingNode && !slices.ContainsFunc(of, func(key string) bool { return yamlnode.Field(e, key) != nil })
		}
		if of != nil && list.Kind == yaml.SequenceNode && slices.ContainsFunc(list.Content, lacks) {
			return true
		}
	}
	return slices.ContainsFunc(n.Content, lacksKeys)
}
