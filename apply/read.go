package apply

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/apply/internal/lastapplied"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// reading reads the versions of one object.
type reading struct {
	*cluster
	run      *run // nil where live objects are merged into a package
	match    *pkgmerge.Match
	trees    [3]*yaml.Node // the versions, which the reading makes comparable
	warnings []string
}

func (r *reading) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

// lastApplied makes config comparable as kubectl does: without comments and the server's fields, with the annotation
// last-applied. Origin is that annotation of the live object (rules/apply: fields of the server; rules/apply: the
// annotation last-applied).
func (r *reading) lastApplied() error {
	config, err := r.readConfig()
	if err != nil {
		return err
	}
	config = withTextAnnotations(config)
	text, err := lastapplied.Write(config)
	if err != nil {
		return fmt.Errorf("%s: %w", r.match.Versions[identity.Upstream], err)
	}
	last, err := r.appliedTo(identity.Local)
	if err != nil {
		return err
	}
	r.check(config, false)
	upstream := r.inVersion(r.compared(config))
	if last != nil {
		last = r.comparedLast(last, upstream)
	}
	if meta := r.match.Versions[identity.Upstream].Meta; !r.run.fields.IsBuiltIn(meta.APIVersion, meta.Kind) {
		last, upstream = withoutOldNulls(last, upstream)
	}
	for _, path := range filledIn {
		last, upstream = filled(last, r.trees[identity.Local], path), filled(upstream, r.trees[identity.Local], path)
	}
	annotation := yamlnode.String(text)
	annotation.Style = yaml.LiteralStyle
	r.trees[identity.Upstream] = inOrderOf(annotated(folded(upstream, nil), lastapplied.Annotation, annotation), r.trees[identity.Local])
	r.trees[identity.Origin] = r.withLive(last)
	return nil
}

// withTextAnnotations returns config with empty texts for annotations that are null: kubectl reads annotations as texts, and
// so they are in last-applied, too (rules/apply: config).
func withTextAnnotations(config *yaml.Node) *yaml.Node {
	for key, v := range yamlnode.Pairs(yamlnode.Lookup(config, "metadata", "annotations")) {
		if yamlnode.IsNull(v) {
			config = annotated(config, key.Value, yamlnode.String(""))
		}
	}
	return config
}

// withoutOldNulls returns the last config and the new one of a custom resource without the fields that are null in both:
// the JSON merge patch of kubectl removes a field only when its null is new (rules/apply: custom resources).
func withoutOldNulls(last, config *yaml.Node) (_, _ *yaml.Node) {
	if last == nil || last.Kind != yaml.MappingNode || config.Kind != yaml.MappingNode {
		return last, config
	}
	for key, v := range yamlnode.Pairs(config) {
		was := yamlnode.Field(last, key.Value)
		switch {
		case was == nil:
		case yamlnode.IsNull(v) && yamlnode.IsNull(was):
			isIt := func(name string) bool { return name == key.Value }
			last, config = yamlnode.Without(last, isIt), yamlnode.Without(config, isIt)
		case v.Kind == yaml.MappingNode:
			newLast, newConfig := withoutOldNulls(was, v)
			last, config = yamlnode.Put(last, nil, key.Value, newLast), yamlnode.Put(config, nil, key.Value, newConfig)
		}
	}
	return last, config
}

// comparedLast returns the last applied config as it is compared with the new one.
func (r *reading) comparedLast(last, upstream *yaml.Node) *yaml.Node {
	last = r.compared(last)
	if converted, ok := r.inLiveVersion(last); ok {
		last = converted
	}
	if was, is := apiVersionOf(last), apiVersionOf(upstream); was != "" && was != is && !r.run.objects[r.match.ID].otherVersion {
		r.warn("last applied as %s, and config is %s: the fields of both are compared by their names", was, is)
	}
	r.foldSecrets(&last, upstream)
	return last
}

// withLive returns the last applied config with the annotation of the live object. It warns of an object without one.
func (r *reading) withLive(last *yaml.Node) *yaml.Node {
	l := r.trees[identity.Local]
	if last != nil {
		return annotated(last, lastapplied.Annotation, yamlnode.String(yamlnode.Annotation(l, lastapplied.Annotation)))
	}
	if l != nil {
		r.warn("the live object has no annotation %s: no field counts as removed from config", lastapplied.Annotation)
	}
	return nil
}

