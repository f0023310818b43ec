package admission

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/quantity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge/schema"
)

// storedTable has the defaults of the fields of Kubernetes' kinds, and the fields that are stored empty.
//
//go:embed stored.txt
var storedTable string

// storedRow tells how a server stores a struct.
type storedRow struct {
	kept     map[string]bool // the fields that are stored when they are empty
	defaults []storedDefault
}

// storedDefault is the value of a field that is absent: the first one whose condition holds.
type storedDefault struct {
	name  string
	value storedValue // without a condition
	when  []storedCondition
}

// storedCondition gives a field another default beside a field with a value, or with any value if that is *.
type storedCondition struct {
	other, is string
	value     storedValue
}

// storedValue is the text of a default in the table, and its value if it is JSON.
type storedValue struct {
	text string
	node *yaml.Node
}

// readStoredValue reads a default. A field that has none has "-", and a copy of another field its name with $.
func readStoredValue(text string) storedValue {
	var document yaml.Node
	if text == noDefault || strings.HasPrefix(text, "$") || yaml.Unmarshal([]byte(text), &document) != nil {
		return storedValue{text: text}
	}
	n := document.Content[0]
	return storedValue{text: text, node: &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Content: n.Content}}
}

const (
	noDefault = "-"
	anyValue  = "*"
)

// readStored reads a row of the table.
func readStored(text string) *storedRow {
	r := &storedRow{kept: map[string]bool{}}
	for word := range strings.FieldsSeq(text) {
		first, rest, _ := strings.Cut(word, ";") // which no default has
		name, value, hasDefault := strings.Cut(first, "=")
		if n, isPointer := strings.CutSuffix(name, "?"); isPointer {
			name = n
			r.kept[name] = true
		}
		d := storedDefault{name: name, value: storedValue{text: noDefault}}
		if hasDefault {
			d.value = readStoredValue(value)
		}
		for rest != "" {
			var condition string
			condition, rest, _ = strings.Cut(rest, ";")
			other, is, _ := strings.Cut(condition, ":")
			is, value, _ := strings.Cut(is, "=")
			d.when = append(d.when, storedCondition{other, is, readStoredValue(value)})
		}
		if hasDefault || d.when != nil {
			r.defaults = append(r.defaults, d)
		}
	}
	return r
}

// storedRow returns the row of a struct at a place of a kind.
func (f *Fields) storedRow(number, place string) *storedRow {
	key := number + "@" + place
	f.mutex.Lock()
	defer f.mutex.Unlock()
	text, found := f.stored[key]
	if !found {
		key = number
		text = f.stored[number]
	}
	if r := f.storedRows[key]; r != nil {
		return r
	}
	r := readStored(text)
	f.storedRows[key] = r
	return r
}

// Stored returns an object as a server stores it (rules/apply: defaults): with the defaults of absent fields, without
// nulls, and without the empty values that JSON leaves out. A pointer in Kubernetes' types, such as securityContext: {},
// keeps its empty value. Of a custom resource it is the CRD that says so; it keeps every empty value. A kind that
// nothing describes loses its nulls only.
func (f *Fields) Stored(kind schema.Resource, object *yaml.Node) *yaml.Node {
	if object == nil {
		return nil
	}
	group, name := kind.GroupKind()
	version := cmp.Or(identity.Version(yamlnode.Text(yamlnode.Field(object, "apiVersion"))), "v1")
	s := storing{fields: f, kind: name}
	if number := f.kinds[group+" "+name+" "+version]; number != "" {
		return cmp.Or(s.structure(number, "", object), yamlnode.EmptyMap())
	}
	root, _ := kind.OpenAPI()
	out := s.custom(root, object)
	if metadata := yamlnode.Field(out, "metadata"); metadata != nil {
		out = put(out, "metadata", s.structure(f.kinds[" ObjectMeta meta"], "metadata", metadata))
	}
	return out
}

// put returns a map with another value of a field, without the field if the value is nil.
func put(n *yaml.Node, name string, value *yaml.Node) *yaml.Node {
	if value == nil {
		return yamlnode.Without(n, func(field string) bool { return field == name })
	}
	return yamlnode.Put(n, nil, name, value)
}

// storing makes stored values of a kind.
type storing struct {
	fields *Fields
	kind   string
}

