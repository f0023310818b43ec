package values

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
)

// fluxRelease is a HelmRelease of Flux. The values of valuesFrom come first.
func (m *manifests) fluxRelease(o manifestObject) *Release {
	namespace := o.text("metadata", "namespace")
	r := &Release{Name: "HelmRelease " + o.text("metadata", "name"), Chart: o.text("spec", "chart", "spec", "chart")}
	version, versionFile := yamlnode.Lookup(o.node, "spec", "chart", "spec", "version"), o.file
	source, isFound := m.referred(yamlnode.Lookup(o.node, "spec", "chart", "spec", "sourceRef"), namespace)
	if chart := yamlnode.Lookup(o.node, "spec", "chartRef"); chart != nil {
		source, isFound = m.referred(chart, namespace)
		version, versionFile = nil, source.file
		if isFound && source.text("kind") == "OCIRepository" {
			version, r.isTag = yamlnode.Lookup(source.node, "spec", "ref", "tag"), true
		}
	}
	if isFound {
		r.Repository = source.text("spec", "url")
		r.IsGit = source.text("kind") == "GitRepository"
		if r.IsGit { // the chart is as the repository has it, whatever version the release names
			version, versionFile = gitRef(source.node), source.file
		}
		if source.text("kind") == "OCIRepository" {
			r.Chart, r.Repository = path.Base(r.Repository), strings.TrimSuffix(r.Repository, "/"+path.Base(r.Repository))
		}
	}
	m.setVersion(r, versionFile, version)
	for _, from := range yamlnode.Elements(yamlnode.Lookup(o.node, "spec", "valuesFrom")) {
		if target := textAt(from, "targetPath"); target != "" {
			r.Unread = append(r.Unread, fmt.Sprintf("%s: its value of %s, from %s %s, is not read", r.Name, target, textAt(from, "kind"), textAt(from, "name")))
			continue
		}
		m.addFrom(r, o.file, textAt(from, "kind"), textAt(from, "name"), namespace, textAt(from, "valuesKey"))
	}
	for _, field := range []string{"valuesFile", "valuesFiles"} {
		if yamlnode.Lookup(o.node, "spec", "chart", "spec", field) != nil {
			r.Unread = append(r.Unread, fmt.Sprintf("%s: its %s are in the chart and are not read", r.Name, field))
		}
	}
	m.addValues(r, o.file, yamlnode.Lookup(o.node, "spec", "values"))
	return r
}

// gitRef returns the tag, commit or branch of a GitRepository, nil if it follows a range of versions or the default branch.
func gitRef(repository *yamlnodes.Node) *yamlnodes.Node {
	ref := yamlnode.Lookup(repository, "spec", "ref")
	for _, field := range []string{"commit", "name", "semver", "tag", "branch"} { // which wins, in Flux's order
		if n := yamlnode.Field(ref, field); n != nil {
			return n
		}
	}
	return nil
}

// addFrom adds the values in a ConfigMap or Secret, which a kustomization may generate.
func (m *manifests) addFrom(r *Release, manifest, kind, name, namespace, key string) {
	if key == "" {
		key = "values.yaml"
	}
	if kustomization, file := m.generated(manifest, kind, name, key); file != "" {
		m.addFile(r, kustomization, file)
		return
	}
	o, found := m.object(kind, name, namespace)
	value, isEncoded := yamlnode.Lookup(o.node, "data", key), kind == "Secret"
	if found && value == nil {
		value, isEncoded = yamlnode.Lookup(o.node, "stringData", key), false
	}
	switch {
	case value == nil:
		r.Unread = append(r.Unread, fmt.Sprintf("%s: the values of %s %s are not in these files", r.Name, kind, name))
	case isEncoded:
		text, err := base64.StdEncoding.DecodeString(value.Value)
		if err == nil {
			r.values = append(r.values, &part{file: o.file, text: text, number: value.Line - 1, isFixed: true})
		}
	default:
		m.addValues(r, o.file, value)
	}
}