// inVersion returns config in live's version. Where that is not known, the object is left out with a warning.
func (r *reading) inVersion(config *yaml.Node) *yaml.Node {
	converted, ok := r.inLiveVersion(config)
	if !ok {
		r.run.objects[r.match.ID].otherVersion = true
		r.warn("%s", r.otherVersion(config))
		return config
	}
	return converted
}

// check finds the reasons for which kubectl or the server refuses config as it is.
func (r *reading) check(config *yaml.Node, serverSide bool) {
	live, o := r.trees[identity.Local], r.run.objects[r.match.ID]
	o.unowned = live != nil && len(yamlnode.Elements(yamlnode.Lookup(live, "metadata", "managedFields"))) == 0
	o.stale = slices.Concat(o.missing, preconditions(config, live, serverSide), r.run.fields.Undecodable(r.run.kindOf(r.match), config, live, serverSide, r.run.plan == nil))
}

// appliedTo returns the config that was applied last to the live object on a side, nil if it is not recorded.
func (r *reading) appliedTo(side identity.Side) (*yaml.Node, error) {
	l := r.trees[side]
	if l == nil {
		return nil, nil
	}
	last, err := lastapplied.Read(yamlnode.Annotation(l, lastapplied.Annotation))
	if err != nil {
		return nil, fmt.Errorf("%s: annotation %s: %w", r.match.Versions[side], lastapplied.Annotation, err)
	}
	return last, nil
}

// owned makes config comparable as a server does: without comments and the server's fields (rules/apply: fields of the
// server). There is no origin: the live object's managedFields record the applied fields (rules/server-side-apply:
// owned fields).
func (r *reading) owned() error {
	config, err := r.readConfig()
	if err != nil {
		return err
	}
	r.check(config, true)
	if r.run.strategy.isHelm() {
		config = withRelease(config, r.trees[identity.Local])
	}
	r.run.objects[r.match.ID].sent = config
	claimed := yamlnode.Lookup(config, "metadata", "managedFields")
	upstream := filled(r.inVersion(r.compared(config)), r.trees[identity.Local], filledIn[0])
	if claimed != nil { // refused later
		upstream = yamlnode.Put(upstream, nil, "metadata", yamlnode.Put(yamlnode.MapOf(yamlnode.Field(upstream, "metadata")), nil, "managedFields", claimed))
	}
	r.trees[identity.Upstream] = inOrderOf(upstream, r.trees[identity.Local])
	return nil
}

// inOrderOf returns config with the fields of its maps that the live object has, too, in the order of that one: an object has no
// order of fields, and a list that an apply replaces whole then differs from the live one only where its values do.
func inOrderOf(config, live *yaml.Node) *yaml.Node {
	if config == nil || live == nil || config.Kind != live.Kind || config.Kind == yaml.ScalarNode {
		return config
	}
	out := *config
	out.Content = slices.Clone(config.Content)
	if config.Kind == yaml.SequenceNode {
		named := map[string]*yaml.Node{}
		for _, l := range live.Content {
			named[yamlnode.Text(yamlnode.Field(l, "name"))] = l
		}
		delete(named, "")
		for i, e := range config.Content {
			same := named[yamlnode.Text(yamlnode.Field(e, "name"))]
			if same == nil && i < len(live.Content) {
				same = live.Content[i]
			}
			out.Content[i] = inOrderOf(e, same)
		}
		return &out
	}
	index := yamlnode.Indices(live)
	type entry struct {
		key, value *yaml.Node
		at         int
	}
	var places []int // in config, of the fields that both have
	var entries []entry
	for i := 0; i+1 < len(config.Content); i += 2 {
		if at := index(config.Content[i].Value); at >= 0 {
			places, entries = append(places, i), append(entries, entry{config.Content[i], inOrderOf(config.Content[i+1], live.Content[at+1]), at})
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.at, b.at) })
	for i, e := range entries {
		out.Content[places[i]], out.Content[places[i]+1] = e.key, e.value
	}
	return &out
}

