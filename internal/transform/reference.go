package transform

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// reference is a field in which kustomize finds the name of a resource of a kind.
type reference struct {
	// kind, group and version are those of what is named; any if they are "".
	kind, group, version string
	path                 []string
}

// referencesOf are the fields of a kind that name others, as kustomize has them, and in its
// order.
func referencesOf(t yamlnode.Meta) (out []reference) {
	add := func(kind, group, version string, paths ...string) {
		for _, p := range paths {
			out = append(out, reference{kind, group, version, strings.Split(p, "/")})
		}
	}
	group := t.Group()
	if t.Kind == "HorizontalPodAutoscaler" {
		for _, kind := range [4]string{"Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"} {
			add(kind, "", "", "spec/scaleTargetRef/name")
		}
	}
	add("ConfigMap", "", "v1", podPaths(t, "ConfigMap")...)
	switch t.Kind {
	case "Role", "ClusterRole":
		add("ConfigMap", "", "v1", "rules/resourceNames")
	case "Ingress":
		add("ConfigMap", "", "v1", "metadata/annotations/nginx.ingress.kubernetes.io~fastcgi-params-configmap")
	}
	add("Secret", "", "v1", podPaths(t, "Secret")...)
	add("Secret", "", "v1", secretPaths(t)...)
	add("Service", "", "v1", servicePaths(t)...)
	if group == "rbac.authorization.k8s.io" && strings.HasSuffix(t.Kind, "RoleBinding") {
		if t.Kind == "RoleBinding" {
			add("Role", group, "", "roleRef/name")
		}
		add("ClusterRole", group, "", "roleRef/name")
		add("ServiceAccount", "", "v1", "subjects")
	}
	add("ServiceAccount", "", "v1", podPaths(t, "ServiceAccount")...)
	add("PersistentVolumeClaim", "", "v1", podPaths(t, "PersistentVolumeClaim")...)
	switch t.Kind {
	case "PersistentVolumeClaim":
		add("PersistentVolume", "", "v1", "spec/volumeName")
		add("StorageClass", "storage.k8s.io", "v1", "spec/storageClassName")
	case "ClusterRole":
		add("PersistentVolume", "", "v1", "rules/resourceNames")
	case "PersistentVolume":
		add("StorageClass", "storage.k8s.io", "v1", "spec/storageClassName")
	case "StatefulSet":
		add("StorageClass", "storage.k8s.io", "v1", "spec/volumeClaimTemplates/spec/storageClassName")
	}
	add("PriorityClass", "scheduling.k8s.io", "v1", podPaths(t, "PriorityClass")...)
	if t.Kind == "ValidatingAdmissionPolicyBinding" && group == "admissionregistration.k8s.io" {
		add("ValidatingAdmissionPolicy", group, "", "spec/policyName")
	}
	return out
}

// secretPaths are the fields beside those of pods that name Secrets.
func secretPaths(t yamlnode.Meta) []string {
	switch t.Kind {
	case "Ingress":
		return []string{
			"spec/tls/secretName", "metadata/annotations/ingress.kubernetes.io~auth-secret",
			"metadata/annotations/nginx.ingress.kubernetes.io~auth-secret", "metadata/annotations/nginx.ingress.kubernetes.io~auth-tls-secret",
		}
	case "ServiceAccount":
		return []string{"imagePullSecrets/name"}
	case "StorageClass":
		return []string{"parameters/secretName", "parameters/adminSecretName", "parameters/userSecretName", "parameters/secretRef"}
	case "Role", "ClusterRole":
		return []string{"rules/resourceNames"}
	case "Service":
		if t.APIVersion == "serving.knative.dev/v1" {
			return []string{"spec/template/spec/containers/env/valueFrom/secretKeyRef/name"}
		}
	case "PersistentVolume":
		return []string{"spec/azureFile/secretName"}
	}
	return nil
}

