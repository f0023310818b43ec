package e2e

// The tables of this file are TestUpdate's: where kpt's own update and the
// function differ, and why that is meant.

// class is a kind of difference that is meant.
type class struct {
	name, reason string // the reason, which cites its rule in docs/rules
}

// classes lists the classes of differences from kpt.
func classes() []class {
	return []class{
		{"upstream reference", "only who fetches a version can say where it is from; the update command writes it (rules/kptfiles: Kptfiles)"},
		{"identity", "the merge comment says who is who, of what has a counterpart; kpt adds an annotation, and comments on what has none (rules/identity: written merge comments)"},
		{"namespace", "what upstream adds is in the namespace that local put everything into; kpt adds it where upstream has it (rules/adopt: what follows)"},
		{"deleted upstream", "what upstream deleted goes, with a conflict if local changed more than its name; kpt keeps what is not the same text (rules/resources: additions and deletions; rules/kptfiles: subpackages)"},
		{"order", "what upstream added goes where upstream has it; kpt puts it at the end (rules/lists: order)"},
		{"half an element", "an element is deleted as a whole; kpt leaves or brings back parts of it (rules/lists: keyed lists)"},
		{"union", "members that exclude each other never come out together; kpt leaves parts of the other one, or an empty one (rules/unions: switches)"},
		{"port", "a port's protocol is TCP where none is written; kpt loses changes of such a port, or doubles it (rules/schemas: where keys come from)"},
		{"list replaced", "the CRD has the keys of a list, or they are inferred; kpt replaces the list, and what local changed is lost (rules/schemas: CRDs)"},
		{"null", "a null that both sides have is a value; to kpt it deletes the field (rules/fields: null)"},
		{"other file", "functions get resources, not other files; kpt updates them too (rules/function: function config)"},
	}
}

// always is the differences that every package has.
var always = []intended{
	{
		class: "upstream reference",
		at:    "Kptfile Kptfile * .upstream.git.ref", kpt: `"v2"`, ours: `"v1"`,
		why: "only who fetches a version can say where it is from: the update command owns the field",
	},
	{
		class: "upstream reference",
		at:    "Kptfile Kptfile * .upstreamLock.git.ref", kpt: `"v2"`, ours: `"v1"`,
		why: "the same",
	},
	{
		class: "upstream reference",
		at:    "Kptfile Kptfile * .upstreamLock.git.commit", kpt: "*", ours: "*",
		why: "the same",
	},
	{
		class: "identity",
		at:    "* .metadata.annotations", kpt: `{"internal.kpt.dev/upstream-identifier":"*"}`, ours: absent,
		why: "kpt writes the identity down twice; the merge comment suffices, and one that is there is read and kept",
	},
}

// inQuickstart has the differences in the package of testdata/quickstart: a copy with
// other names in another namespace.
var inQuickstart = []intended{
	{
		class: "identity",
		at:    "ingress.yaml Ingress shop/shop .metadata#", kpt: `"# kpt-merge: shop/shop"`, ours: absent,
		why: "the resource is only local's, and has no counterpart whose identity it could carry",
	},
	{
		class: "deleted upstream",
		at:    "metrics.yaml Service shop/shop-wordpress-metrics", kpt: "{*}", ours: absent,
		why: "kpt compares text, so that a copy with another name or namespace counts as changed and outlives its upstream",
	},
	{
		class: "order",
		at:    "wordpress.yaml Deployment shop/shop-wordpress .spec.template.spec.containers order",
		kpt:   `["wordpress","metrics","cache"]`, ours: `["wordpress","cache","metrics"]`,
		why: "what upstream added goes where upstream has it, not to the end",
	},
	{
		class: "namespace",
		at:    "config.yaml ConfigMap wordpress-cache", kpt: `{*"name":"wordpress-cache"},"metadata#":"# kpt-merge: /wordpress-cache"}`, ours: absent,
		why: "local has everything in the namespace shop",
	},
	{
		class: "namespace",
		at:    "config.yaml ConfigMap shop/wordpress-cache", kpt: absent, ours: `{*"name":"wordpress-cache","namespace":"shop"},"metadata#":"# kpt-merge: /wordpress-cache"}`,
		why: "the same",
	},
}