// readConfig returns the config as kubectl reads it: with its namespace, without comments, and with the plain words of
// YAML 1.1 as booleans.
func (r *reading) readConfig() (*yaml.Node, error) {
	m := r.match
	n, err := merge.Expand(r.trees[identity.Upstream])
	if fault := (*merge.Fault)(nil); errors.As(err, &fault) {
		fault.Side = identity.Upstream
		return nil, fault
	}
	n = r.asKubectl(n)
	metadata := yamlnode.Field(n, "metadata")
	if m.ID.Namespace != "" && yamlnode.Text(yamlnode.Field(metadata, "namespace")) == "" {
		n = yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "namespace", yamlnode.String(m.ID.Namespace)))
	}
	return r.withMutations(r.withOwner(n)), nil
}

// compared returns config without its status and the fields of metadata that only the server sets: they are never
// compared, and never a change (rules/apply: fields of the server).
func (r *reading) compared(n *yaml.Node) *yaml.Node {
	apiVersion := apiVersionOf(n)
	group := identity.Group(apiVersion)
	ofExtension := group == "apiextensions.k8s.io" || group == "apiregistration.k8s.io" // which client-go's schema lacks
	if ofExtension || r.schema.HasStatus(group, identity.Version(apiVersion), r.match.ID.Kind) {
		n = yamlnode.Without(n, func(name string) bool { return name == "status" })
	}
	metadata := yamlnode.Field(n, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode {
		return n
	}
	return yamlnode.WithField(n, "metadata", yamlnode.Without(metadata, func(name string) bool {
		switch name {
		case "uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds":
			return true
		}
		return name == "namespace" && r.match.ID.Namespace == ""
	}))
}

// asKubectl returns a copy of a tree without aliases as kubectl reads it, which knows YAML 1.1: a plain yes, no, on,
// off, y or n is a boolean, with a warning (rules/apply: config). Comments go, and collections are in block style.
func (r *reading) asKubectl(n *yaml.Node) *yaml.Node {
	out := *n
	out.HeadComment, out.LineComment, out.FootComment = "", "", ""
	out.Style &^= yaml.FlowStyle
	if n.Kind == yaml.ScalarNode {
		r.scalarAsKubectl(&out)
		return &out
	}
	out.Content = make([]*yaml.Node, len(n.Content))
	for i, c := range n.Content {
		out.Content[i] = r.asKubectl(c)
		if key := out.Content[i]; n.Kind == yaml.MappingNode && i%2 == 0 && key.ShortTag() != "!!str" { // JSON has text for keys
			key.Tag, key.Style = "!!str", yaml.DoubleQuotedStyle
		}
	}
	return &out
}

// scalarAsKubectl changes a scalar to kubectl's reading: a plain word is a boolean, an integer is decimal, and a
// timestamp is text.
func (r *reading) scalarAsKubectl(n *yaml.Node) {
	if value, is := parseBoolean(n); is {
		r.warn("config has the plain word %s, which kubectl reads as a boolean; quote it if it is text", n.Value)
		n.Tag, n.Value, n.Style = "!!bool", value, 0
	}
	switch n.ShortTag() {
	case "!!timestamp":
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle
	case "!!int":
		var number int64
		if n.Decode(&number) == nil {
			n.Value = strconv.FormatInt(number, 10)
		}
	}
}

// parseBoolean returns the boolean of a plain word of YAML 1.1.
func parseBoolean(n *yaml.Node) (value string, is bool) {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle | yaml.TaggedStyle
	if n.Style&quoted != 0 || n.ShortTag() != "!!str" {
		return "", false
	}
	boolean, is := yamlnode.BooleanWord(n.Value)
	if lower := strings.ToLower(n.Value); !is || n.Value != lower && n.Value != strings.ToUpper(lower) && n.Value != strings.ToUpper(lower[:1])+lower[1:] {
		return "", false
	}
	return strconv.FormatBool(boolean), true
}

func apiVersionOf(n *yaml.Node) string { return yamlnode.Text(yamlnode.Field(n, "apiVersion")) }

// annotated returns a resource with an annotation; a new one comes last.
func annotated(n *yaml.Node, name string, v *yaml.Node) *yaml.Node {
	metadata := yamlnode.MapOf(yamlnode.Field(n, "metadata"))
	annotations := yamlnode.MapOf(yamlnode.Field(metadata, "annotations"))
	return yamlnode.Put(n, nil, "metadata", yamlnode.Put(metadata, nil, "annotations", yamlnode.Put(annotations, nil, name, v)))
}

// foldSecrets folds stringData of a Secret in last-applied into data, as far as config has the keys too: a key that is
// gone from stringData stays in the data of the live object (rules/apply: secrets), which is a warning.
func (r *reading) foldSecrets(last **yaml.Node, config *yaml.Node) {
	if r.match.ID.Kind != "Secret" || r.match.ID.Group != "" {
		return
	}
	data := func(n *yaml.Node) func(name string) *yaml.Node { return yamlnode.Fields(yamlnode.Field(n, "data")) }
	has := data(folded(config, nil))
	was := yamlnode.Field(*last, "stringData")
	*last = folded(*last, func(name string) bool { return has(name) != nil })
	live, applied := data(r.trees[identity.Local]), data(*last)
	for _, name := range yamlnode.Names(yamlnode.MapOf(was)) {
		if has(name) == nil && live(name) != nil && applied(name) == nil {
			r.warn("data.%s stays: removing a key from stringData does not remove it from data", name)
		}
	}
}

// folded returns a Secret with its chosen stringData in data, as the server stores it; any other resource unchanged.
func folded(n *yaml.Node, chosen func(name string) bool) *yaml.Node {
	if yamlnode.Text(yamlnode.Field(n, "kind")) != "Secret" || apiVersionOf(n) != "v1" {
		return n
	}
	source := yamlnode.Field(n, "stringData")
	if source == nil {
		return n
	}
	var fields []*yaml.Node
	for key, v := range yamlnode.Pairs(source) {
		v = yamlnode.Resolve(v)
		if chosen != nil && !chosen(key.Value) || v.ShortTag() == "!!null" {
			continue
		}
		encoded := yamlnode.String(base64.StdEncoding.EncodeToString([]byte(v.Value)))
		fields = append(fields, yamlnode.String(key.Value), encoded)
	}
	data := yamlnode.PutAll(yamlnode.MapOf(yamlnode.Field(n, "data")), fields)
	n = yamlnode.Without(n, func(name string) bool { return name == "stringData" })
	if len(fields) > 0 {
		n = yamlnode.Put(n, source, "data", data)
	}
	return n
}

// filledIn are fields that a server fills in if config has the empty text there, by kind and path: the address of a
// Service, and the type of a Secret (rules/apply: defaults). A server-side apply compares the type as it is written.
var filledIn = [2][]string{{"Service", "spec", "clusterIP"}, {"Secret", "type"}}

// filled returns config with live's value of a field that config has empty.
func filled(config, live *yaml.Node, field []string) *yaml.Node {
	kind, path := field[0], field[1:]
	value, has := yamlnode.Lookup(live, path...), yamlnode.Lookup(config, path...)
	if value == nil || has == nil || has.Kind != yaml.ScalarNode || has.Value != "" || apiVersionOf(config) != "v1" ||
		yamlnode.Text(yamlnode.Field(config, "kind")) != kind || yamlnode.Text(yamlnode.Lookup(config, "spec", "type")) == "ExternalName" {
		return config
	}
	return yamlnode.Set(config, nil, value, path...)
}

// withRelease returns config with the release of the live object, as helm upgrade sets it: helm template leaves it out.
func withRelease(config, live *yaml.Node) *yaml.Node {
	for _, name := range [2]string{"meta.helm.sh/release-name", "meta.helm.sh/release-namespace"} {
		if value := yamlnode.Annotation(live, name); value != "" {
			config = annotated(config, name, yamlnode.String(value))
		}
	}
	const label = "app.kubernetes.io/managed-by"
	if yamlnode.Text(yamlnode.Lookup(live, "metadata", "labels", label)) != "Helm" {
		return config
	}
	metadata := yamlnode.MapOf(yamlnode.Field(config, "metadata"))
	labels := yamlnode.Put(yamlnode.MapOf(yamlnode.Field(metadata, "labels")), nil, label, yamlnode.String("Helm"))
	return yamlnode.Put(config, nil, "metadata", yamlnode.Put(metadata, nil, "labels", labels))
}