// servicePaths are the fields that name Services. The name in a webhook stands beside a
// namespace, and so does that of a subject.
func servicePaths(t yamlnode.Meta) []string {
	group := t.Group()
	switch {
	case t.Kind == "StatefulSet" && group == "apps":
		return []string{"spec/serviceName"}
	case t.Kind == "Ingress":
		return []string{
			"spec/rules/http/paths/backend/serviceName", "spec/backend/serviceName",
			"spec/rules/http/paths/backend/service/name", "spec/defaultBackend/service/name",
		}
	case t.Kind == "APIService" && group == "apiregistration.k8s.io":
		return []string{"spec/service/name"}
	case (t.Kind == "ValidatingWebhookConfiguration" || t.Kind == "MutatingWebhookConfiguration") && group == "admissionregistration.k8s.io":
		return []string{"webhooks/clientConfig/service"}
	}
	return nil
}

// podPaths are the fields of a kind's pods that name resources of another.
func podPaths(t yamlnode.Meta, named string) (out []string) {
	at := podSpec(t, named)
	if at == "" {
		return nil
	}
	var below []string
	switch named {
	case "ConfigMap":
		below = []string{
			"volumes/configMap/name", "containers/env/valueFrom/configMapKeyRef/name", "initContainers/env/valueFrom/configMapKeyRef/name",
			"containers/envFrom/configMapRef/name", "initContainers/envFrom/configMapRef/name", "volumes/projected/sources/configMap/name",
		}
	case "Secret":
		below = []string{
			"volumes/secret/secretName", "containers/env/valueFrom/secretKeyRef/name", "initContainers/env/valueFrom/secretKeyRef/name",
			"containers/envFrom/secretRef/name", "initContainers/envFrom/secretRef/name", "imagePullSecrets/name", "volumes/projected/sources/secret/name",
		}
	case "ServiceAccount":
		below = []string{"serviceAccountName"}
	case "PersistentVolumeClaim":
		below = []string{"volumes/persistentVolumeClaim/claimName"}
	case "PriorityClass":
		below = []string{"priorityClassName"}
	}
	for _, p := range below {
		out = append(out, at+p)
	}
	return out
}

// podSpec is where a kind has the pods in which kustomize looks for names of another, "" if
// it has none.
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

// Before returns n with the references that it had before kustomize corrected them: those of
// base, where kustomize makes the same of them.
func (r *Referrer) Before(n, base *yaml.Node) *yaml.Node {
	for _, f := range slices.Backward(referencesOf(r.is)) {
		known := map[string][]*yaml.Node{}
		if f.hasNamespace() {
			visit(base, f.path, func(v *yaml.Node) *yaml.Node {
				name := yamlnode.Text(yamlnode.Field(v, "name"))
				known[name] = append(known[name], v)
				return v
			})
		}
		n = visit(n, f.path, func(v *yaml.Node) *yaml.Node { return r.undone(f, v, known) })
	}
	return n
}

// undone is the reference of which kustomize makes v.
func (r *Referrer) undone(f reference, v *yaml.Node, known map[string][]*yaml.Node) *yaml.Node {
	name := v
	if v.Kind != yaml.ScalarNode {
		if name = yamlnode.Field(v, "name"); name == nil || !f.hasNamespace() {
			return v
		}
	}
	var would []*yaml.Node
	for _, m := range r.finally[[2]string{f.kind, name.Value}] {
		if v == name {
			would = append(would, yamlnode.WithText(v, m.Previous[0]))
			continue
		}
		would = append(would, known[m.Previous[0]]...)
		plain := yamlnode.WithField(v, "name", yamlnode.WithText(name, m.Previous[0]))
		would = append(would, v, yamlnode.Set(plain, nil, named(m.Was.Namespace), "namespace"))
	}
	for _, w := range would {
		if r.same(r.correct(f, w), v) {
			return w
		}
	}
	return v
}

// named is a name as a value, nil if it is "".
func named(name string) *yaml.Node {
	if name == "" {
		return nil
	}
	return yamlnode.String(name)
}