// structure returns a struct, nil if nothing is left of it.
func (s storing) structure(number, place string, n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return n
	}
	row, stored := s.fields.row(number), s.fields.storedRow(number, s.kind+"."+place)
	out := *n
	out.Content = nil
	for key, v := range yamlnode.Pairs(n) {
		if value := s.value(row.types[key.Value], below(place, key.Value), v, stored.kept[key.Value]); value != nil {
			out.Content = append(out.Content, key, value)
		}
	}
	for _, name := range row.names { // a struct that is no pointer is always there
		if typ := row.types[name]; typ[0] >= '0' && typ[0] <= '9' && !stored.kept[name] && place != "metadata" && (name != "status" || place != "") && yamlnode.Field(&out, name) == nil {
			if value := s.structure(typ, below(place, name), yamlnode.EmptyMap()); value != nil {
				out.Content = append(out.Content, yamlnode.String(name), value)
			}
		}
	}
	s.addDefaults(stored, &out)
	if len(out.Content) == 0 {
		return nil
	}
	if row.types["containers"] != "" {
		return s.podSpec(&out)
	}
	return &out
}

func below(place, name string) string { return strings.TrimPrefix(place+"."+name, ".") }

// value returns a value, nil for a null and for an empty value that is not stored.
func (s storing) value(typ, place string, n *yaml.Node, isKept bool) *yaml.Node {
	switch {
	case n.ShortTag() == "!!null":
		return nil
	case typ == "":
		return n
	case typ[0] == '[' && n.Kind == yaml.SequenceNode:
		out := *n
		out.Content = nil
		for _, e := range n.Content {
			out.Content = append(out.Content, s.part(typ[1:], below(place, anyValue), e))
		}
		n = &out
	case typ[0] == '{' && n.Kind == yaml.MappingNode:
		out := *n
		out.Content = nil
		for key, v := range yamlnode.Pairs(n) {
			out.Content = append(out.Content, key, s.part(typ[1:], below(place, anyValue), v))
		}
		n = &out
	case typ[0] >= '0' && typ[0] <= '9':
		if out := s.structure(typ, place, n); out != nil || !isKept {
			return out
		}
		return yamlnode.EmptyMap()
	case strings.HasPrefix(typ, "u") && typ != "u" && n.Kind == yaml.MappingNode: // a struct that may be something else
		return cmp.Or(s.structure(typ[1:], place, n), yamlnode.EmptyMap())
	}
	switch amount, is := quantity.Canonical(n.Value); {
	case typ == "q" && n.Kind == yaml.ScalarNode && is:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: amount}
	case !isKept && isZero(n):
		return nil
	}
	return n
}

// part returns an element of a list or a value of a map, which is stored whatever it is.
func (s storing) part(typ, place string, n *yaml.Node) *yaml.Node {
	if n.ShortTag() == "!!null" {
		if typ == "s" {
			return yamlnode.String("")
		}
		return n
	}
	return cmp.Or(s.value(typ, place, n, true), n)
}

// isZero reports whether a value is empty.
func isZero(n *yaml.Node) bool {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value == "" || n.ShortTag() == "!!int" && n.Value == "0" || n.ShortTag() == "!!bool" && n.Value == "false"
	}
	return len(n.Content) == 0
}

// addDefaults adds the defaults of the fields that a struct lacks. Their conditions are about the struct as it is given.
func (s storing) addDefaults(row *storedRow, n *yaml.Node) {
	given := yamlnode.Fields(&yaml.Node{Kind: yaml.MappingNode, Content: slices.Clone(n.Content)})
	for _, d := range row.defaults {
		if given(d.name) != nil {
			continue
		}
		value := d.in(given)
		switch d.name { // the table cannot tell
		case "imagePullPolicy":
			value = pullPolicy(given("image"))
		case "pullPolicy":
			value = pullPolicy(given("reference"))
		}
		if value != nil {
			n.Content = append(n.Content, yamlnode.String(d.name), value)
		}
	}
}

