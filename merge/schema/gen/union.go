package main

import (
	"errors"
	"fmt"
	"strings"
)

// unionRule gives structs a union that the schema lacks (rules/unions: union structs).
type unionRule struct {
	structs       []string // below io.k8s.api
	members       []string
	typesEndIn    string // instead of members: the suffix of the members' types
	discriminator string
}

// handUnions is the table of unions by hand.
func handUnions() []unionRule {
	return []unionRule{
		{structs: []string{"core.v1.Volume", "core.v1.PersistentVolumeSpec"}, typesEndIn: "VolumeSource"},
		{
			structs: []string{
				"core.v1.PodResourceClaim", "scheduling.v1beta1.PodGroupResourceClaim",
				"scheduling.v1alpha3.PodGroupResourceClaim", "scheduling.v1alpha3.WorkloadPodGroupResourceClaim",
			},
			members: []string{"resourceClaimName", "resourceClaimTemplateName"},
		},
		{
			structs: []string{
				"apps.v1.DeploymentStrategy", "apps.v1beta2.DeploymentStrategy", "apps.v1beta1.DeploymentStrategy",
				"extensions.v1beta1.DeploymentStrategy", "apps.v1.DaemonSetUpdateStrategy", "apps.v1beta2.DaemonSetUpdateStrategy",
				"extensions.v1beta1.DaemonSetUpdateStrategy", "apps.v1.StatefulSetUpdateStrategy",
				"apps.v1beta2.StatefulSetUpdateStrategy", "apps.v1beta1.StatefulSetUpdateStrategy",
			},
			members: []string{"rollingUpdate"}, discriminator: "type",
		},
		{structs: []string{"core.v1.EnvVar"}, members: []string{"value", "valueFrom"}},
		{
			structs: []string{"core.v1.EnvVarSource"},
			members: []string{"configMapKeyRef", "fieldRef", "fileKeyRef", "resourceFieldRef", "secretKeyRef"},
		},
		{structs: []string{"core.v1.Probe"}, members: []string{"exec", "grpc", "httpGet", "tcpSocket"}},
		{structs: []string{"core.v1.LifecycleHandler"}, members: []string{"exec", "httpGet", "sleep", "tcpSocket"}},
		{structs: []string{"networking.v1.IngressBackend"}, members: []string{"resource", "service"}},
		{
			structs: []string{"policy.v1.PodDisruptionBudgetSpec", "policy.v1beta1.PodDisruptionBudgetSpec"},
			members: []string{"maxUnavailable", "minAvailable"},
		},
	}
}

// addUnions adds the unions of the rules to the schema, which must have all their names.
func (d *document) addUnions(rules []unionRule) error {
	for _, rule := range rules {
		for _, name := range rule.structs {
			if err := d.addUnion(rule, apiPrefix+name); err != nil {
				return fmt.Errorf("union of %s: %w", name, err)
			}
		}
	}
	return nil
}

func (d *document) addUnion(rule unionRule, name string) error {
	structure, err := d.structure(name)
	if err != nil {
		return err
	}
	added := union{Discriminator: rule.discriminator}
	for _, f := range rule.memberNames(structure) {
		added.Fields = append(added.Fields, member{Name: f})
	}
	if err := structure.check(added); err != nil {
		return err
	}
	structure.Unions = append(structure.Unions, added)
	return nil
}

// memberNames returns the members of the union in a struct.
func (r unionRule) memberNames(structure *mapping) []string {
	if r.typesEndIn == "" {
		return r.members
	}
	var names []string
	for _, f := range structure.Fields {
		if strings.HasSuffix(f.Type.NamedType, r.typesEndIn) {
			names = append(names, f.Name)
		}
	}
	return names
}

// check returns an error for a union without members, or with a field that the struct lacks.
func (m *mapping) check(u union) error {
	if len(u.Fields) == 0 {
		return errors.New("no members")
	}
	for _, f := range u.Fields {
		if m.field(f.Name) == nil {
			return fmt.Errorf("no field %s", f.Name)
		}
	}
	if u.Discriminator != "" && m.field(u.Discriminator) == nil {
		return fmt.Errorf("no field %s", u.Discriminator)
	}
	return nil
}
