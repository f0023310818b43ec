package schema

import "testing"

func TestKindOfMetadataOnlyIsKnown(t *testing.T) {
	tests := []kindVersion{
		{group: "", version: "v1", kind: "ConfigMap"},
		{group: "", version: "v1", kind: "Secret"},
		{group: "scheduling.k8s.io", version: "v1", kind: "PriorityClass"},
		{group: "rbac.authorization.k8s.io", version: "v1", kind: "Role"},
		{group: "flowcontrol.apiserver.k8s.io", version: "v1", kind: "FlowSchema"},
		{group: "internal.apiserver.k8s.io", version: "v1alpha1", kind: "StorageVersion"},
	}
	table := kubernetes(Merging)
	for _, test := range tests {
		typ, ok := table.lookup(test)
		if !ok || typ.Field("metadata") != table.metadata() {
			t.Errorf("%v is %+v, %v", test, typ, ok)
		}
	}
}

func TestUnknownKind(t *testing.T) {
	tests := []kindVersion{
		{group: "example.com", version: "v1", kind: "DiskSet"},
		{group: "apps", version: "v1", kind: "Service"},
		{group: "", version: "v1", kind: "Deployment"},
		{group: "apps", version: "v1", kind: ""},
		{group: "zzz", version: "v1", kind: "Zzz"},
		{group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition"},
		{group: "apiregistration.k8s.io", version: "v1", kind: "APIService"},
	}
	for _, test := range tests {
		if typ, ok := kubernetes(Merging).lookup(test); ok || typ != nil {
			t.Errorf("%v is %+v, %v, want unknown", test, typ, ok)
		}
	}
}

func TestVersionAskedForElseNewest(t *testing.T) {
	table := kubernetes(Merging)
	newest := func(group, version, kind string) *Type {
		typ, ok := table.lookup(kindVersion{group, kind, version})
		if !ok {
			t.Fatalf("%s/%s %s is not known", group, version, kind)
		}
		return typ
	}
	if newest("autoscaling", "v2beta2", "HorizontalPodAutoscaler") != newest("autoscaling", "v2", "HorizontalPodAutoscaler") {
		t.Error("HorizontalPodAutoscaler v2beta2 is not that of v2")
	}
	if newest("autoscaling", "v1", "HorizontalPodAutoscaler") == newest("autoscaling", "v2", "HorizontalPodAutoscaler") {
		t.Error("HorizontalPodAutoscaler v1 is that of v2")
	}
	if newest("resource.k8s.io", "v1alpha2", "ResourceClaim") != newest("resource.k8s.io", "v1", "ResourceClaim") {
		t.Error("ResourceClaim v1alpha2 is not that of v1")
	}
}

func TestTypesAreKept(t *testing.T) {
	table := kubernetes(Merging)
	deployment, _ := table.lookup(kindVersion{"apps", "Deployment", "v1"})
	job, _ := table.lookup(kindVersion{"batch", "Job", "v1"})
	if below(deployment, "spec.template") != below(job, "spec.template") {
		t.Error("a type was built twice")
	}
}

func TestTypeThatLeadsToItself(t *testing.T) {
	rows := []typeRow{
		0: {},
		1: {fields: []fieldRow{{"not", 1}, {"properties", 2}}},
		2: {elem: 1},
	}
	table := &table{kinds: []kindRow{{group: "g", kind: "K", versions: []string{"v1"}, row: 1}}, rows: rows}
	typ, ok := table.lookup(kindVersion{"g", "K", "v1"})
	if !ok || below(typ, "not.properties.any.not") != typ {
		t.Errorf("the type does not lead to itself: %+v", typ)
	}
}

func TestTypeOfNoRow(t *testing.T) {
	if typ := (&table{rows: []typeRow{{}}}).metadata(); typ != nil {
		t.Errorf("row 0 is %+v, want nil", typ)
	}
}

func BenchmarkLookup(b *testing.B) {
	table := kubernetes(Merging)
	for b.Loop() {
		table.lookup(kindVersion{"apps", "Deployment", "v1"})
	}
}