// generated returns the file with a key of a ConfigMap or Secret, and the kustomization that generates it: that of the manifest's
// directory, else the only one; "" if there is none.
func (m *manifests) generated(manifest, kind, name, key string) (kustomization, file string) {
	field := map[string]string{"ConfigMap": "configMapGenerator", "Secret": "secretGenerator"}[kind]
	several := false
	for _, o := range m.objects {
		for _, made := range yamlnode.Elements(yamlnode.Lookup(o.node, field)) {
			if textAt(made, "name") != name || textAt(made, "behavior") != "" && textAt(made, "behavior") != "create" {
				continue
			}
			for _, n := range yamlnode.Elements(yamlnode.Lookup(made, "files")) {
				to, from, isNamed := strings.Cut(n.Value, "=")
				if !isNamed {
					to, from = path.Base(n.Value), n.Value
				}
				switch {
				case to != key:
				case path.Dir(o.file) == path.Dir(manifest):
					return o.file, from
				default:
					several = several || file != ""
					kustomization, file = o.file, from
				}
			}
		}
	}
	if several {
		return "", ""
	}
	return kustomization, file
}

// argoReleases are the sources of an Application that are charts.
func (m *manifests) argoReleases(o manifestObject, spec *yamlnodes.Node) (found []*Release) {
	sources := yamlnode.Elements(yamlnode.Lookup(spec, "sources"))
	if one := yamlnode.Lookup(spec, "source"); one != nil {
		sources = append(sources, one)
	}
	for _, source := range sources {
		helm := yamlnode.Lookup(source, "helm")
		if helm == nil && textAt(source, "chart") == "" {
			continue
		}
		r := &Release{Name: o.text("kind") + " " + o.text("metadata", "name"), Repository: textAt(source, "repoURL"), Chart: textAt(source, "chart")}
		if r.Chart == "" {
			r.Chart, r.IsGit = textAt(source, "path"), true
		} else if !strings.Contains(r.Repository, "://") {
			r.Repository = "oci://" + r.Repository
		}
		m.setVersion(r, o.file, yamlnode.Lookup(source, "targetRevision"))
		for _, name := range yamlnode.Elements(yamlnode.Lookup(helm, "valueFiles")) {
			ref, file, isFile := strings.Cut(strings.TrimPrefix(name.Value, "$"), "/")
			isRef := slices.ContainsFunc(sources, func(s *yamlnodes.Node) bool { return textAt(s, "ref") == ref })
			if isRef && isFile && name.Value[0] == '$' && !strings.Contains(file, "{{") { // a file of the repository with the manifests, by its path
				m.addFile(r, "", file)
				continue
			}
			r.Unread = append(r.Unread, fmt.Sprintf("%s: its values file %s is not read; give it by itself", r.Name, name.Value))
		}
		if object := yamlnode.Lookup(helm, "valuesObject"); object != nil { // which wins
			m.addValues(r, o.file, object)
		} else {
			m.addValues(r, o.file, yamlnode.Lookup(helm, "values"))
		}
		m.addSettings(r, o.file, yamlnode.Lookup(helm, "parameters"))
		m.addSettings(r, o.file, yamlnode.Lookup(helm, "fileParameters"))
		found = append(found, r)
	}
	return found
}

// kustomizeReleases are the helmCharts of a kustomization.
func (m *manifests) kustomizeReleases(o manifestObject) (found []*Release) {
	for _, chart := range yamlnode.Elements(yamlnode.Lookup(o.node, "helmCharts")) {
		r := &Release{Name: "chart " + textAt(chart, "name"), Repository: textAt(chart, "repo"), Chart: textAt(chart, "name")}
		m.setVersion(r, o.file, yamlnode.Lookup(chart, "version"))
		merge := textAt(chart, "valuesMerge")
		if merge == "merge" { // the file wins
			m.addValues(r, o.file, yamlnode.Lookup(chart, "valuesInline"))
		}
		if merge != "replace" || yamlnode.Lookup(chart, "valuesInline") == nil {
			m.addFile(r, o.file, textAt(chart, "valuesFile"))
		}
		if merge != "merge" {
			m.addValues(r, o.file, yamlnode.Lookup(chart, "valuesInline"))
		}
		for _, name := range yamlnode.Elements(yamlnode.Lookup(chart, "additionalValuesFiles")) {
			m.addFile(r, o.file, name.Value)
		}
		found = append(found, r)
	}
	return found
}

