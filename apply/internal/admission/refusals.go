// Package admission foresees which objects of an apply an API server would refuse (rules/apply: refused objects):
// objects with several members of a union, with changes of immutable fields, and with values that a map of strings does
// not take. It knows no webhooks and quotas, and validates nothing else.
package admission

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// Refusals returns a conflict for each reason why a server would refuse the result of an apply. live is nil for a
// created object. A value that is live already is no reason, as a server took it. stored has both as the server stores
// them, and setBy says who set a live field, "set by …", "" if that is nobody but the applier.
func Refusals(kind schema.Resource, live, result *yaml.Node, stored [2]*yaml.Node, setBy func(*merge.Path) string) ([]merge.Conflict, error) {
	name := yamlnode.Text(yamlnode.Field(result, "kind"))
	before, after := walk{kind: name, setBy: setBy}, walk{kind: name, setBy: setBy}
	before.value(kind.Type, nil, live)
	after.value(kind.Type, nil, result)
	before.found = append(before.found, faults(groupKindOf(kind), live)...)
	after.found = append(after.found, faults(groupKindOf(kind), result)...)
	before.found = append(before.found, schemaFaults(kind, stored[0])...)
	after.found = append(after.found, schemaFaults(kind, stored[1])...)
	found := newConflicts(before.found, after.found)
	found = append(found, changeFaults(groupKindOf(kind), stored[0], stored[1])...)
	if name == "Ingress" {
		found = append(found, backendPorts(nil, live, result)...)
	}
	values := merge.NewFinder(live)
	for i, c := range found {
		found[i].Values[identity.Local] = values.Value(c.Path)
	}
	if size := annotationsSize(result); size > maxAnnotations {
		found = append(found, refusal((*merge.Path)(nil).Field("metadata").Field("annotations"), nil,
			fmt.Sprintf("the annotations have %d bytes, and %d are allowed; a server-side apply needs no annotation last-applied", size, maxAnnotations)))
	}
	changed, err := immutable(kind, live, result, stored[0], stored[1])
	return append(found, changed...), err
}

// newConflicts returns the conflicts of a result that the live object does not have with the same value.
func newConflicts(before, after []merge.Conflict) []merge.Conflict {
	had := map[[2]string][]merge.Conflict{}
	reasonAt := func(c merge.Conflict) [2]string { return [2]string{c.Path.String(), c.Reason} }
	for _, c := range before {
		had[reasonAt(c)] = append(had[reasonAt(c)], c)
	}
	return slices.DeleteFunc(after, func(c merge.Conflict) bool {
		return slices.ContainsFunc(had[reasonAt(c)], func(b merge.Conflict) bool {
			return merge.Same(b.Values[identity.Upstream], c.Values[identity.Upstream])
		})
	})
}

// maxAnnotations is the largest size of all annotations of an object.
const maxAnnotations = 262144

// annotationsSize returns the number of bytes of an object's annotations.
func annotationsSize(n *yaml.Node) (size int) {
	if annotations := yamlnode.Lookup(n, "metadata", "annotations"); annotations != nil {
		for _, c := range annotations.Content {
			size += len(c.Value)
		}
	}
	return size
}

// refusal returns the conflict of a refused value.
func refusal(at *merge.Path, value *yaml.Node, reason string) merge.Conflict {
	return merge.Conflict{
		Kind: merge.Refused, Path: at, Reason: reason, Chosen: identity.Upstream,
		Values: [3]*yaml.Node{identity.Upstream: value},
	}
}

// walk visits an object by its type.
type walk struct {
	found []merge.Conflict
	kind  string
	setBy func(*merge.Path) string
}

func (w *walk) value(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	if typ == nil || n == nil {
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		w.unions(typ, at, n)
		w.profile(at, n)
		w.withoutPorts(at, n)
		for key, v := range yamlnode.Pairs(n) {
			w.value(typ.Part(key.Value), at.Field(key.Value), v)
		}
	case yaml.SequenceNode:
		w.portNames(typ, at, n)
		for i, c := range n.Content {
			w.value(typ.Element(), at.Element(keyOf(typ, c, i)), c)
		}
	}
}

// unions finds several members of a union, and a rolling update beside a type of update that excludes it. Only a
// StatefulSet excludes it with OnDelete.
func (w *walk) unions(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	has := func(name string) bool {
		v := yamlnode.Field(n, name)
		return v != nil && v.ShortTag() != "!!null" && (v.Kind != yaml.ScalarNode || v.Value != "")
	}
	for _, u := range typ.Unions {
		members := slices.DeleteFunc(slices.Clone(u.Members), func(name string) bool { return !has(name) })
		if len(members) > 1 {
			w.found = append(w.found, refusal(at, n, strings.Join(members, " and ")+" exclude each other"))
		}
	}
	if path := at.String(); path != "spec.strategy" && path != "spec.updateStrategy" {
		return
	}
	if kind := yamlnode.Text(yamlnode.Field(n, "type")); has("rollingUpdate") && (kind == "Recreate" || kind == "OnDelete" && w.kind == "StatefulSet") {
		w.found = append(w.found, refusal(at, n, fmt.Sprintf("rollingUpdate is not allowed with type %s", kind)))
	}
}