// inFork has the differences in a copy with a subpackage, resources of its own and
// comments.
var inFork = []intended{
	{
		class: "identity",
		at:    "ingress.yaml Ingress team/podinfo .metadata#", kpt: `"# kpt-merge: team/podinfo"`, ours: absent,
		why: "the resource is only local's",
	},
	{
		class: "identity",
		at:    "services.yaml Service team/mesh .metadata#", kpt: `"# kpt-merge: team/mesh"`, ours: absent,
		why: "the resource is only local's",
	},
	{
		class: "deleted upstream",
		at:    "hpa.yaml HorizontalPodAutoscaler team/team-podinfo", kpt: "{*}", ours: absent,
		why: "to kpt the other name and namespace are a change, so that it does not delete it",
	},
	{
		class: "deleted upstream",
		at:    "services.yaml Service team/team-podinfo-legacy", kpt: "{*}", ours: absent,
		why: "the same",
	},
	{
		class: "namespace",
		at:    "policy/pdb.yaml PodDisruptionBudget podinfo", kpt: `{*"name":"podinfo"},"metadata#":"# kpt-merge: /podinfo","spec":{"maxUnavailable":1,"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["podinfo"]}]}}}`, ours: absent,
		why: "local has everything in the namespace team",
	},
	{
		class: "namespace",
		at:    "policy/pdb.yaml PodDisruptionBudget team/podinfo", kpt: absent, ours: `{*"name":"podinfo","namespace":"team"},"metadata#":"# kpt-merge: /podinfo","spec":{"maxUnavailable":1,"selector":{"matchExpressions":[{"key":"app","operator":"In","values":["podinfo"]}]}}}`,
		why: "the same",
	},
	{
		class: "namespace",
		at:    "services.yaml Service podinfo-peers", kpt: `{*"name":"podinfo-peers"},"metadata#":"# kpt-merge: /podinfo-peers","spec":{"clusterIP":"None","selector":{"app":"podinfo"}}}`, ours: absent,
		why: "the same",
	},
	{
		class: "namespace",
		at:    "services.yaml Service team/podinfo-peers", kpt: absent, ours: `{*"name":"podinfo-peers","namespace":"team"},"metadata#":"# kpt-merge: /podinfo-peers","spec":{"clusterIP":"None","selector":{"app":"podinfo"}}}`,
		why: "the same",
	},
}

// inElements has the differences in a package whose lists and unions both sides
// changed.
var inElements = []intended{
	{
		class: "union",
		at:    "web.yaml Deployment team/team-web .spec.strategy.rollingUpdate", kpt: `{"maxSurge":2}`, ours: absent,
		why: "local switched to Recreate, which no rollingUpdate may stand beside",
	},
	{
		class: "half an element",
		at:    "web.yaml Deployment team/team-web .spec.template.spec.containers[name=logs]",
		kpt:   `{"image":"logs:2","name":"logs"}`, ours: absent,
		why: "local deleted the container; kpt brings half of it back, without its arguments",
	},
	{
		class: "half an element",
		at:    "web.yaml Deployment team/team-web .spec.template.spec.containers[name=proxy]",
		kpt:   `{"name":"proxy","resources":{"limits":{"memory":"64Mi"}}}`, ours: absent,
		why: "upstream deleted the container; kpt keeps what local had added to it, without an image",
	},
	{
		class: "union",
		at:    "web.yaml Deployment team/team-web .spec.template.spec.containers[name=web].env[name=TOKEN].value",
		kpt:   `"unset"`, ours: absent,
		why: "local switched to valueFrom, which no value may stand beside",
	},
	{
		class: "union",
		at:    "web.yaml Deployment team/team-web .spec.template.spec.containers[name=web].readinessProbe.httpGet",
		kpt:   `{"path":"/ready"}`, ours: absent,
		why: "local switched to exec; kpt adds half of a second handler, without its port",
	},
	{
		class: "union",
		at:    "web.yaml Deployment team/team-web .spec.template.spec.volumes[name=data].emptyDir",
		kpt:   `{"sizeLimit":"1Gi"}`, ours: absent,
		why: "local moved the data to a claim, and a volume has one source",
	},
	{
		class: "order",
		at:    "service.yaml Service team/team-dns .metadata.finalizers",
		kpt:   `["example.com/one","example.com/ours","example.com/three"]`,
		ours:  `["example.com/one","example.com/three","example.com/ours"]`,
		why:   "what upstream added goes where upstream has it, not to the end",
	},
	{
		class: "port",
		at:    "service.yaml Service team/team-dns .spec.ports[name=tcp].targetPort", kpt: absent, ours: "1053",
		why: "kpt does not know that the protocol is TCP where none is given, and loses upstream's change",
	},
	{
		class: "list replaced",
		at:    "rack.yaml Rack team-rack .spec.slots",
		kpt:   `[{"host":"b","slot":1},{"host":"c","slot":2}]`,
		ours:  `[{"host":"b","slot":1},{"host":"c","slot":2},{"host":"d","slot":3}]`,
		why:   "the package's CRD has the key of the list; kpt replaces the list, and local's element is lost",
	},
	{
		class: "list replaced",
		at:    "rack.yaml DiskSet team-disks .spec.disks[name=one].fast", kpt: absent, ours: "true",
		why: "the key of the list is inferred; kpt replaces the list, and local's field is lost",
	},
	{
		class: "list replaced",
		at:    "rack.yaml DiskSet team-disks .spec.disks[name=three]",
		kpt:   absent, ours: `{"name":"three","size":1}`,
		why: "the same; local's element is lost",
	},
	{
		class: "null",
		at:    "rack.yaml DiskSet team-disks .spec.mode", kpt: absent, ours: "null",
		why: "a null that both sides have is a value; to kpt it deletes the field",
	},
}

