package e2e

// The tables of this file are TestUpdate's: where kpt's own update and the
// function differ, and why that is meant.

// always is the differences that every package has.
var always = []intended{
	{
		at: "Kptfile Kptfile * .upstream.git.ref", kpt: `"v2"`, ours: `"v1"`,
		why: "only who fetches a version can say where it is from: the update command owns the field",
	},
	{
		at: "Kptfile Kptfile * .upstreamLock.git.ref", kpt: `"v2"`, ours: `"v1"`,
		why: "the same",
	},
	{
		at: "Kptfile Kptfile * .upstreamLock.git.commit", kpt: "*", ours: "*",
		why: "the same",
	},
	{
		at: "* .metadata.annotations", kpt: `{"internal.kpt.dev/upstream-identifier":"*"}`, ours: absent,
		why: "kpt writes the identity down twice; the merge comment suffices, and one that is there is read and kept",
	},
}

// inQuickstart is those of the package of testdata/quickstart: a copy with other
// names in another namespace.
var inQuickstart = []intended{
	{
		at: "ingress.yaml Ingress shop/shop .metadata#", kpt: `"# kpt-merge: shop/shop"`, ours: absent,
		why: "the resource is only local's, and has no counterpart whose identity it could carry",
	},
	{
		at: "metrics.yaml Service shop/shop-wordpress-metrics", kpt: "{*}", ours: absent,
		why: "kpt compares text, so that a copy with another name or namespace counts as changed and outlives its upstream",
	},
	{
		at:  "wordpress.yaml Deployment shop/shop-wordpress .spec.template.spec.containers order",
		kpt: `["wordpress","metrics","cache"]`, ours: `["wordpress","cache","metrics"]`,
		why: "what upstream added goes where upstream has it, not to the end",
	},
}

// inFork is those of a copy with a subpackage, resources of its own and comments.
var inFork = []intended{
	{
		at: "ingress.yaml Ingress team/podinfo .metadata#", kpt: `"# kpt-merge: team/podinfo"`, ours: absent,
		why: "the resource is only local's",
	},
	{
		at: "services.yaml Service team/mesh .metadata#", kpt: `"# kpt-merge: team/mesh"`, ours: absent,
		why: "the resource is only local's",
	},
	{
		at: "hpa.yaml HorizontalPodAutoscaler team/team-podinfo", kpt: "{*}", ours: absent,
		why: "to kpt the other name and namespace are a change, so that it does not delete it",
	},
	{
		at: "services.yaml Service team/team-podinfo-legacy", kpt: "{*}", ours: absent,
		why: "the same",
	},
}

// inElements is those of a package in whose lists and unions both sides changed
// things.
var inElements = []intended{
	{
		at: "web.yaml Deployment team/team-web .spec.strategy.rollingUpdate", kpt: `{"maxSurge":2}`, ours: absent,
		why: "local switched to Recreate, which no rollingUpdate may stand beside",
	},
	{
		at:  "web.yaml Deployment team/team-web .spec.template.spec.containers[name=logs]",
		kpt: `{"image":"logs:2","name":"logs"}`, ours: absent,
		why: "local deleted the container; kpt brings half of it back, without its arguments",
	},
	{
		at:  "web.yaml Deployment team/team-web .spec.template.spec.containers[name=proxy]",
		kpt: `{"name":"proxy","resources":{"limits":{"memory":"64Mi"}}}`, ours: absent,
		why: "upstream deleted the container; kpt keeps what local had added to it, without an image",
	},
	{
		at:  "web.yaml Deployment team/team-web .spec.template.spec.containers[name=web].env[name=TOKEN].value",
		kpt: `"unset"`, ours: absent,
		why: "local switched to valueFrom, which no value may stand beside",
	},
	{
		at:  "web.yaml Deployment team/team-web .spec.template.spec.containers[name=web].readinessProbe.httpGet",
		kpt: `{"path":"/ready"}`, ours: absent,
		why: "local switched to exec; kpt adds half of a second handler, without its port",
	},
	{
		at:  "web.yaml Deployment team/team-web .spec.template.spec.volumes[name=data].emptyDir",
		kpt: `{"sizeLimit":"1Gi"}`, ours: absent,
		why: "local moved the data to a claim, and a volume has one source",
	},
	{
		at:   "service.yaml Service team/team-dns .metadata.finalizers",
		kpt:  `["example.com/one","example.com/ours","example.com/three"]`,
		ours: `["example.com/one","example.com/three","example.com/ours"]`,
		why:  "what upstream added goes where upstream has it, not to the end",
	},
	{
		at: "service.yaml Service team/team-dns .spec.ports[name=tcp].targetPort", kpt: absent, ours: "1053",
		why: "kpt does not know that the protocol is TCP where none is given, and loses upstream's change",
	},
	{
		at:   "rack.yaml Rack team-rack .spec.slots",
		kpt:  `[{"host":"b","slot":1},{"host":"c","slot":2}]`,
		ours: `[{"host":"b","slot":1},{"host":"c","slot":2},{"host":"d","slot":3}]`,
		why:  "the package's CRD has the key of the list; kpt replaces the list, and local's element is lost",
	},
	{
		at: "rack.yaml DiskSet team-disks .spec.disks[name=one].fast", kpt: absent, ours: "true",
		why: "the key of the list is inferred; kpt replaces the list, and local's field is lost",
	},
	{
		at:  "rack.yaml DiskSet team-disks .spec.disks[name=three]",
		kpt: absent, ours: `{"name":"three","size":1}`,
		why: "the same; local's element is lost",
	},
	{
		at: "rack.yaml DiskSet team-disks .spec.mode", kpt: absent, ours: "null",
		why: "a null that both sides have is a value; to kpt it deletes the field",
	},
}

// inSubpackages is those of a package whose subpackages and files upstream added,
// deleted and moved, with a pipeline in its Kptfile.
var inSubpackages = []intended{
	{
		at: "README.md", kpt: `"Tools, and more.\n"`, ours: `"Tools.\n"`,
		why: "functions get resources, not other files",
	},
	{
		at: "edited/Kptfile Kptfile edited", kpt: "{*}", ours: absent,
		why: "a deletion stands under the default policy, here of a subpackage, and is reported as a conflict",
	},
	{
		at: "edited/config.yaml ConfigMap edited", kpt: "{*}", ours: absent,
		why: "the same",
	},
	{
		at: "kept.yaml ConfigMap kept", kpt: "{*}", ours: absent,
		why: "the same, of a resource; kpt keeps what local changed, and says nothing",
	},
}