// in returns the default for a struct, nil if there is none.
func (d storedDefault) in(given func(string) *yaml.Node) *yaml.Node {
	value := d.value
	for _, c := range d.when {
		if other := given(c.other); other != nil && (c.is == anyValue || other.Kind == yaml.ScalarNode && other.Value == c.is) {
			value = c.value
			break
		}
	}
	name, copied := strings.CutPrefix(value.text, "$")
	if !copied {
		return value.node
	}
	name, suffix, _ := strings.Cut(name, "+")
	if name, isLower := strings.CutSuffix(name, "-"); isLower {
		return yamlnode.WithText(given(name), strings.ToLower(given(name).Value))
	}
	return yamlnode.WithText(given(name), given(name).Value+suffix)
}

// pullPolicy returns the default of a container's imagePullPolicy: an image with the tag latest, or without a tag and
// a digest, is pulled always.
func pullPolicy(image *yaml.Node) *yaml.Node {
	text := yamlnode.Text(image)
	name := text[strings.LastIndexByte(text, '/')+1:]
	_, tag, tagged := strings.Cut(name, ":")
	if !strings.Contains(name, "@") && (!tagged || tag == "latest") {
		return yamlnode.String("Always")
	}
	return yamlnode.String("IfNotPresent")
}

// withHostPorts returns the ports of a container in its host's network with their host ports.
func withHostPorts(ports *yaml.Node) *yaml.Node {
	return yamlnode.Each(ports, func(port *yaml.Node) *yaml.Node {
		number := yamlnode.Field(port, "containerPort")
		if number == nil || yamlnode.Field(port, "hostPort") != nil {
			return port
		}
		return yamlnode.Put(port, nil, "hostPort", number)
	})
}

// withLimits returns the resources of a Pod's container with requests for all limits.
func withLimits(resources *yaml.Node) *yaml.Node {
	requests := yamlnode.MapOf(yamlnode.Field(resources, "requests"))
	for key, limit := range yamlnode.Pairs(yamlnode.Field(resources, "limits")) {
		if yamlnode.Field(requests, key.Value) == nil {
			requests = yamlnode.Put(requests, nil, key.Value, limit)
		}
	}
	if len(requests.Content) == 0 {
		return resources
	}
	return yamlnode.Put(resources, nil, "requests", requests)
}

// podSpec completes a pod's spec by its own fields and the ones of its containers.
func (s storing) podSpec(spec *yaml.Node) *yaml.Node {
	for _, list := range [3]string{"containers", "initContainers", "ephemeralContainers"} {
		containers := yamlnode.Field(spec, list)
		if containers == nil {
			continue
		}
		isHost := yamlnode.Text(yamlnode.Field(spec, "hostNetwork")) == "true"
		spec = yamlnode.Put(spec, nil, list, yamlnode.Each(containers, func(c *yaml.Node) *yaml.Node {
			if ports := yamlnode.Field(c, "ports"); isHost && ports != nil {
				c = yamlnode.Put(c, nil, "ports", withHostPorts(ports))
			}
			if resources := yamlnode.Field(c, "resources"); s.kind == "Pod" && resources != nil {
				c = yamlnode.Put(c, nil, "resources", withLimits(resources))
			}
			return c
		}))
	}
	return spec
}

// custom returns a value of a custom resource by the schema of its CRD, nil for a null that it drops.
func (s storing) custom(of, n *yaml.Node) *yaml.Node {
	of = yamlnode.Resolve(of)
	switch {
	case n.ShortTag() == "!!null":
		if isSet(of, "nullable") {
			return n
		}
		if value := yamlnode.Field(of, "default"); value != nil {
			return s.custom(of, value)
		}
		return nil
	case n.Kind == yaml.SequenceNode:
		items := yamlnode.Field(of, "items")
		return yamlnode.Each(n, func(e *yaml.Node) *yaml.Node { return cmp.Or(s.custom(items, e), e) })
	case n.Kind != yaml.MappingNode:
		return n
	}
	out := *n
	out.Content = nil
	for key, v := range yamlnode.Pairs(n) {
		if value := s.custom(property(of, key.Value), v); value != nil {
			out.Content = append(out.Content, key, value)
		}
	}
	has := yamlnode.Fields(&yaml.Node{Kind: yaml.MappingNode, Content: slices.Clone(out.Content)})
	for key, p := range yamlnode.Pairs(yamlnode.Field(of, "properties")) {
		if value := yamlnode.Field(yamlnode.Resolve(p), "default"); value != nil && has(key.Value) == nil && !yamlnode.IsNull(value) {
			out.Content = append(out.Content, key, s.custom(p, value))
		}
	}
	return &out
}