// inSubpackages has the differences in a package whose subpackages and files upstream
// added, deleted and moved, with a pipeline in its Kptfile.
var inSubpackages = []intended{
	{
		class: "other file",
		at:    "README.md", kpt: `"Tools, and more.\n"`, ours: `"Tools.\n"`,
		why: "functions get resources, not other files",
	},
	{
		class: "deleted upstream",
		at:    "edited/Kptfile Kptfile edited", kpt: "{*}", ours: absent,
		why: "a deletion stands under the default policy, here of a subpackage, and is reported as a conflict",
	},
	{
		class: "deleted upstream",
		at:    "edited/config.yaml ConfigMap edited", kpt: "{*}", ours: absent,
		why: "the same",
	},
	{
		class: "deleted upstream",
		at:    "kept.yaml ConfigMap kept", kpt: "{*}", ours: absent,
		why: "the same, of a resource; kpt keeps what local changed, and says nothing",
	},
}

// inOperator has the differences in an operator with its CRD and a custom resource.
var inOperator = []intended{
	{
		class: "list replaced",
		at:    "broker.yaml Broker orders/main .spec.listeners[name=metrics]",
		kpt:   absent, ours: `{"name":"metrics","port":9404}`,
		why: "upstream added a listener; kpt takes its list, and local's own listener is lost",
	},
	{
		class: "list replaced",
		at:    "broker.yaml Broker orders/main .spec.listeners[name=plain].tls", kpt: absent, ours: "true",
		why: "the same; local's field is lost",
	},
	{
		class: "list replaced",
		at:    "broker.yaml Broker orders/main .spec.users",
		kpt:   `["monitor","backup","audit"]`, ours: `["monitor","orders","audit"]`,
		why: "to the CRD the list is a set: local's user stays, the one that local removed does not come back",
	},
	{
		class: "half an element",
		at:    "operator.yaml Deployment orders/broker-operator .spec.template.spec.containers[name=kube-rbac-proxy]",
		kpt:   `{"name":"kube-rbac-proxy","resources":{"limits":{"memory":"32Mi"}}}`, ours: absent,
		why: "upstream deleted the container; kpt keeps the limits that local had given it, without an image",
	},
	{
		class: "union",
		at:    "operator.yaml Deployment orders/broker-operator .spec.template.spec.containers[name=manager].env[name=WATCH_NAMESPACE].valueFrom",
		kpt:   `{"fieldRef":{}}`, ours: absent,
		why: "local switched to a value; kpt leaves an empty source beside it, which the API server refuses",
	},
	{
		class: "union",
		at:    "operator.yaml Deployment orders/broker-operator .spec.template.spec.volumes[name=certs].secret",
		kpt:   `{"defaultMode":420}`, ours: absent,
		why: "local switched to a projected volume; kpt adds half of a second source, without its secret",
	},
}

// inIngress has the differences in an ingress controller, a DaemonSet with many ports.
var inIngress = []intended{
	{
		class: "union",
		at:    "controller.yaml DaemonSet edge/edge-controller .spec.template.spec.containers[name=controller].livenessProbe.httpGet",
		kpt:   "{}", ours: absent,
		why: "local switched to tcpSocket; kpt leaves an empty second handler",
	},
	{
		class: "port",
		at:    "controller.yaml DaemonSet edge/edge-controller .spec.template.spec.containers[name=controller].ports",
		kpt:   `[{"containerPort":80,"hostPort":8080,"name":"http"},{*`,
		ours:  `[{"containerPort":80,"hostPort":8080,"name":"http","protocol":"TCP"},{*`,
		why:   "upstream wrote a protocol down; kpt makes a second port 80 with the name http, on the host's port 80",
	},
	{
		class: "union",
		at:    "controller.yaml DaemonSet edge/edge-controller .spec.updateStrategy.rollingUpdate", kpt: "{}", ours: absent,
		why: "local switched to OnDelete; kpt leaves an empty rollingUpdate",
	},
	{
		class: "identity",
		at:    "service.yaml Service edge/edge-controller .metadata.annotations.internal.kpt.dev/upstream-identifier",
		kpt:   `"|Service|ingress|ingress-controller"`, ours: absent,
		why: "the merge comment suffices",
	},
	{
		class: "port",
		at:    "service.yaml Service edge/edge-controller .spec.ports",
		kpt:   `[{"name":"https","port":443,"targetPort":"https"},{*`,
		ours:  `[{"name":"http","port":8080,"targetPort":"http"},{"appProtocol":"https","name":"https","port":443,"protocol":"TCP","targetPort":"https"},{"name":"quic","port":443,"protocol":"UDP","targetPort":"quic"}]`,
		why:   "upstream wrote a protocol down; kpt makes a second port 443 with the name https, which the API server refuses",
	},
}

// inHelm has the differences in a chart rendered into one file.
var inHelm = []intended{
	{
		class: "deleted upstream",
		at:    "redis.yaml PodDisruptionBudget shop/shop-redis", kpt: "{*}", ours: absent,
		why: "local had added a label, which is a conflict, and the deletion stands",
	},
	{
		class: "null",
		at:    "redis.yaml StatefulSet shop/shop-redis .spec.template.spec.securityContext", kpt: absent, ours: "null",
		why: "the template renders a null on every side",
	},
}
