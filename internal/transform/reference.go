package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// reference is a field with the name of a resource of another kind.
type reference struct {
	// kind, group and version belong to the named resource; "" matches any.
	kind, group, version string
	path                 []string
}

// pods stands for all kinds that have pods. The paths of such a row begin at the spec of a pod.
const pods = "pods"

// referenceRow is a row of kustomize's table of references.
type referenceRow struct {
	// from has the kinds with the reference, and fromGroup their group or apiVersion; "" matches any.
	from, fromGroup      string
	kind, group, version string
	paths                string
}

// referenceTable returns kustomize's table of references, in its order.
func referenceTable() []referenceRow {
	const (
		admission, rbac, storage = "admissionregistration.k8s.io", "rbac.authorization.k8s.io", "storage.k8s.io"
		nginx                    = "metadata/annotations/nginx.ingress.kubernetes.io~"
	)
	return []referenceRow{
		{"HorizontalPodAutoscaler", "", "Deployment", "", "", "spec/scaleTargetRef/name"},
		{"HorizontalPodAutoscaler", "", "ReplicationController", "", "", "spec/scaleTargetRef/name"},
		{"HorizontalPodAutoscaler", "", "ReplicaSet", "", "", "spec/scaleTargetRef/name"},
		{"HorizontalPodAutoscaler", "", "StatefulSet", "", "", "spec/scaleTargetRef/name"},
		{pods, "", "ConfigMap", "", "v1", "volumes/configMap/name containers/env/valueFrom/configMapKeyRef/name " +
			"initContainers/env/valueFrom/configMapKeyRef/name containers/envFrom/configMapRef/name " +
			"initContainers/envFrom/configMapRef/name volumes/projected/sources/configMap/name"},
		{"Role ClusterRole", "", "ConfigMap", "", "v1", "rules/resourceNames"},
		{"Ingress", "", "ConfigMap", "", "v1", nginx + "fastcgi-params-configmap"},
		{pods, "", "Secret", "", "v1", "volumes/secret/secretName containers/env/valueFrom/secretKeyRef/name " +
			"initContainers/env/valueFrom/secretKeyRef/name containers/envFrom/secretRef/name " +
			"initContainers/envFrom/secretRef/name imagePullSecrets/name volumes/projected/sources/secret/name"},
		{"Ingress", "", "Secret", "", "v1", "spec/tls/secretName metadata/annotations/ingress.kubernetes.io~auth-secret " +
			nginx + "auth-secret " + nginx + "auth-tls-secret"},
		{"ServiceAccount", "", "Secret", "", "v1", "imagePullSecrets/name"},
		{"StorageClass", "", "Secret", "", "v1", "parameters/secretName parameters/adminSecretName parameters/userSecretName parameters/secretRef"},
		{"Role ClusterRole", "", "Secret", "", "v1", "rules/resourceNames"},
		{"Service", "serving.knative.dev/v1", "Secret", "", "v1", "spec/template/spec/containers/env/valueFrom/secretKeyRef/name"},
		{"PersistentVolume", "", "Secret", "", "v1", "spec/azureFile/secretName"},
		{"StatefulSet", "apps", "Service", "", "v1", "spec/serviceName"},
		{"Ingress", "", "Service", "", "v1", "spec/rules/http/paths/backend/serviceName spec/backend/serviceName " +
			"spec/rules/http/paths/backend/service/name spec/defaultBackend/service/name"},
		{"APIService", "apiregistration.k8s.io", "Service", "", "v1", "spec/service/name"},
		{"ValidatingWebhookConfiguration MutatingWebhookConfiguration", admission, "Service", "", "v1", "webhooks/clientConfig/service"},
		{"RoleBinding", rbac, "Role", rbac, "", "roleRef/name"},
		{"RoleBinding ClusterRoleBinding", rbac, "ClusterRole", rbac, "", "roleRef/name"},
		{"RoleBinding ClusterRoleBinding", rbac, "ServiceAccount", "", "v1", "subjects"},
		{pods, "", "ServiceAccount", "", "v1", "serviceAccountName"},
		{pods, "", "PersistentVolumeClaim", "", "v1", "volumes/persistentVolumeClaim/claimName"},
		{"PersistentVolumeClaim", "", "PersistentVolume", "", "v1", "spec/volumeName"},
		{"ClusterRole", "", "PersistentVolume", "", "v1", "rules/resourceNames"},
		{"PersistentVolumeClaim PersistentVolume", "", "StorageClass", storage, "v1", "spec/storageClassName"},
		{"StatefulSet", "", "StorageClass", storage, "v1", "spec/volumeClaimTemplates/spec/storageClassName"},
		{pods, "", "PriorityClass", "scheduling.k8s.io", "v1", "priorityClassName"},
		{"ValidatingAdmissionPolicyBinding", admission, "ValidatingAdmissionPolicy", admission, "", "spec/policyName"},
	}
}

