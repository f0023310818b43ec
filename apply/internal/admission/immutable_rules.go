package admission

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// ImmutableRule is about a field that is immutable once the object exists (rules/apply: refused objects): the API
// server refuses an object with another value there, or with a value on one side only.
type ImmutableRule struct {
	// Path leads from the resource to the field: names, and schema.AnyElement for each element of a list and value of a map.
	Path []string
	// Except are paths below Path that may change.
	Except [][]string
	// If restricts the rule to live objects that meet a condition.
	If condition
	// Both restricts the rule to objects that both have the field: it may be set, and removed.
	Both bool
	// Set marks a list in which the order of the elements has no meaning.
	Set bool
	// May is the kind of change that the server allows all the same.
	May change
	// Restored are the keys of elements that the server adds again where config lacks them.
	Restored []string
}

// change is a way in which a field may change.
type change int

const (
	never  change = iota
	grow          // a list may get more elements
	shrink        // a list may lose elements
	lower         // a number may get smaller, or be set
)

// condition is a condition on a field of the live object: its text is Value, and an absent field has the text "". With
// Any the field has some value that is not empty. Not negates the condition. The zero condition always holds.
type condition struct {
	Path  []string
	Value string
	Not   bool
	Any   bool
}

// holds reports whether the condition holds for a live object.
func (c condition) holds(live *yaml.Node) bool {
	value := yamlnode.Lookup(live, c.Path...)
	if c.Any {
		return (value != nil && (value.Value != "" || len(value.Content) > 0)) != c.Not
	}
	return len(c.Path) == 0 || (yamlnode.Text(value) == c.Value) != c.Not
}

func builtInImmutable(id groupKind) []ImmutableRule {
	switch id {
	case groupKind{"apps", "Deployment"}, groupKind{"apps", "DaemonSet"}, groupKind{"apps", "ReplicaSet"}:
		return fixed("spec.selector")
	case groupKind{"apps", "StatefulSet"}:
		return immutableOfStatefulSet()
	case groupKind{"apps", "ControllerRevision"}:
		return fixed("data")
	case groupKind{"", "Pod"}:
		return immutableOfPod()
	case groupKind{"batch", "Job"}:
		return immutableOfJob()
	case groupKind{"", "PersistentVolumeClaim"}:
		return immutableOfClaim()
	case groupKind{"", "PersistentVolume"}:
		return immutableOfVolume()
	case groupKind{"", "ResourceQuota"}:
		return []ImmutableRule{{Path: []string{"spec", "scopes"}, Set: true}}
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		return fixed("spec.group", "spec.scope", "spec.names.kind", "spec.names.plural")
	case groupKind{"", "Service"}:
		return []ImmutableRule{{Path: []string{"spec", "clusterIP"}, Both: true}}
	case groupKind{"", "ConfigMap"}:
		return sealed("data", "binaryData", "immutable")
	case groupKind{"", "Secret"}:
		return append(sealed("data", "immutable"), fixed("type")...)
	case groupKind{"rbac.authorization.k8s.io", "RoleBinding"}, groupKind{"rbac.authorization.k8s.io", "ClusterRoleBinding"}:
		return fixed("roleRef")
	case groupKind{"storage.k8s.io", "StorageClass"}:
		return fixed("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode")
	case groupKind{"storage.k8s.io", "VolumeAttributesClass"}:
		return fixed("driverName", "parameters")
	case groupKind{"storage.k8s.io", "VolumeAttachment"}, groupKind{"certificates.k8s.io", "PodCertificateRequest"}:
		return fixed("spec")
	case groupKind{"certificates.k8s.io", "ClusterTrustBundle"}:
		return fixed("spec.signerName")
	case groupKind{"networking.k8s.io", "IPAddress"}:
		return fixed("spec.parentRef")
	case groupKind{"storage.k8s.io", "CSIDriver"}:
		return fixed("spec.volumeLifecycleModes", "spec.attachRequired")
	case groupKind{"scheduling.k8s.io", "PriorityClass"}:
		return fixed("value", "preemptionPolicy")
	case groupKind{"node.k8s.io", "RuntimeClass"}:
		return fixed("handler")
	case groupKind{"networking.k8s.io", "IngressClass"}:
		return fixed("spec.controller")
	case groupKind{"discovery.k8s.io", "EndpointSlice"}:
		return fixed("addressType")
	case groupKind{"resource.k8s.io", "ResourceClaim"}, groupKind{"resource.k8s.io", "ResourceClaimTemplate"}:
		return fixed("spec")
	}
	return nil
}

