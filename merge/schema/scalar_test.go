package schema

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestQuantities(t *testing.T) {
	tests := []struct{ kind, path string }{
		{"/v1/Pod", "spec.containers[].resources.limits.cpu"},
		{"/v1/Pod", "spec.initContainers[].resources.requests.hugepages-2Mi"},
		{"/v1/Pod", "spec.ephemeralContainers[].resources.limits.memory"},
		{"/v1/Pod", "spec.resources.limits.cpu"},
		{"/v1/Pod", "spec.overhead.cpu"},
		{"/v1/Pod", "spec.volumes[].emptyDir.sizeLimit"},
		{"/v1/Pod", "spec.volumes[].ephemeral.volumeClaimTemplate.spec.resources.requests.storage"},
		{"/v1/Pod", "spec.containers[].env[].valueFrom.resourceFieldRef.divisor"}, // in an atomic struct
		{"/v1/Pod", "spec.volumes[].projected.sources[].downwardAPI.items[].resourceFieldRef.divisor"},
		{"/v1/LimitRange", "spec.limits[].default.cpu"}, // in an atomic list
		{"autoscaling/v2/HorizontalPodAutoscaler", "spec.metrics[].pods.target.averageValue"},
		{"apps/v1/StatefulSet", "spec.volumeClaimTemplates[].spec.resources.requests.storage"},
		{"/v1/PersistentVolume", "spec.capacity.storage"},
		{"/v1/PersistentVolumeClaim", "spec.resources.requests.storage"},
		{"/v1/ResourceQuota", "spec.hard.pods"},
		{"node.k8s.io/v1/RuntimeClass", "overhead.podFixed.memory"},
		{"storage.k8s.io/v1/CSIStorageCapacity", "capacity"},
	}
	for _, test := range tests {
		typ := lookup(t, test.kind, test.path)
		if typ == nil || typ.Scalar != Quantity {
			t.Errorf("%s %s is %+v, want a quantity", test.kind, test.path, typ)
		}
	}
}

func TestImages(t *testing.T) {
	for kind, spec := range podSpecs() {
		for _, path := range []string{
			"containers[].image", "initContainers[].image", "ephemeralContainers[].image", "volumes[].image.reference",
		} {
			if typ := lookup(t, kind, spec+"."+path); typ == nil || typ.Scalar != Image {
				t.Errorf("%s %s.%s is %+v, want an image", kind, spec, path, typ)
			}
		}
	}
}

func TestOtherScalarsHaveNoRow(t *testing.T) {
	for _, path := range []string{
		"spec.containers[].name", "spec.containers[].imagePullPolicy", "spec.volumes[].image.pullPolicy",
		"spec.volumes[].rbd.image", "spec.terminationGracePeriodSeconds", "metadata.name",
		"spec.containers[].env[].valueFrom.resourceFieldRef.resource", // in an atomic struct
	} {
		if typ := lookup(t, "/v1/Pod", path); typ != nil {
			t.Errorf("Pod %s is %+v, want no row", path, typ)
		}
	}
}

func TestScalarsOfCRD(t *testing.T) {
	var doc yaml.Node
	crd := `
spec:
  group: example.com
  names: {kind: Fleet}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          image: {type: string}
          store:
            properties:
              image: {type: string}
              imagePullPolicy: {type: string}
              size:
                anyOf: [{type: integer}, {type: string}]
                pattern: ^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$
                x-kubernetes-int-or-string: true
          chart:
            properties:
              image: {type: object, properties: {repository: {type: string}}}
              imagePullPolicy: {type: string}
`
	if err := yaml.Unmarshal([]byte(crd), &doc); err != nil {
		t.Fatal(err)
	}
	fleet := New(nil, Trees(doc.Content[0]), true).Resource("example.com", "v1", "Fleet").Type
	for path, want := range map[string]Scalar{
		"image": Opaque, "store.image": Image, "store.imagePullPolicy": Opaque, "store.size": Quantity, "chart.image": Opaque,
	} {
		if typ := below(fleet, path); typ == nil || typ.Scalar != want {
			t.Errorf("%s is %+v, want %v", path, typ, want)
		}
	}
}