// addSettings adds the values of entries that have a name and a value, as --set of helm: the set of a helmfile, the parameters of Argo CD.
func (m *manifests) addSettings(r *Release, file string, entries *yamlnodes.Node) {
	for _, e := range yamlnode.Elements(entries) {
		name, value := textAt(e, "name"), yamlnode.Field(e, "value")
		isName := regexp.MustCompile(`^[^.,=\[\]{}\\]+(\.[^.,=\[\]{}\\]+)*$`).MatchString(name)
		if !isName || value == nil || value.Kind != yamlnodes.ScalarNode || strings.HasPrefix(value.Value, "{") || m.isTemplate(file, e) || m.isTemplate(file, value) {
			r.Unread = append(r.Unread, fmt.Sprintf("%s: its value of %s in line %d is not read", r.Name, cmp.Or(name, "an entry without a name"), e.Line))
			continue
		}
		of := setValue(value.Value)
		if textAt(e, "forceString") == "true" {
			of = value.Value
		}
		for _, field := range slices.Backward(strings.Split(name, ".")) {
			of = tree{field: of}
		}
		r.values = append(r.values, &part{file: file, text: []byte(wording.JSON(of)), number: e.Line - 1, isFixed: true})
	}
}

// setValue returns the value that --set of helm reads in a text: true, false, null, an integer, or the text.
func setValue(text string) any {
	switch text {
	case "true", "false":
		return text == "true"
	case "null":
		return nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && (text == "0" || text[0] != '0') {
		return n
	}
	return text
}

// fleetReleases are the chart of a fleet.yaml, and each of its targetCustomizations that has values or a chart of its own.
func (m *manifests) fleetReleases(o manifestObject) (found []*Release) {
	main := m.fleetRelease(o, o.node, nil, "")
	if main.Chart != "" {
		found = append(found, main)
	}
	for i, custom := range yamlnode.Elements(yamlnode.Lookup(o.node, "targetCustomizations")) {
		helm := yamlnode.Lookup(custom, "helm")
		isOwn := func(field string) bool { return yamlnode.Field(helm, field) != nil }
		if textAt(custom, "doNotDeploy") == "true" || !slices.ContainsFunc([]string{"values", "valuesFiles", "valuesFrom", "templateValues", "chart", "repo", "version"}, isOwn) {
			continue
		}
		r := m.fleetRelease(o, custom, main, ", customization "+cmp.Or(textAt(custom, "name"), fmt.Sprint(i+1)))
		if main.Chart != "" {
			r.Base = main
		}
		if r.Chart != "" {
			found = append(found, r)
		}
	}
	return found
}

// fleetRelease is the chart of a part of a fleet.yaml, over base if that is not nil. Values files win over values, and those in the cluster
// over both. which is the part's name after that of the chart.
func (m *manifests) fleetRelease(o manifestObject, n *yamlnodes.Node, base *Release, which string) *Release {
	helm := yamlnode.Lookup(n, "helm")
	r := &Release{Repository: textAt(helm, "repo"), Chart: textAt(helm, "chart")}
	if base != nil {
		r.version, r.Version, r.values = base.version, base.Version, slices.Clone(base.values[:base.inFile])
		r.Unread, r.Missing = slices.Clone(base.Unread), slices.Clone(base.Missing)
		r.Repository, r.Chart = cmp.Or(r.Repository, base.Repository), cmp.Or(r.Chart, base.Chart)
	}
	if at := strings.LastIndexByte(r.Chart, '/'); strings.HasPrefix(r.Chart, "oci://") {
		r.Repository, r.Chart = r.Chart[:at], r.Chart[at+1:]
	}
	name := r.Chart
	if own, found := m.chartBeside(o.file); found && (r.Chart == "" && r.Repository == "" || r.Chart == ".") {
		r.Chart, name = ".", own.text("name")
	}
	r.Name = "chart " + name + which
	m.setVersion(r, o.file, yamlnode.Field(helm, "version"))
	m.addValues(r, o.file, yamlnode.Field(helm, "values"))
	for _, name := range yamlnode.Elements(yamlnode.Field(helm, "valuesFiles")) {
		m.addFile(r, o.file, name.Value)
	}
	if yamlnode.Field(helm, "templateValues") != nil {
		r.Unread = append(r.Unread, r.Name+": its templateValues are not read")
	}
	r.inFile = len(r.values)
	if base != nil {
		r.values = append(r.values, base.values[base.inFile:]...)
	}
	for _, from := range yamlnode.Elements(yamlnode.Field(helm, "valuesFrom")) {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			if ref := yamlnode.Field(from, map[string]string{"ConfigMap": "configMapKeyRef", "Secret": "secretKeyRef"}[kind]); ref != nil {
				m.addFrom(r, o.file, kind, textAt(ref, "name"), textAt(ref, "namespace"), textAt(ref, "key"))
			}
		}
	}
	return r
}

