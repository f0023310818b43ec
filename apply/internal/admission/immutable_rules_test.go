package admission

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/merge/schema"
)

// immutablePaths are the paths of rules, with their exceptions and conditions.
func immutablePaths(rules []ImmutableRule) string {
	var lines []string
	for _, rule := range rules {
		line := strings.Join(rule.Path, ".")
		for _, path := range rule.Except {
			line += " -" + strings.Join(path, ".")
		}
		if len(rule.If.Path) > 0 {
			is := map[bool]string{true: "!=", false: "="}[rule.If.Not]
			line += " if " + strings.Join(rule.If.Path, ".") + is + rule.If.Value
			if rule.If.Any {
				line = strings.TrimSuffix(line, is) + map[bool]string{true: " is absent", false: " is there"}[rule.If.Not]
			}
		}
		if rule.Both {
			line += " in both"
		}
		if rule.Set {
			line += " as a set"
		}
		line += [...]string{never: "", grow: " but for more", shrink: " but for fewer", lower: " but for less"}[rule.May]
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestImmutableFieldsOfBuiltInKinds(t *testing.T) {
	tests := []struct{ group, kind, want string }{
		{"apps", "Deployment", "spec.selector"},
		{"apps", "DaemonSet", "spec.selector"},
		{"apps", "ReplicaSet", "spec.selector"},
		{"apps", "StatefulSet", "spec -replicas -ordinals -template -updateStrategy -persistentVolumeClaimRetentionPolicy -minReadySeconds -revisionHistoryLimit" +
			" -volumeClaimTemplates.*.apiVersion -volumeClaimTemplates.*.kind -volumeClaimTemplates.*.status"},
		{"batch", "CronJob", ""},
		{"", "Pod", "spec -containers.*.image -initContainers.*.image -ephemeralContainers -activeDeadlineSeconds -tolerations" +
			" -schedulingGates -nodeSelector -affinity.nodeAffinity\n" +
			"spec.nodeSelector if spec.schedulingGates is absent\nspec.affinity.nodeAffinity if spec.schedulingGates is absent\n" +
			"spec.activeDeadlineSeconds but for less\nspec.tolerations -*.tolerationSeconds but for more\n" +
			"spec.schedulingGates but for fewer"},
		{"", "ResourceQuota", "spec.scopes as a set"},
		{"apiextensions.k8s.io", "CustomResourceDefinition", "spec.group\nspec.scope\nspec.names.kind\nspec.names.plural"},
		{"rbac.authorization.k8s.io", "RoleBinding", "roleRef"},
		{"rbac.authorization.k8s.io", "ClusterRoleBinding", "roleRef"},
		{"", "ConfigMap", "data if immutable=true\nbinaryData if immutable=true\nimmutable if immutable=true"},
		{"", "Secret", "data if immutable=true\nimmutable if immutable=true\ntype"},
		{"storage.k8s.io", "StorageClass", "provisioner\nparameters\nreclaimPolicy\nvolumeBindingMode"},
		{"", "PersistentVolumeClaim", "spec -resources.requests -volumeAttributesClassName -volumeName -storageClassName\n" +
			"spec.resources.requests if status.phase=Pending\nspec.volumeAttributesClassName if status.phase=Pending\n" +
			"spec.volumeName if spec.volumeName!=\nspec.storageClassName if spec.storageClassName!="},
		{"example.com", "Deployment", ""},
	}
	for _, column := range []schema.Column{schema.StrategicMerge, schema.Structured} {
		s := schema.NewColumn(column, nil)
		for _, test := range tests {
			if got := immutablePaths(ImmutableRules(s.Resource(test.group, "v1", test.kind))); got != test.want {
				t.Errorf("column %d: of a %s nobody may change\n%s\nwant\n%s", column, test.kind, got, test.want)
			}
		}
	}
	if rules := ImmutableRules(schema.Resource{}); rules != nil {
		t.Errorf("of a kind without a schema nobody may change %v", rules)
	}
}

func TestImmutableOfJob(t *testing.T) {
	rules := ImmutableRules(schema.NewColumn(schema.StrategicMerge, nil).Resource("batch", "v1", "Job"))
	counts := func(live string) string {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(live), &doc); err != nil {
			t.Fatal(err)
		}
		var counting []ImmutableRule
		for _, rule := range rules {
			if rule.If.holds(doc.Content[0]) {
				rule.If = condition{}
				counting = append(counting, rule)
			}
		}
		return immutablePaths(counting)
	}
	always := "spec.selector\nspec.podFailurePolicy\nspec.backoffLimitPerIndex\nspec.managedBy\nspec.successPolicy\nspec.completionMode\n"
	if got, want := counts("spec: {completions: 1}"), always+"spec.completions\nspec.template"; got != want {
		t.Errorf("of a running Job nobody may change\n%s\nwant\n%s", got, want)
	}
	want := always + "spec.template -metadata.labels -metadata.annotations -spec.nodeSelector -spec.tolerations " +
		"-spec.schedulingGates -spec.affinity.nodeAffinity -spec.containers.*.resources -spec.initContainers.*.resources"
	if got := counts("spec: {completionMode: Indexed, suspend: true}"); got != want {
		t.Errorf("of a suspended indexed Job nobody may change\n%s\nwant\n%s", got, want)
	}
}

func TestImmutableFieldsOfCustomResources(t *testing.T) {
	const crd = `
spec:
  group: example.com
  names: {kind: Thing}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        x-kubernetes-validations: [{rule: self.spec.class == oldSelf.spec.class}]
        properties:
          spec:
            properties:
              size: {type: integer, x-kubernetes-validations: [{rule: self > 0}, {rule: "self==oldSelf", message: no}]}
              turned: {type: integer, x-kubernetes-validations: [{rule: " oldSelf == self "}]}
              once: {type: string, x-kubernetes-validations: [{rule: oldSelf == '' || self == oldSelf}]}
              optional: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, optionalOldSelf: true}]}
              named: {additionalProperties: {type: string, x-kubernetes-validations: [{rule: self == oldSelf}]}}
              keyed: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {properties: {name: {type: string}, port: {x-kubernetes-validations: [{rule: (self == oldSelf)}]}}}}
`
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(crd), &doc); err != nil {
		t.Fatal(err)
	}
	for _, column := range []schema.Column{schema.StrategicMerge, schema.Structured} {
		s := schema.NewColumn(column, schema.Trees(doc.Content[0]))
		got := immutablePaths(ImmutableRules(s.Resource("example.com", "v1", "Thing")))
		want := "spec.class\nspec.size in both\nspec.turned in both\nspec.named.* in both\nspec.keyed.*.port in both"
		if got != want {
			t.Errorf("column %d: nobody may change\n%s\nwant\n%s", column, got, want)
		}
	}
}