// immutableOfStatefulSet lists all but seven fields. A volume claim template is one value.
func immutableOfStatefulSet() []ImmutableRule {
	return []ImmutableRule{{
		Path: []string{"spec"},
		Except: paths("replicas", "ordinals", "template", "updateStrategy", "persistentVolumeClaimRetentionPolicy", "minReadySeconds",
			"revisionHistoryLimit", "volumeClaimTemplates.*.apiVersion", "volumeClaimTemplates.*.kind", "volumeClaimTemplates.*.status"),
	}}
}

// immutableOfJob lists the selector, the policies and the template. While a Job is suspended, the template's labels,
// annotations, scheduling and resources may change.
func immutableOfJob() []ImmutableRule {
	suspended := condition{Path: []string{"spec", "suspend"}, Value: "true"}
	running, indexed := suspended, condition{Path: []string{"spec", "completionMode"}, Value: "Indexed", Not: true}
	running.Not = true
	return append(fixed("spec.selector", "spec.podFailurePolicy", "spec.backoffLimitPerIndex", "spec.managedBy", "spec.successPolicy",
		"spec.completionMode"),
		ImmutableRule{Path: []string{"spec", "completions"}, If: indexed},
		ImmutableRule{Path: []string{"spec", "template"}, If: running},
		ImmutableRule{Path: []string{"spec", "template"}, If: suspended, Except: paths(
			"metadata.labels", "metadata.annotations", "spec.nodeSelector", "spec.tolerations", "spec.schedulingGates",
			"spec.affinity.nodeAffinity", "spec.containers.*.resources", "spec.initContainers.*.resources")})
}

// immutableOfPod lists all fields but the images and the ephemeral containers. The deadline may get shorter, tolerations
// may be added, and scheduling gates removed. A Pod that waits for the removal of its gates may still get other nodes.
func immutableOfPod() []ImmutableRule {
	except := paths("containers.*.image", "initContainers.*.image", "ephemeralContainers", "activeDeadlineSeconds", "tolerations",
		"schedulingGates", "nodeSelector", "affinity.nodeAffinity")
	gated := condition{Path: []string{"spec", "schedulingGates"}, Not: true, Any: true}
	return []ImmutableRule{
		{Path: []string{"spec"}, Except: except},
		{Path: []string{"spec", "nodeSelector"}, If: gated},
		{Path: []string{"spec", "affinity", "nodeAffinity"}, If: gated},
		{Path: []string{"spec", "activeDeadlineSeconds"}, May: lower},
		{Path: []string{"spec", "tolerations"}, Except: paths("*.tolerationSeconds"), May: grow,
			Restored: []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}},
		{Path: []string{"spec", "schedulingGates"}, May: shrink},
	}
}

// immutableOfVolume lists the mode and the source of a volume. Its secret and its nodes may be set once.
func immutableOfVolume() []ImmutableRule {
	rules := fixed("spec.volumeMode")
	for _, source := range strings.Fields(`awsElasticBlockStore azureDisk azureFile cephfs cinder fc flexVolume flocker gcePersistentDisk
		glusterfs hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume`) {
		rules = append(rules, fixed("spec."+source)...)
	}
	secret := []string{"spec", "csi", "controllerExpandSecretRef"}
	affinity := []string{"spec", "nodeAffinity"}
	return append(rules,
		ImmutableRule{Path: []string{"spec", "csi"}, Except: paths("controllerExpandSecretRef")},
		ImmutableRule{Path: secret, If: condition{Path: secret, Any: true}},
		ImmutableRule{Path: affinity, If: condition{Path: affinity, Any: true}})
}

// immutableOfClaim lists all fields of a claim. The size and the class of attributes may change once a volume is bound to
// it; the volume and the storage class may be set once.
func immutableOfClaim() []ImmutableRule {
	pending := condition{Path: []string{"status", "phase"}, Value: "Pending"}
	once := func(name string) ImmutableRule {
		path := []string{"spec", name}
		return ImmutableRule{Path: path, If: condition{Path: path, Not: true}}
	}
	return []ImmutableRule{
		{
			Path:   []string{"spec"},
			Except: paths("resources.requests", "volumeAttributesClassName", "volumeName", "storageClassName"),
		},
		{Path: []string{"spec", "resources", "requests"}, If: pending},
		{Path: []string{"spec", "volumeAttributesClassName"}, If: pending},
		once("volumeName"), once("storageClassName"),
	}
}