func isFleetFile(name string) bool {
	return path.Base(name) == "fleet.yaml" || path.Base(name) == "fleet.yml"
}

// chartBeside returns the Chart.yaml in the directory of a fleet.yaml: Fleet installs that chart if the fleet.yaml names none.
func (m *manifests) chartBeside(fleet string) (manifestObject, bool) {
	at := slices.IndexFunc(m.objects, func(o manifestObject) bool { return o.file == path.Join(path.Dir(fleet), "Chart.yaml") })
	if at < 0 || !isFleetFile(fleet) {
		return manifestObject{}, false
	}
	return m.objects[at], true
}

// helmfileReleases are the releases of a helmfile, whose repositories it has, too, in any of its documents. A helmfile is a template: the
// values that have no {{ }} are read as they stand.
func (m *manifests) helmfileReleases(o manifestObject) (found []*Release) {
	for _, release := range yamlnode.Elements(yamlnode.Lookup(o.node, "releases")) {
		chart := yamlnode.Field(release, "chart")
		if m.isTemplate(o.file, chart) || textAt(chart) == "" {
			continue // nobody knows the chart
		}
		r := &Release{Name: "release " + textAt(release, "name"), Chart: textAt(chart)}
		if m.isTemplate(o.file, yamlnode.Field(release, "name")) {
			r.Name = "release of " + r.Chart
		}
		if at := strings.LastIndexByte(r.Chart, '/'); at > 0 {
			r.Repository, r.Chart = r.Chart[:at], r.Chart[at+1:]
		}
		for _, other := range m.objects {
			for _, repository := range yamlnode.Elements(yamlnode.Lookup(other.node, "repositories")) {
				url := yamlnode.Field(repository, "url")
				if other.file != o.file || textAt(repository, "name") != r.Repository || m.isTemplate(o.file, url) {
					continue
				}
				if r.Repository = textAt(url); textAt(repository, "oci") == "true" {
					r.Repository = "oci://" + r.Repository
				}
			}
		}
		if version := yamlnode.Field(release, "version"); m.isTemplate(o.file, version) {
			r.templateVersion = fmt.Sprintf("%s: its version in line %d has {{ }} of a template; change it where it is set", r.Name, version.Line)
		} else {
			m.setVersion(r, o.file, version)
		}
		for _, values := range yamlnode.Elements(yamlnode.Field(release, "values")) {
			switch {
			case m.isTemplate(o.file, values):
				r.Unread = append(r.Unread, fmt.Sprintf("%s: its values in line %d have {{ }} of a template and are not read", r.Name, values.Line))
			case values.Kind == yamlnodes.ScalarNode:
				m.addFile(r, o.file, values.Value)
			default:
				m.addValues(r, o.file, values)
			}
		}
		for _, name := range yamlnode.Elements(yamlnode.Field(release, "secrets")) {
			r.Unread = append(r.Unread, fmt.Sprintf("%s: its secrets in line %d are encrypted and are not read", r.Name, name.Line))
		}
		for _, field := range []string{"set", "setString", "setTemplate"} {
			m.addSettings(r, o.file, yamlnode.Field(release, field))
		}
		if yamlnode.Field(release, "inherit") != nil || yamlnode.Field(release, "<<") != nil {
			r.Unread = append(r.Unread, r.Name+": the values that it inherits are not read")
		}
		found = append(found, r)
	}
	return found
}
