// Package operator is a program of somebody else with a client-go of its own, which is some years
// old. It merges a Deployment and has the result as client-go's types.
package operator

import (
	"fmt"

	"go.yaml.in/yaml/v3"
	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	applyapps "k8s.io/client-go/applyconfigurations/apps/v1"
	"k8s.io/client-go/discovery"

	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Upgrade merges the versions of a Deployment: origin, upstream and local.
func Upgrade(versions [3]string) (*apps.Deployment, error) {
	var nodes [3]*yaml.Node
	for side, text := range versions {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			return nil, err
		}
		nodes[side] = document.Content[0]
	}
	kinds := schema.New(nil, nil, true)
	out, err := merge.Resource(nodes, kinds.Resource("apps", "v1", "Deployment"), merge.Prefer(merge.PreferUpstream))
	if err != nil {
		return nil, err
	}
	var object map[string]any
	if err := out.Node.Decode(&object); err != nil {
		return nil, err
	}
	merged := &apps.Deployment{}
	return merged, runtime.DefaultUnstructuredConverter.FromUnstructured(object, merged)
}

// Owned returns the fields that a field manager applied to a Deployment.
func Owned(d *apps.Deployment, manager string) (*applyapps.DeploymentApplyConfiguration, error) {
	return applyapps.ExtractDeployment(d, manager)
}

// Known reports whether a server has the kind Deployment.
func Known(server discovery.DiscoveryInterface) (bool, error) {
	list, err := server.ServerResourcesForGroupVersion(apps.SchemeGroupVersion.String())
	if err != nil {
		return false, fmt.Errorf("asking the server: %w", err)
	}
	for _, resource := range list.APIResources {
		if resource.Kind == "Deployment" {
			return true, nil
		}
	}
	return false, nil
}
