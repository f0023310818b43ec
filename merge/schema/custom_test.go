package schema

import (
	"slices"
	"strings"
	"testing"
)

// custom returns the type at a path of a kind of the second table.
func custom(t *testing.T, kind, path string) *Type {
	t.Helper()
	parts := strings.Split(kind, "/")
	typ, ok := customResources(Merging, nil).lookup(kindVersion{parts[0], parts[2], parts[1]})
	if !ok {
		t.Fatalf("%s is not known", kind)
	}
	return below(typ, path)
}

func TestKeyedListsOfProjects(t *testing.T) {
	rollout := "argoproj.io/v1alpha1/Rollout"
	prometheus := "monitoring.coreos.com/v1/Prometheus"
	tests := []struct{ kind, path, want string }{
		{rollout, "spec.template.spec.containers[].ports", "containerPort,protocol"},
		{rollout, "spec.template.spec.containers[].resources.claims", "name"},
		{"cert-manager.io/v1/Issuer", "spec.acme.solvers[].http01.ingress.podTemplate.spec.imagePullSecrets", "name"},
		{"apiextensions.crossplane.io/v1/Composition", "spec.pipeline", "step"},
		{"apiextensions.crossplane.io/v1/Composition", "spec.pipeline[].credentials", "name"},
		{"pkg.crossplane.io/v1beta1/DeploymentRuntimeConfig", "spec.deploymentTemplate.spec.template.spec.containers[].env", "name"},
		{"policies.kyverno.io/v1alpha1/ValidatingPolicy", "spec.matchConditions", "name"},
		{"policies.kyverno.io/v1alpha1/ValidatingPolicy", "spec.variables", "name"},
		{prometheus, "spec.containers[].volumeMounts", "mountPath"},
		{prometheus, "spec.containers[].ports", "containerPort,protocol"},
		{prometheus, "spec.hostAliases", "ip"},
		{"monitoring.coreos.com/v1/PrometheusRule", "spec.groups", "name"},
		{"extensions.istio.io/v1alpha1/WasmPlugin", "spec.vmConfig.env", "name"},
		{"networking.istio.io/v1/ServiceEntry", "spec.ports", "name"},
		{"serving.knative.dev/v1/Service", "spec.template.spec.containers[].env", "name"},
		{"serving.knative.dev/v1/Service", "spec.template.spec.volumes", "name"},
		{"gateway.networking.k8s.io/v1/Gateway", "spec.listeners", "name"},
		{"gateway.networking.k8s.io/v1/HTTPRoute", "spec.rules[].filters[].requestHeaderModifier.set", "name"},
	}
	for _, test := range tests {
		list := custom(t, test.kind, test.path)
		if list == nil || list.Relation != ListMap || names(list.Keys) != test.want {
			t.Errorf("%s %s is %+v, want a list keyed by %s", test.kind, test.path, list, test.want)
		}
	}
}

func TestOtherTypesOfProjects(t *testing.T) {
	prometheus := "monitoring.coreos.com/v1/Prometheus"
	tests := []struct {
		kind, path string
		relation   Relation
		scalar     Scalar
	}{
		{"gateway.networking.k8s.io/v1/HTTPRoute", "spec.rules", Atomic, Opaque},
		{"gateway.networking.k8s.io/v1/HTTPRoute", "spec.hostnames", Atomic, Opaque},
		{prometheus, "spec.enableFeatures", Set, Opaque},
		{prometheus, "spec.serviceMonitorSelector", Atomic, Opaque},
		{prometheus, "spec.image", Granular, Image},
		{prometheus, "spec.containers[].image", Granular, Image},
		{prometheus, "spec.resources.limits.cpu", Granular, Quantity},
		{"serving.knative.dev/v1/Service", "spec.template.spec.containers[].image", Granular, Image},
		{"serving.knative.dev/v1/Service", "spec.template.spec.containers[].resources.limits.cpu", Granular, Quantity},
	}
	for _, test := range tests {
		typ := custom(t, test.kind, test.path)
		if typ == nil || typ.Relation != test.relation || typ.Scalar != test.scalar {
			t.Errorf("%s %s is %+v, want %v, %v", test.kind, test.path, typ, test.relation, test.scalar)
		}
	}
}

func TestKindsOfEachProject(t *testing.T) {
	tests := []struct {
		group, version, kind string
		cluster              bool
	}{
		{"argoproj.io", "v1alpha1", "Application", false},
		{"argoproj.io", "v1alpha1", "ClusterAnalysisTemplate", true},
		{"cert-manager.io", "v1", "ClusterIssuer", true},
		{"acme.cert-manager.io", "v1", "Order", false},
		{"pkg.crossplane.io", "v1", "Provider", true},
		{"external-secrets.io", "v1", "ExternalSecret", false},
		{"external-secrets.io", "v1", "ClusterSecretStore", true},
		{"helm.toolkit.fluxcd.io", "v2", "HelmRelease", false},
		{"kustomize.toolkit.fluxcd.io", "v1", "Kustomization", false},
		{"source.toolkit.fluxcd.io", "v1", "GitRepository", false},
		{"kyverno.io", "v1", "ClusterPolicy", true},
		{"monitoring.coreos.com", "v1", "ServiceMonitor", false},
		{"networking.istio.io", "v1", "VirtualService", false},
		{"security.istio.io", "v1", "AuthorizationPolicy", false},
		{"eventing.knative.dev", "v1", "Trigger", false},
		{"serving.knative.dev", "v1", "Service", false},
		{"gateway.networking.k8s.io", "v1", "GatewayClass", true},
		{"gateway.networking.k8s.io", "v1", "Gateway", false},
	}
	s := New(nil, nil, true)
	for _, test := range tests {
		if _, known := s.custom.lookup(kindVersion{test.group, test.kind, test.version}); !known {
			t.Errorf("%v is not known", test)
		}
		if s.ClusterScoped(test.group, test.kind) != test.cluster {
			t.Errorf("%v has the other scope", test)
		}
	}
}

func TestListWithoutListTypeOfAProjectIsInferred(t *testing.T) {
	r := New(nil, nil, true).Resource("argoproj.io", "v1alpha1", "Application")
	if sources := below(r.Type, "spec.sources"); sources != nil || !r.Infer {
		t.Errorf("spec.sources is %+v, infer %t", sources, r.Infer)
	}
}

func TestStatusIsNotInTheTableOfProjects(t *testing.T) {
	if typ := custom(t, "gateway.networking.k8s.io/v1/Gateway", "status"); typ != nil {
		t.Errorf("status is %+v", typ)
	}
}

func TestTableOfProjectsIsSmall(t *testing.T) {
	if n := len(customTypes); n < 300 || n > 1000 {
		t.Errorf("%d types", n)
	}
	key := func(a kindRow) string { return a.group + "\x00" + a.kind }
	if !slices.IsSortedFunc(customKinds[:], func(a, b kindRow) int { return strings.Compare(key(a), key(b)) }) {
		t.Error("kinds are not sorted by group and kind")
	}
}