// referencesOf returns the fields of a kind that name other resources, in kustomize's order.
func referencesOf(t yamlnode.Meta) (out []reference) {
	for _, row := range referenceTable() {
		below := ""
		if row.from == pods {
			below = podSpec(t, row.kind)
		}
		if row.from == pods && below == "" || row.from != pods && !slices.Contains(strings.Fields(row.from), t.Kind) ||
			row.fromGroup != "" && row.fromGroup != t.Group() && row.fromGroup != t.APIVersion {
			continue
		}
		for p := range strings.FieldsSeq(row.paths) {
			out = append(out, reference{row.kind, row.group, row.version, strings.Split(below+p, "/")})
		}
	}
	return out
}

// podSpec returns the path to the pods of a kind in which kustomize looks for names of another kind, "" if
// there are none.
func podSpec(t yamlnode.Meta, named string) string {
	ofFiles := named == "ConfigMap" || named == "Secret"
	switch t.Kind {
	case "Pod":
		if ofFiles && t.APIVersion != "v1" {
			return ""
		}
		return "spec/"
	case "CronJob":
		return "spec/jobTemplate/spec/template/spec/"
	case "Deployment", "DaemonSet", "StatefulSet", "Job":
		return "spec/template/spec/"
	case "ReplicaSet":
		if ofFiles {
			return "spec/template/spec/"
		}
	case "PodTemplate":
		if ofFiles {
			return "template/spec/"
		}
	case "ReplicationController":
		if !ofFiles {
			return "spec/template/spec/"
		}
	}
	return ""
}

// UndoReferences returns n with the references it had before kustomize corrected them. It prefers references
// of base that kustomize corrects to n's.
func (r *Referrer) UndoReferences(n, base *yaml.Node) *yaml.Node {
	for _, f := range slices.Backward(referencesOf(r.is)) {
		known := map[string][]*yaml.Node{}
		if f.hasNamespace() {
			visit(base, f.path, func(v *yaml.Node) *yaml.Node {
				name := yamlnode.Text(yamlnode.Field(v, "name"))
				known[name] = append(known[name], v)
				return v
			})
		}
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.undo(f, v, known) })
	}
	return n
}

// undo returns the reference that kustomize corrects to v.
func (r *Referrer) undo(f reference, v *yaml.Node, known map[string][]*yaml.Node) *yaml.Node {
	name := v
	if v.Kind != yaml.ScalarNode {
		if name = yamlnode.Field(v, "name"); name == nil || !f.hasNamespace() {
			return v
		}
	}
	var candidates []*yaml.Node
	for _, m := range r.byName[[2]string{f.kind, name.Value}] {
		if v == name {
			candidates = append(candidates, yamlnode.WithText(v, m.Previous[0]))
			continue
		}
		var namespace *yaml.Node
		if m.Was.Namespace != "" {
			namespace = yamlnode.String(m.Was.Namespace)
		}
		candidates = append(candidates, known[m.Previous[0]]...)
		plain := yamlnode.WithField(v, "name", yamlnode.WithText(name, m.Previous[0]))
		candidates = append(candidates, v, yamlnode.Set(plain, nil, namespace, "namespace"))
	}
	for _, c := range candidates {
		if r.same(r.correct(f, c), v) {
			return c
		}
	}
	return v
}
