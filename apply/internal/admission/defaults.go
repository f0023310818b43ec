package admission

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// fieldDefault is the API server's value of an absent field (rules/apply: defaults).
type fieldDefault struct {
	// Path leads from the resource to the field: names, and schema.AnyElement for each element of a list and value of a map.
	Path []string
	// Value is the default as plain text.
	Value string
	// derive, if it is set, returns the default for the struct that has the field; nil if there is none.
	derive func(parent *yaml.Node) *yaml.Node
}

// in returns the default of a field of a struct, nil if there is none.
func (d fieldDefault) in(parent *yaml.Node) *yaml.Node {
	if d.derive != nil {
		return d.derive(parent)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: d.Value}
}

// defaultsOf returns the API server's values of absent fields, where a kind has immutable fields: of built-in kinds as
// in Kubernetes 1.36, of a custom resource as in its CRD.
func defaultsOf(kind schema.Resource) []fieldDefault {
	if crd, _ := kind.OpenAPI(); crd != nil {
		return readTransitions(crd).defaults
	}
	return builtInDefaults(groupKindOf(kind))
}

// builtInDefaults lists the defaults of the immutable fields of built-in kinds.
func builtInDefaults(id groupKind) []fieldDefault {
	switch id {
	case groupKind{"", "Pod"}:
		return append(podDefaults("spec"), defaults("spec", "restartPolicy=Always enableServiceLinks=true")...)
	case groupKind{"batch", "Job"}:
		completions := fieldDefault{Path: []string{"spec", "completions"}, derive: unlessSet("parallelism", "1")}
		return slices.Concat(podDefaults("spec.template.spec"), defaults("spec", "completionMode=NonIndexed"), []fieldDefault{completions})
	case groupKind{"apps", "StatefulSet"}:
		return defaults("spec", "podManagementPolicy=OrderedReady volumeClaimTemplates.*.spec.volumeMode=Filesystem")
	case groupKind{"", "PersistentVolumeClaim"}, groupKind{"", "PersistentVolume"}:
		return defaults("spec", "volumeMode=Filesystem")
	case groupKind{"", "Secret"}:
		return defaults("", "type=Opaque")
	case groupKind{"rbac.authorization.k8s.io", "RoleBinding"}, groupKind{"rbac.authorization.k8s.io", "ClusterRoleBinding"}:
		return defaults("roleRef", "apiGroup="+id.group)
	case groupKind{"storage.k8s.io", "StorageClass"}:
		return defaults("", "reclaimPolicy=Delete volumeBindingMode=Immediate")
	case groupKind{"storage.k8s.io", "CSIDriver"}:
		return defaults("spec", "attachRequired=true")
	case groupKind{"scheduling.k8s.io", "PriorityClass"}:
		return defaults("", "value=0 preemptionPolicy=PreemptLowerPriority")
	}
	return nil
}

func podDefaults(spec string) []fieldDefault {
	out := defaults(spec, `dnsPolicy=ClusterFirst schedulerName=default-scheduler terminationGracePeriodSeconds=30
		hostNetwork=false hostPID=false hostIPC=false
		volumes.*.secret.defaultMode=420 volumes.*.configMap.defaultMode=420
		volumes.*.downwardAPI.defaultMode=420 volumes.*.downwardAPI.items.*.fieldRef.apiVersion=v1
		volumes.*.projected.defaultMode=420 volumes.*.projected.sources.*.serviceAccountToken.expirationSeconds=3600
		volumes.*.projected.sources.*.downwardAPI.items.*.fieldRef.apiVersion=v1
		volumes.*.ephemeral.volumeClaimTemplate.spec.volumeMode=Filesystem
		volumes.*.iscsi.iscsiInterface=default volumes.*.iscsi.readOnly=false volumes.*.nfs.readOnly=false
		volumes.*.persistentVolumeClaim.readOnly=false`)
	steps := strings.Split(spec, ".")
	account := func(name, other string) fieldDefault {
		return fieldDefault{Path: append(slices.Clone(steps), name), derive: func(parent *yaml.Node) *yaml.Node { return yamlnode.Field(parent, other) }}
	}
	out = append(out, account("serviceAccount", "serviceAccountName"), account("serviceAccountName", "serviceAccount"))
	for _, list := range [3]string{"containers", "initContainers", "ephemeralContainers"} {
		out = append(out, containerDefaults(spec+"."+list+".*")...)
	}
	return out
}

func containerDefaults(container string) []fieldDefault {
	out := defaults(container, `terminationMessagePath=/dev/termination-log terminationMessagePolicy=File
		stdin=false stdinOnce=false tty=false volumeMounts.*.readOnly=false
		ports.*.protocol=TCP ports.*.hostPort=0 env.*.valueFrom.fieldRef.apiVersion=v1 env.*.valueFrom.resourceFieldRef.divisor=0`)
	for _, probe := range [3]string{"livenessProbe", "readinessProbe", "startupProbe"} {
		out = append(out, defaults(container+"."+probe, `initialDelaySeconds=0 timeoutSeconds=1 periodSeconds=10 successThreshold=1
			failureThreshold=3 httpGet.scheme=HTTP httpGet.path=/`)...)
	}
	for _, hook := range [2]string{"postStart", "preStop"} {
		out = append(out, defaults(container+".lifecycle."+hook, "httpGet.scheme=HTTP httpGet.path=/")...)
	}
	at := strings.Split(container, ".")
	return append(out,
		fieldDefault{Path: append(slices.Clone(at), "imagePullPolicy"), derive: pullPolicy},
		fieldDefault{Path: append(slices.Clone(at), "resources", "requests"), derive: func(parent *yaml.Node) *yaml.Node { return yamlnode.Field(parent, "limits") }})
}

// pullPolicy returns the default of a container's imagePullPolicy: an image with the tag latest, or without a tag and
// a digest, is pulled always.
func pullPolicy(container *yaml.Node) *yaml.Node {
	image := yamlnode.Text(yamlnode.Field(container, "image"))
	name := image[strings.LastIndexByte(image, '/')+1:]
	_, tag, tagged := strings.Cut(name, ":")
	if !strings.Contains(name, "@") && (!tagged || tag == "latest") {
		return yamlnode.String("Always")
	}
	return yamlnode.String("IfNotPresent")
}

// unlessSet returns a default that counts only without another field.
func unlessSet(other, value string) func(*yaml.Node) *yaml.Node {
	return func(parent *yaml.Node) *yaml.Node {
		if yamlnode.Field(parent, other) != nil {
			return nil
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Value: value}
	}
}

// defaults reads defaults from words PATH=VALUE, with paths below another.
func defaults(below, text string) []fieldDefault {
	var out []fieldDefault
	for word := range strings.FieldsSeq(text) {
		path, value, _ := strings.Cut(word, "=")
		out = append(out, fieldDefault{Path: strings.Split(strings.TrimPrefix(below+"."+path, "."), "."), Value: value})
	}
	return out
}
