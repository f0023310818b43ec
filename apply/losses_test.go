package apply_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// recording returns a live object to which a config was applied last.
func recording(t *testing.T, last, live string) string {
	t.Helper()
	var config, object map[string]any
	if err := cmp.Or(yaml.Unmarshal([]byte(last), &config), yaml.Unmarshal([]byte(live), &object)); err != nil {
		t.Fatal(err)
	}
	metadata := config["metadata"].(map[string]any)
	metadata["namespace"] = "shop"
	if metadata["annotations"] == nil {
		metadata["annotations"] = map[string]any{}
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	of := object["metadata"].(map[string]any)
	annotations, _ := of["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		of["annotations"] = annotations
	}
	of["namespace"] = "shop"
	annotations["kubectl.kubernetes.io/last-applied-configuration"] = string(text) + "\n"
	out, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// foreseen returns the steps and the conflicts of an apply as lines.
func foreseen(t *testing.T, strategy apply.Strategy, live, config string) string {
	t.Helper()
	var packages [3]pkgmerge.Package
	for side, text := range [3]string{"", config, live} {
		var files []pkgmerge.File
		if text != "" {
			files = []pkgmerge.File{{Name: "a.yaml", Mode: 0o644, Data: []byte(text)}}
		}
		var err error
		if packages[side], err = pkgmerge.NewPackage(files); err != nil {
			t.Fatal(err)
		}
	}
	strategy.Namespace = "shop"
	result, err := pkgmerge.Merge(context.Background(), packages, pkgmerge.Options{Strategy: strategy})
	if err != nil {
		return err.Error()
	}
	var lines []string
	for _, s := range apply.Of(result).Steps {
		lines = append(lines, s.String())
		fields, notes, err := s.Effect()
		if err != nil {
			t.Fatal(err)
		}
		if s.Fields != len(fields) {
			t.Errorf("%s: the effect has %d fields", s, len(fields))
		}
		for _, f := range fields {
			lines = append(lines, "  "+f.Path.String())
		}
		for _, note := range notes {
			lines = append(lines, "  "+note)
		}
	}
	for _, c := range result.Changes {
		for _, conflict := range c.Conflicts {
			line := fmt.Sprintf("%s %s", conflict.Kind, conflict.Path)
			if conflict.Kind == merge.Refused {
				line += ": " + conflict.Reason
			}
			if conflict.Managers != nil {
				line += " of " + strings.Join(conflict.Managers, ", ")
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

const owned = `
  managedFields:
  - {manager: kubectl-client-side-apply, operation: Update, apiVersion: %[1]s, fieldsType: FieldsV1, fieldsV1: {"f:metadata": {"f:annotations": {"f:kubectl.kubernetes.io/last-applied-configuration": {}}}}}
  - {manager: kubectl-edit, operation: Update, apiVersion: %[1]s, fieldsType: FieldsV1, fieldsV1: %[2]s}
`

// TestLossInAWholeList: somebody added a field to an element of a list that an apply replaces whole. It is a drift of the
// list, by the owner of the list where managers are recorded; a default that the server added is none.
func TestLossInAWholeList(t *testing.T) {
	const pod = `{metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "x:1"%s}]%s}}`
	deployment := func(container, spec string) string {
		return fmt.Sprintf("{selector: {matchLabels: {a: b}}, template: "+pod+"}", container, spec)
	}
	tests := []struct {
		name, apiVersion, kind, field string
		last, live, config            string
		owner, path                   string // in managedFields, and of the drift; "" for none
	}{
		{"names of a rule", "rbac.authorization.k8s.io/v1", "Role", "rules",
			`[{apiGroups: [""], resources: [secrets], verbs: [get]}]`, `[{apiGroups: [""], resourceNames: [x], resources: [secrets], verbs: [get]}]`,
			`[{apiGroups: [""], resources: [secrets], verbs: [get]}]`, `{"f:rules": {}}`, "rules"},
		{"sources of a policy", "networking.k8s.io/v1", "NetworkPolicy", "spec",
			"{podSelector: {}, ingress: [{ports: [{port: 80}]}]}", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{podSelector: {}}], ports: [{port: 80, protocol: TCP}]}]}",
			"{podSelector: {}, ingress: [{ports: [{port: 80}]}]}", `{"f:spec": {"f:ingress": {}}}`, "spec.ingress"},
		{"defaults of a policy", "networking.k8s.io/v1", "NetworkPolicy", "spec",
			"{podSelector: {}, ingress: [{ports: [{port: 80}]}]}", "{podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 80, protocol: TCP}]}]}",
			"{podSelector: {}, ingress: [{ports: [{port: 81}]}]}", "", ""},
		{"hosts of a certificate", "networking.k8s.io/v1", "Ingress", "spec",
			"{tls: [{secretName: s}]}", "{tls: [{secretName: s, hosts: [a]}]}", "{tls: [{secretName: s}]}", `{"f:spec": {"f:tls": {}}}`, "spec.tls"},
		{"seconds of a toleration", "apps/v1", "Deployment", "spec",
			deployment("", ", tolerations: [{key: k, operator: Exists, effect: NoExecute}]"),
			deployment("", ", tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]"),
			deployment("", ", tolerations: [{key: k, operator: Exists, effect: NoExecute}]"),
			`{"f:spec": {"f:template": {"f:spec": {"f:tolerations": {}}}}}`, "spec.template.spec.tolerations"},
		{"prefix of variables", "apps/v1", "Deployment", "spec",
			deployment(", envFrom: [{configMapRef: {name: a}}]", ""), deployment(", envFrom: [{prefix: P_, configMapRef: {name: a}}]", ""),
			deployment(", envFrom: [{configMapRef: {name: a}}]", ""),
			`{"f:spec": {"f:template": {"f:spec": {"f:containers": {"k:{\"name\":\"c\"}": {"f:envFrom": {}}}}}}}`,
			`spec.template.spec.containers[name="c"].envFrom`},
		{"rules of a webhook", "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks",
			"[{name: a, rules: [{operations: [CREATE]}]}]", `[{name: a, rules: [{operations: [CREATE], scope: Namespaced}], matchPolicy: Equivalent}]`,
			"[{name: a, rules: [{operations: [CREATE]}]}]", `{"f:webhooks": {"k:{\"name\":\"a\"}": {"f:rules": {}}}}`, `webhooks[name="a"].rules`},
		{"columns of a version", "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec",
			"{versions: [{name: v1, served: true, storage: true}]}", "{versions: [{name: v1, served: true, storage: true, deprecated: true}]}",
			"{versions: [{name: v1, served: true, storage: true}]}", `{"f:spec": {"f:versions": {}}}`, "spec.versions"},
	}
	for _, test := range tests {
		object := func(metadata, text string) string {
			return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: a%s\n%s: %s\n", test.apiVersion, test.kind, metadata, test.field, text)
		}
		drift := func(owner string) string {
			if test.path == "" {
				return ""
			}
			return "drift " + test.path + owner
		}
		t.Run(test.name, func(t *testing.T) {
			got := conflictsIn(foreseen(t, apply.Strategy{}, recording(t, object("", test.last), object("", test.live)), object("", test.config)))
			if diff := gocmp.Diff(drift(""), got); diff != "" {
				t.Errorf("without managedFields (-want +got):\n%s", diff)
			}
			if test.owner == "" {
				return
			}
			live := recording(t, object("", test.last), object(fmt.Sprintf(owned, test.apiVersion, test.owner), test.live))
			got = conflictsIn(foreseen(t, apply.Strategy{}, live, object("", test.config)))
			if diff := gocmp.Diff(drift(fmt.Sprintf(" of %q using %s", "kubectl-edit", test.apiVersion)), got); diff != "" {
				t.Errorf("with managedFields (-want +got):\n%s", diff)
			}
		})
	}
}

// conflictsIn returns the conflicts among lines.
func conflictsIn(lines string) string {
	var out []string
	for line := range strings.SplitSeq(lines, "\n") {
		if strings.HasPrefix(line, "drift") || strings.HasPrefix(line, "refused") || strings.HasPrefix(line, "owned") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// TestLossWithoutOwners: without managedFields a value that the server does not make of the last config is somebody's.
func TestLossWithoutOwners(t *testing.T) {
	const object = `apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  selector: {matchLabels: {a: b}}
  strategy: %s
  template:
    metadata: {labels: {a: b}}
    spec:
      containers: [{name: c, image: "x:1"}]
      volumes: [{name: v, %s}]
`
	volume := "configMap: {name: m}"
	last := fmt.Sprintf(object, "{}", volume)
	for _, test := range []struct{ name, live, config, want string }{
		{"a volume that became a claim", fmt.Sprintf(object, "{}", "persistentVolumeClaim: {claimName: p}"), last,
			`drift spec.template.spec.volumes[name="v"].persistentVolumeClaim`},
		{"a surge", fmt.Sprintf(object, "{type: RollingUpdate, rollingUpdate: {maxSurge: 7, maxUnavailable: 25%%}}", volume),
			fmt.Sprintf(object, "{type: Recreate}", volume), "drift spec.strategy.rollingUpdate.maxSurge"},
		{"a default", fmt.Sprintf(object, "{type: RollingUpdate, rollingUpdate: {maxSurge: 25%%, maxUnavailable: 25%%}}", volume),
			fmt.Sprintf(object, "{type: Recreate}", volume), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			live := strings.ReplaceAll(test.live, "%%", "%")
			got := foreseen(t, apply.Strategy{}, recording(t, last, live), test.config)
			if diff := gocmp.Diff(test.want, conflictsIn(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if strings.Contains(got, "before and after") {
				t.Errorf("without managedFields nobody knows whose a default is:\n%s", got)
			}
		})
	}
}

// TestStoredIsUnchanged: values that a server stores as what is live are no change and no drift.
func TestStoredIsUnchanged(t *testing.T) {
	const pod = `{selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: %s}}`
	for _, test := range []struct{ name, head, field, config, live string }{
		{"empty values of a pod", "apps/v1 Deployment", "spec",
			fmt.Sprintf(pod, `{hostNetwork: false, nodeSelector: {}, containers: [{name: c, image: "x:1", env: [{name: A, value: ""}], ports: [{containerPort: 1, hostPort: 0}], resources: {limits: {cpu: 1, memory: 1024Mi}}}]}`),
			fmt.Sprintf(pod, `{dnsPolicy: ClusterFirst, restartPolicy: Always, schedulerName: default-scheduler, securityContext: {}, terminationGracePeriodSeconds: 30, containers: [{name: c, image: "x:1", imagePullPolicy: IfNotPresent, env: [{name: A}], ports: [{containerPort: 1, protocol: TCP}], resources: {limits: {cpu: "1", memory: 1Gi}}, terminationMessagePath: /dev/termination-log, terminationMessagePolicy: File}]}`)},
		{"claim templates", "apps/v1 StatefulSet", "spec",
			`{volumeClaimTemplates: [{metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}`,
			`{volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d, creationTimestamp: null}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeMode: Filesystem}, status: {phase: Pending}}]}`},
		{"an empty host", "networking.k8s.io/v1 Ingress", "spec", `{rules: [{host: "", http: {paths: []}}]}`, "{rules: [{http: {paths: null}}]}"},
		{"an empty message", "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy", "spec",
			`{validations: [{expression: a, message: ""}]}`, "{failurePolicy: Fail, validations: [{expression: a}]}"},
		{"empty columns", "apiextensions.k8s.io/v1 CustomResourceDefinition", "spec",
			`{group: g, names: {kind: Thing, plural: things}, versions: [{name: v1, storage: true, additionalPrinterColumns: [], schema: {openAPIV3Schema: {description: "", type: object}}}]}`,
			`{group: g, conversion: {strategy: None}, names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}, versions: [{name: v1, storage: true, schema: {openAPIV3Schema: {type: object}}}]}`},
		{"subjects", "rbac.authorization.k8s.io/v1 RoleBinding", "subjects", "[{kind: User, name: u}]", "[{apiGroup: rbac.authorization.k8s.io, kind: User, name: u}]"},
		{"chosen addresses", "v1 Service", "spec", `{clusterIP: "", type: NodePort, ports: [{port: 80, nodePort: 0}]}`,
			"{clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], type: NodePort, ports: [{port: 80, nodePort: 30080, protocol: TCP, targetPort: 80}]}"},
		{"finalizers of a namespace", "v1 Namespace", "spec", "{finalizers: []}", "{finalizers: [kubernetes]}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(test.head, " ")
			object := func(text string) string {
				return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: a}\n%s: %s\n", apiVersion, kind, test.field, text)
			}
			config := strings.ReplaceAll(object(test.config), "metadata: {name: a}", "metadata: {name: a, namespace: shop}")
			got := foreseen(t, apply.Strategy{}, recording(t, config, object(test.live)), config)
			if !strings.HasPrefix(got, "unchanged") || strings.Contains(got, "\n") {
				t.Errorf("%s", got)
			}
		})
	}
}

// TestLossUnderStringData: on the server stringData overwrites data that another manager rotated, without a conflict.
func TestLossUnderStringData(t *testing.T) {
	const live = `apiVersion: v1
kind: Secret
metadata:
  name: a
  namespace: shop
  managedFields:
  - {manager: ci, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:stringData": {"f:password": {}, "f:user": {}}}}
  - {manager: kubectl-patch, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:password": {}}}}
data: {password: cm90YXRlZA==, user: cm9vdA==}
`
	config := func(text string) string {
		return "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: shop}\nstringData: " + text + "\n"
	}
	ci := apply.Strategy{ServerSide: true, Manager: "ci"}
	want := `drift data.password of "kubectl-patch" using v1`
	if got := conflictsIn(foreseen(t, ci, live, config("{password: first, user: root}"))); got != want {
		t.Errorf("%s", got)
	}
	if got := conflictsIn(foreseen(t, ci, live, config("{password: rotated, user: other}"))); got != "" {
		t.Errorf("a value that stays, and one of its own: %s", got)
	}
}

// TestStatusOfDefinitions: the status that generators of CRDs write is the server's.
func TestStatusOfDefinitions(t *testing.T) {
	object := func(status string) string {
		return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.g}
spec: {group: g, scope: Namespaced, names: {kind: Thing, listKind: ThingList, plural: things, singular: thing}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}
status: ` + status + "\n"
	}
	config := object(`{acceptedNames: {kind: "", plural: ""}, conditions: [], storedVersions: []}`)
	live := recording(t, config, object("{acceptedNames: {kind: Thing, plural: things}, conditions: [{type: Established, status: 'True'}], storedVersions: [v1]}"))
	for _, strategy := range []apply.Strategy{{}, {ServerSide: true, Manager: "ci", Force: true}} {
		if got := conflictsIn(foreseen(t, strategy, live, config)); got != "" {
			t.Errorf("%s: %s", strategy.Name(), got)
		}
	}
}

// TestNullsOfTheLastConfig: a null annotation is an empty text for kubectl, and a null of a custom resource removes a field
// only when it is new.
func TestNullsOfTheLastConfig(t *testing.T) {
	const thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, namespace: shop}\nspec: {a: {m: %s}, o: %d}\n"
	live := recording(t, fmt.Sprintf(thing, "null", 1), fmt.Sprintf(thing, "9", 1))
	if got := foreseen(t, apply.Strategy{}, live, fmt.Sprintf(thing, "null", 2)); got != "update example.com/Thing shop/a: 1 field\n  spec.o" && got != "update Thing shop/a: 1 field\n  spec.o" {
		t.Errorf("%s", got)
	}
	live = recording(t, fmt.Sprintf(thing, "8", 1), fmt.Sprintf(thing, "8", 1))
	if got := foreseen(t, apply.Strategy{}, live, fmt.Sprintf(thing, "null", 1)); !strings.Contains(got, "spec.a.m") {
		t.Errorf("a new null: %s", got)
	}
	const annotated = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop, annotations: {x: %s}}\n"
	live = recording(t, fmt.Sprintf(annotated, `""`), fmt.Sprintf(annotated, `""`))
	if got := foreseen(t, apply.Strategy{}, live, fmt.Sprintf(annotated, "null")); got != "unchanged ConfigMap shop/a" {
		t.Errorf("%s", got)
	}
}

// TestRefusalsOfKinds: changes and objects that the server refuses by rules of their kinds.
func TestRefusalsOfKinds(t *testing.T) {
	const metric = `{maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu}%s}]}`
	const job = `{completionMode: Indexed, completions: %d, parallelism: %d, template: {spec: {containers: [{name: c, image: x}]%s}}}`
	const service = `{clusterIP: %s, ports: [{port: 80}], type: %s%s}`
	for _, test := range []struct{ name, head, last, config, want string }{
		{"headless with a port of nodes", "v1 Service", fmt.Sprintf(service, "None", "ClusterIP", ""), fmt.Sprintf(service, "None", "NodePort", ""),
			"refused spec.clusterIP: a Service of type NodePort needs an address, and clusterIP is None"},
		{"class of a balancer", "v1 Service", fmt.Sprintf(service, "10.0.0.1", "LoadBalancer", ", loadBalancerClass: a/b"), fmt.Sprintf(service, "10.0.0.1", "LoadBalancer", ""),
			"refused spec.loadBalancerClass: spec.loadBalancerClass is immutable once it is set"},
		{"class of a balancer that is none any more", "v1 Service", fmt.Sprintf(service, "10.0.0.1", "LoadBalancer", ", loadBalancerClass: a/b"), fmt.Sprintf(service, "10.0.0.1", "ClusterIP", ""), ""},
		{"family", "v1 Service", fmt.Sprintf(service, "10.0.0.1", "ClusterIP", ", ipFamilies: [IPv4]"), fmt.Sprintf(service, "10.0.0.1", "ClusterIP", ", ipFamilies: [IPv6]"),
			"refused spec.ipFamilies: the first of spec.ipFamilies is immutable"},
		{"completions alone", "batch/v1 Job", fmt.Sprintf(job, 3, 2, ""), fmt.Sprintf(job, 4, 2, ""),
			"refused spec.completions: the completions of an Indexed Job change only together with its parallelism, to the same number"},
		{"completions and parallelism", "batch/v1 Job", fmt.Sprintf(job, 3, 2, ""), fmt.Sprintf(job, 4, 4, ""), ""},
		{"an empty pointer", "batch/v1 Job", fmt.Sprintf(job, 3, 2, ""), fmt.Sprintf(job, 3, 2, ", affinity: {}"),
			"refused spec.template.spec.affinity: spec.template is immutable"},
		{"a metric of two sources", "autoscaling/v2 HorizontalPodAutoscaler", fmt.Sprintf(metric, ""), fmt.Sprintf(metric, ", pods: {metric: {name: x}}"),
			`refused spec.metrics[index=0].pods: a metric of type Resource has no pods`},
		{"a removed version", "policy/v1beta1 PodDisruptionBudget", "", "{minAvailable: 1}",
			"refused apiVersion: Kubernetes 1.25 removed policy/v1beta1 PodDisruptionBudget; write apiVersion: policy/v1"},
		{"a version of the past", "autoscaling/v2beta2 HorizontalPodAutoscaler", "", "{maxReplicas: 1}",
			"refused apiVersion: Kubernetes has no autoscaling/v2beta2 HorizontalPodAutoscaler; write apiVersion: autoscaling/v1"},
		{"a misspelt kind", "apps/v1 Deploymnet", "", "{}", "refused apiVersion: Kubernetes has no kind Deploymnet in apps/v1; did you mean Deployment?"},
		{"two stored versions", "apiextensions.k8s.io/v1 CustomResourceDefinition", "", "{versions: [{name: v1, storage: true}, {name: v2, storage: true}]}",
			"refused spec.versions: 2 versions have storage: true, and one must have it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			apiVersion, kind, _ := strings.Cut(test.head, " ")
			object := func(text string) string {
				return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: a, namespace: shop}\nspec: %s\n", apiVersion, kind, text)
			}
			live := "apiVersion: v1\nkind: List\nitems: []\n"
			if test.last != "" {
				live = recording(t, object(test.last), object(test.last))
			}
			if diff := gocmp.Diff(test.want, conflictsIn(foreseen(t, apply.Strategy{}, live, object(test.config)))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