// profile finds a profile of seccomp or AppArmor whose file does not go with its type.
func (w *walk) profile(at *merge.Path, n *yaml.Node) {
	steps := at.Steps()
	if len(steps) == 0 || steps[len(steps)-1].Field != "seccompProfile" && steps[len(steps)-1].Field != "appArmorProfile" {
		return
	}
	const local, file = "Localhost", "localhostProfile"
	typ := yamlnode.Text(yamlnode.Field(n, "type"))
	switch has := isSetText(n, file); {
	case has && typ != local:
		w.found = append(w.found, refusal(at, n, file+" is only allowed with type "+local))
	case !has && typ == local:
		w.found = append(w.found, refusal(at, n, "type "+local+" needs a "+file))
	}
}

// backendPorts finds the ports of an Ingress that have a name and a number, unless they are live so.
func backendPorts(at *merge.Path, live, n *yaml.Node) (out []merge.Conflict) {
	if n == nil || live != nil && merge.Same(live, n) {
		return nil
	}
	if isSetText(n, "name") && isSetText(n, "number") && n.Kind == yaml.MappingNode {
		return []merge.Conflict{refusal(at, n, "name and number exclude each other")}
	}
	for key, v := range yamlnode.Pairs(n) {
		out = append(out, backendPorts(at.Field(key.Value), yamlnode.Field(live, key.Value), v)...)
	}
	for i, v := range yamlnode.Elements(n) {
		out = append(out, backendPorts(at.Element(keyOf(&schema.Type{}, v, i)), nil, v)...)
	}
	return out
}

func isSetText(n *yaml.Node, name string) bool { return yamlnode.Text(yamlnode.Field(n, name)) != "" }

// withoutPorts finds a Service without ports that needs some.
func (w *walk) withoutPorts(at *merge.Path, n *yaml.Node) {
	isOpen := yamlnode.Text(yamlnode.Field(n, "type")) == "ExternalName" || yamlnode.Text(yamlnode.Field(n, "clusterIP")) == "None"
	if w.kind == "Service" && at.String() == "spec" && !isOpen && len(yamlnode.Elements(yamlnode.Field(n, "ports"))) == 0 {
		w.found = append(w.found, refusal(at.Field("ports"), nil, "a Service needs a port"))
	}
}

// portNames finds ports of a Service or container with one name, and ports without a name beside others of a Service.
func (w *walk) portNames(typ *schema.Type, at *merge.Path, n *yaml.Node) {
	isService := w.kind == "Service" && at.String() == "spec.ports"
	if len(typ.Keys) == 0 || !isService && typ.Keys[0].Name != "containerPort" {
		return
	}
	first, numbers := map[string]*merge.Path{}, map[string]*merge.Path{}
	another := func(path, other *merge.Path, has string) string {
		text := "another port, " + other.String() + ", " + has
		if by := w.setBy(other); by != "" {
			text = "another port, " + other.String() + ", " + by + ", " + has
		}
		if by := w.setBy(path); by != "" {
			text += "; this one is " + by
		}
		return text
	}
	for i, port := range n.Content {
		path := at.Element(keyOf(typ, port, i))
		number := yamlnode.Text(yamlnode.Field(port, "port")) + "/" + cmp.Or(yamlnode.Text(yamlnode.Field(port, "protocol")), "TCP")
		if other := numbers[number]; isService && other != nil {
			w.found = append(w.found, refusal(path, port, another(path, other, "is "+number)))
		}
		numbers[number] = path
		name := yamlnode.Text(yamlnode.Field(port, "name"))
		switch other := first[name]; {
		case other != nil:
			w.found = append(w.found, refusal(path, port, another(path, other, "has the name "+strconv.Quote(name))))
		case name != "":
			first[name] = path
		case isService && len(n.Content) > 1:
			w.found = append(w.found, refusal(path, port, "each of several ports needs a name"))
		}
	}
}

// keyOf returns the key of a list's element, else its index.
func keyOf(list *schema.Type, element *yaml.Node, index int) []merge.KeyValue {
	var keys []merge.KeyValue
	if list.Relation == schema.ListMap {
		for _, k := range list.Keys {
			if v := yamlnode.Field(element, k.Name); v != nil {
				keys = append(keys, merge.KeyValue{Name: k.Name, Value: v})
			}
		}
	}
	if keys == nil {
		keys = []merge.KeyValue{{Name: "index", Value: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(index)}}}
	}
	return keys
}