// sealed returns rules on the fields of an object with the field immutable.
func sealed(names ...string) []ImmutableRule {
	rules := fixed(names...)
	for i := range rules {
		rules[i].If = condition{Path: []string{"immutable"}, Value: "true"}
	}
	return rules
}

// fixed returns rules on fields that never change.
func fixed(dotted ...string) []ImmutableRule {
	var rules []ImmutableRule
	for _, path := range paths(dotted...) {
		rules = append(rules, ImmutableRule{Path: path})
	}
	return rules
}

func paths(dotted ...string) [][]string {
	var out [][]string
	for _, path := range dotted {
		out = append(out, strings.Split(path, "."))
	}
	return out
}

type groupKind struct{ group, kind string }

func groupKindOf(r schema.Resource) groupKind {
	group, kind := r.GroupKind()
	return groupKind{group, kind}
}

// ImmutableRules returns the immutable fields of a kind: of built-in kinds as in the validation of Kubernetes 1.36, of a
// custom resource as in the validation rules of its CRD.
func ImmutableRules(kind schema.Resource) []ImmutableRule {
	if crd, _ := kind.OpenAPI(); crd != nil {
		return readTransitions(crd).rules
	}
	return builtInImmutable(groupKindOf(kind))
}

// transitionReader finds the validation rules of a CRD's schema that forbid changes.
type transitionReader struct {
	budget int
	rules  []ImmutableRule
	open   []openRule
}

// openRule is a rule on changes of a value that is not evaluated.
type openRule struct {
	path []string
	text string // what the rule says of itself, else the rule
}

// readTransitions reads the schema of a CRD, with its aliases resolved, up to a size that no known schema has.
func readTransitions(crd *yaml.Node) *transitionReader {
	r := &transitionReader{budget: 200_000}
	r.read(crd, nil)
	return r
}

// read reads the schema of a value and of all below it. Elements of lists without keys cannot have such rules.
func (r *transitionReader) read(crd *yaml.Node, path []string) {
	if r.budget--; r.budget < 0 || crd == nil || crd.Kind != yaml.MappingNode {
		return
	}
	for _, rule := range yamlnode.Elements(yamlnode.Field(crd, "x-kubernetes-validations")) {
		r.add(yamlnode.Resolve(rule), path)
	}
	below := func(part *yaml.Node, name string) { r.read(part, append(slices.Clone(path), name)) }
	for key, property := range yamlnode.Pairs(yamlnode.Field(crd, "properties")) {
		below(yamlnode.Resolve(property), key.Value)
	}
	below(yamlnode.Field(crd, "additionalProperties"), schema.AnyElement)
	if yamlnode.Text(yamlnode.Field(crd, "x-kubernetes-list-type")) == "map" {
		below(yamlnode.Field(crd, "items"), schema.AnyElement)
	}
}

// add adds a rule that forbids changes. `self == oldSelf` is checked only if both sides have the value; a rule on a
// field of the value fails if one side lacks the field.
func (r *transitionReader) add(rule *yaml.Node, path []string) {
	expression := strings.Fields(yamlnode.Text(yamlnode.Field(rule, "rule")))
	text := strings.Join(expression, "")
	if !strings.Contains(text, "oldSelf") {
		return
	}
	open := openRule{path, cmp.Or(yamlnode.Text(yamlnode.Field(rule, "message")), strings.Join(expression, " "))}
	if yamlnode.Text(yamlnode.Field(rule, "optionalOldSelf")) == "true" {
		r.open = append(r.open, open)
		return
	}
	left, right, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(text, "("), ")"), "==")
	if strings.HasPrefix(left, "oldSelf") {
		left, right = right, left
	}
	field, is := strings.CutPrefix(left, "self")
	if !is || right != "oldSelf"+field || !regexp.MustCompile(`^(\.[A-Za-z_]\w*)*$`).MatchString(field) {
		r.open = append(r.open, open)
		return
	}
	if field == "" {
		r.rules = append(r.rules, ImmutableRule{Path: path, Both: true})
		return
	}
	names := strings.Split(strings.TrimPrefix(field, "."), ".")
	r.rules = append(r.rules, ImmutableRule{Path: append(slices.Clone(path), names...)})
}
