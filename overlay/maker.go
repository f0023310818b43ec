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

// maker builds an overlay.
type maker struct {
	pairs         []*pair
	inline        bool
	kustomization *yaml.Node
	fileNames     patch.FileNames
	schema        *schema.Schema
	crds          []*yaml.Node
	files         []pkgmerge.File
	unexpressed   []string
	// hasOwn reports whether the fork has resources of its own.
	hasOwn bool
	// nameCounts counts the base's resources by target without namespace.
	nameCounts map[yamlnode.Meta]int
}

// addUnexpressed adds a change that the overlay cannot express: of a resource or file, at a path, "" for the whole.
func (m *maker) addUnexpressed(subject, path, text string) {
	if path != "" {
		text = path + ": " + text
	}
	m.unexpressed = append(m.unexpressed, subject+": "+text)
}

// writeChange writes the difference between the base's resource and the fork's, and returns its
// entry in patches, nil if it needs none.
func (m *maker) writeChange(p *pair, patcher patcher) (*yaml.Node, error) {
	t := p.target()
	switch {
	case p.isUnchanged():
		if !merge.Alike(p.base, p.source) {
			m.addUnexpressed(subject(t), "", "its comments differ")
		}
		return nil, nil
	case p.base == nil && p.fork == nil, p.isDroppedUpstream():
		return nil, nil
	case p.base == nil:
		return nil, m.writeOwn(p)
	case !p.isPatched():
		entry, err := m.writePatch(t, patch.Deletion(patch.Target(t)), nil)
		if err == nil && p.fork != nil {
			err = m.writeOwn(p)
		}
		return entry, err
	}
	return m.writeDifference(p, patcher)
}

// writeDifference writes a patch of the base's resource, and returns its entry in patches, nil if the resources are equal.
func (m *maker) writeDifference(p *pair, patcher patcher) (*yaml.Node, error) {
	t := p.target()
	made, differs, unordered, err := patcher.makePatch(p.base, p.source)
	for _, at := range unordered {
		m.addUnexpressed(subject(t), at, "its elements come in another order: kustomize puts first what a patch names")
	}
	if err != nil || !differs {
		return nil, err
	}
	if made.Form == patch.JSON {
		for _, at := range rounded(p.source, nil) {
			m.addUnexpressed(subject(t), at, "kustomize rounds it: to apply a JSON patch, it reads numbers as floats, which are exact up to 2^53")
		}
	}
	return m.writePatch(t, made.Node, m.patchOptions(made, t.Name != yamlnode.MetaOf(p.source).Name))
}

// patchOptions returns the fields of an entry in patches besides its path.
func (m *maker) patchOptions(p patch.Patch, renamed bool) (out []*yaml.Node) {
	if p.Form == patch.JSON || renamed {
		out = append(out, yamlnode.String("target"), m.selector(yamlnode.Meta(p.Target)))
	}
	if p.Form != patch.JSON && renamed {
		allow := yamlnode.EmptyMap()
		addField(allow, "allowNameChange", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
		out = append(out, yamlnode.String("options"), allow)
	}
	return out
}

// selector selects one resource, with its namespace where the base has several of the name. For
// kustomize a cluster-scoped resource is in no namespace, whatever its metadata says.
func (m *maker) selector(t yamlnode.Meta) *yaml.Node {
	anywhere := t
	anywhere.Namespace = ""
	switch {
	case transform.ClusterScoped(t):
		t = anywhere
	case m.nameCounts[anywhere] > 1:
		t.Namespace = transform.NamespaceOf(t)
	}
	return patch.Target(t).Selector()
}

// writePatch writes a patch and returns its entry in patches.
func (m *maker) writePatch(t yamlnode.Meta, n *yaml.Node, options []*yaml.Node) (*yaml.Node, error) {
	text, err := encode(n)
	if m.inline && n.Kind == yaml.SequenceNode {
		literal := yamlnode.String(string(text))
		literal.Style = yaml.LiteralStyle
		entry := yamlnode.EmptyMap()
		entry.Content = append(append(entry.Content, yamlnode.String("patch"), literal), options...)
		return entry, err
	}
	name := "patches/" + m.fileNames.Of(patch.Target(t))
	m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	entry := newMapping("path", name)
	entry.Content = append(entry.Content, options...)
	return entry, err
}

// writeOwn writes a resource that only the fork has (rules/overlay: added and dropped resources).
func (m *maker) writeOwn(p *pair) error {
	m.hasOwn = true
	name := m.fileNames.Of(patch.TargetOf(p.source))
	text, err := encode(p.source)
	m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: text})
	addTo(m.kustomization, "resources", yamlnode.String(name))
	return err
}

func encode(n *yaml.Node) ([]byte, error) { return patch.Patch{Node: n}.YAML() }

// isKnownToKustomize reports whether kustomize knows which lists of a kind have keys. Its schema is of Kubernetes 1.21.
func isKnownToKustomize(t yamlnode.Meta) bool {
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

// lacksKey reports whether a list that kustomize merges by a key has an element without it.
// Kustomize loses elements of such a list when it patches the resource anywhere.
func lacksKey(n *yaml.Node) bool {
	keys := map[string][]string{
		"ports": {"port", "containerPort"}, "volumeMounts": {"mountPath"}, "volumeDevices": {"devicePath"},
		"containers": {"name"}, "initContainers": {"name"}, "ephemeralContainers": {"name"}, "env": {"name"}, "volumes": {"name"},
	}
	for key, list := range yamlnode.Pairs(n) {
		listKeys := keys[key.Value]
		lacks := func(e *yaml.Node) bool {
			return e.Kind == yaml.MappingNode && !slices.ContainsFunc(listKeys, func(key string) bool { return yamlnode.Field(e, key) != nil })
		}
		if listKeys != nil && list.Kind == yaml.SequenceNode && slices.ContainsFunc(list.Content, lacks) {
			return true
		}
	}
	return slices.ContainsFunc(n.Content, lacksKey)
}
