package values

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	yamlnodes "go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Release is a chart that a manifest installs, with the values that the manifest has for it (rules/values: manifests).
type Release struct {
	// Name is the kind and name of the object, or the name of the release, and File the manifest.
	Name, File string
	// Repository is the URL of the chart's repository, of an artifact with oci:// in front, or of a git repository; "" if it is not
	// known. Chart is the chart's name, or its path in a git repository or, with a Repository that is no URL, from the manifest's directory.
	Repository, Chart string
	// IsGit says that the repository is one of git.
	IsGit bool
	// Version is the chart's version, "" if the manifest has none.
	Version string
	// Base is the release of the manifest that this one changes for some clusters, nil if it is one by itself.
	Base *Release
	// Unread has a sentence about each values file outside of the manifest, and Missing the names of the ones that are files.
	Unread, Missing []string

	version *part
	// isTag says that the version is the tag of an artifact, which has a _ in place of a +.
	isTag  bool
	values []*part
	// templateVersion is a sentence about a version that a template sets, "" if none does.
	templateVersion string
	// inFile is the number of the values of a fleet.yaml and of its values files; those of the cluster come after them.
	inFile int
}

// part is a part of a file: the values of a release, or its version.
type part struct {
	file       string
	start, end int
	// text is the part as a values file, and number the number of the lines above it. indent is in front of each line but the first.
	text   []byte
	number int
	indent string
	// outdented has the lines with a smaller indentation, such as comments, by their texts.
	outdented map[string]string
	// outer has the aliases of anchors that stand elsewhere in the file, by the values in their places.
	outer map[string]string
	// shared are the lines of the file with values that an alias outside of the part has.
	shared map[int]bool
	// isFixed says that the part is written in a way that is not edited, such as a text in base64.
	isFixed bool
}

// manifests are files with releases and the objects that they refer to.
type manifests struct {
	files   map[string][]byte
	objects []manifestObject
	// actions are the places of {{ }} in helmfiles, which are templates.
	actions map[string][][]int
}

// manifestObject is an object, or a document without a kind, in a file.
type manifestObject struct {
	file string
	node *yamlnodes.Node
}

func (o manifestObject) text(path ...string) string { return textAt(o.node, path...) }

func textAt(n *yamlnodes.Node, path ...string) string {
	if n = yamlnode.Lookup(n, path...); n != nil && n.Kind == yamlnodes.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

// Releases returns the releases in files. The files may be values files, too, and other files that a release names; those without
// a release are none of an error.
func Releases(files []pkgmerge.File) (found []*Release, err error) {
	m := manifests{files: map[string][]byte{}, actions: map[string][][]int{}}
	for _, f := range files {
		m.files[f.Name] = f.Data
	}
	for _, f := range files {
		if !slices.Contains([]string{".yaml", ".yml", ".gotmpl"}, path.Ext(f.Name)) && len(files) > 1 {
			continue
		}
		if err := m.read(f); err != nil && mayHaveRelease(f.Data) {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	for _, o := range m.objects {
		for _, r := range m.releasesOf(o) {
			r.File = o.file
			found = append(found, r)
		}
	}
	return found, nil
}

// mayHaveRelease reports whether a text names a kind of a release.
func mayHaveRelease(text []byte) bool {
	for _, kind := range []string{"kind: HelmRelease", "kind: Application", "helmCharts:"} {
		if bytes.Contains(text, []byte(kind)) {
			return true
		}
	}
	return false
}

// read reads the objects of a file, also those of lists.
func (m *manifests) read(f pkgmerge.File) error {
	data := f.Data
	if bytes.HasPrefix(data, []byte("releases:")) || bytes.Contains(data, []byte("\nreleases:")) {
		data, m.actions[f.Name] = withoutActions(data)
	}
	decoder := yamlnodes.NewDecoder(bytes.NewReader(data))
	for {
		var document yamlnodes.Node
		if err := yamlnode.Decode(decoder, &document); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if len(document.Content) > 0 {
			m.add(f.Name, document.Content[0])
		}
	}
}

func (m *manifests) add(file string, n *yamlnodes.Node) {
	m.objects = append(m.objects, manifestObject{file, n})
	if kind := textAt(n, "kind"); kind == "List" || kind == "ResourceList" {
		for _, item := range yamlnode.Elements(yamlnode.Lookup(n, "items")) {
			m.add(file, item)
		}
	}
}

// object returns the object of a kind and name, in a namespace if both have one.
func (m *manifests) object(kind, name, namespace string) (manifestObject, bool) {
	for _, o := range m.objects {
		in := o.text("metadata", "namespace")
		if o.text("kind") == kind && o.text("metadata", "name") == name && (in == namespace || in == "" || namespace == "") {
			return o, true
		}
	}
	return manifestObject{}, false
}

// referred returns the object that a reference names, in its namespace, else in that of the object with the reference.
func (m *manifests) referred(ref *yamlnodes.Node, namespace string) (manifestObject, bool) {
	return m.object(textAt(ref, "kind"), textAt(ref, "name"), cmp.Or(textAt(ref, "namespace"), namespace))
}

// releasesOf returns the releases of an object.
func (m *manifests) releasesOf(o manifestObject) []*Release {
	group, _, _ := strings.Cut(o.text("apiVersion"), "/")
	kind := o.text("kind")
	switch {
	case kind == "HelmRelease" && group == "helm.toolkit.fluxcd.io":
		return []*Release{m.fluxRelease(o)}
	case kind == "Application" && group == "argoproj.io":
		return m.argoReleases(o, yamlnode.Lookup(o.node, "spec"))
	case kind == "ApplicationSet" && group == "argoproj.io":
		return m.argoReleases(o, yamlnode.Lookup(o.node, "spec", "template", "spec"))
	case kind == "Kustomization" && group != "kustomize.toolkit.fluxcd.io", kind == "" && yamlnode.Lookup(o.node, "helmCharts") != nil:
		return m.kustomizeReleases(o)
	case kind == "" && (isFleetFile(o.file) || yamlnode.Lookup(o.node, "helm") != nil):
		return m.fleetReleases(o)
	case kind == "" && slices.ContainsFunc(yamlnode.Elements(yamlnode.Lookup(o.node, "releases")), func(r *yamlnodes.Node) bool { return textAt(r, "chart") != "" }):
		return m.helmfileReleases(o)
	}
	return nil
}

// isTemplate reports whether a node of a file has an action, or stands between the lines of one.
func (m *manifests) isTemplate(file string, n *yamlnodes.Node) bool {
	if n == nil || len(m.actions[file]) == 0 {
		return false
	}
	data := m.files[file]
	start := placeOf(data, n.Line, n.Column)
	end := start + len(bytes.TrimRight(lineAt(data, start), "\n"))
	switch {
	case n.Kind == yamlnodes.MappingNode && n.Style&yamlnodes.FlowStyle == 0:
		p := part{start: start}
		p.cut(data, n.Column-1, nil)
		end = p.end
	case n.Kind == yamlnodes.MappingNode:
		end = start + flowLength(data[start:])
	}
	return slices.ContainsFunc(m.actions[file], func(at []int) bool { return at[0] < end && start < at[1] })
}

// addFile adds a values file beside a manifest.
func (m *manifests) addFile(r *Release, manifest, name string) {
	if name == "" {
		return
	}
	file := path.Join(path.Dir(manifest), name)
	data, found := m.files[file]
	if !found {
		r.Unread = append(r.Unread, fmt.Sprintf("%s: its values file %s is not among these files; give the directory", r.Name, name))
		r.Missing = append(r.Missing, file)
		return
	}
	if bytes.HasPrefix(data, []byte("sops:")) || bytes.Contains(data, []byte("\nsops:")) {
		r.Unread = append(r.Unread, fmt.Sprintf("%s: its values file %s is encrypted and is not read", r.Name, name))
		return
	}
	r.values = append(r.values, &part{file: file, end: len(data), text: data})
}

// setVersion sets the version of a release, and where it stands.
func (m *manifests) setVersion(r *Release, file string, n *yamlnodes.Node) {
	if n == nil || n.Kind != yamlnodes.ScalarNode {
		return
	}
	r.Version, r.version = n.Value, nil
	if r.isTag {
		r.Version = strings.ReplaceAll(r.Version, "_", "+")
	}
	data := m.files[file]
	start := placeOf(data, n.Line, n.Column)
	if n.Style&(yamlnodes.DoubleQuotedStyle|yamlnodes.SingleQuotedStyle) != 0 {
		start++
	}
	if bytes.HasPrefix(data[start:], []byte(n.Value)) {
		r.version = &part{file: file, start: start, end: start + len(n.Value)}
	}
}

// addValues adds values that stand in a manifest: a map, or a text.
func (m *manifests) addValues(r *Release, file string, n *yamlnodes.Node) {
	if n == nil || n.Kind == yamlnodes.ScalarNode && n.Value == "" {
		return
	}
	if n.Kind == yamlnodes.AliasNode {
		r.Unread = append(r.Unread, fmt.Sprintf("%s: its values come by an alias and are not read", r.Name))
		return
	}
	data := m.files[file]
	p := &part{file: file, number: n.Line - 1, outer: map[string]string{}}
	below := map[*yamlnodes.Node]bool{}
	places, err := p.replaceAliases(data, n, below)
	p.shared = m.sharedLines(file, below)
	if err != nil {
		r.Unread = append(r.Unread, fmt.Sprintf("%s: the value of an alias in its values cannot be read: %v", r.Name, err))
		return
	}
	switch {
	case n.Kind == yamlnodes.MappingNode && n.Style&yamlnodes.FlowStyle == 0:
		p.start = placeOf(data, n.Line, n.Column)
		p.cut(data, n.Column-1, places)
	case n.Kind == yamlnodes.MappingNode:
		p.start = placeOf(data, n.Line, n.Column)
		p.end = p.start + flowLength(data[p.start:])
		p.text, p.indent = withValues(data, p.start, p.end, places), ""
	case n.Style&yamlnodes.LiteralStyle != 0:
		p.start = placeOf(data, n.Line+1, 1)
		p.number++
		for p.start < len(data) && len(bytes.TrimSpace(lineAt(data, p.start))) == 0 {
			p.start += len(lineAt(data, p.start))
			p.number++
		}
		indent := indentOf(lineAt(data, p.start))
		p.start += indent
		p.cut(data, indent, nil)
	default:
		p.text, p.isFixed = []byte(n.Value), true
	}
	r.values = append(r.values, p)
}

// Values returns the values files of the release, in the order in which helm gets them. Two of one manifest have different names.
func (r *Release) Values() (files []pkgmerge.File) {
	for i, p := range r.values {
		files = append(files, pkgmerge.File{Name: r.nameOf(i), Data: p.text})
	}
	return files
}

// nameOf returns the name of a values file of the release.
func (r *Release) nameOf(i int) string {
	name := r.values[i].file
	if slices.ContainsFunc(r.values[:i], func(p *part) bool { return p.file == name }) {
		return fmt.Sprintf("%s (%d)", name, i+1)
	}
	return name
}

// Compare compares the values of the release with two versions of its chart.
func (r *Release) Compare(origin, upstream *Chart) (*Result, error) {
	compared, err := Compare(origin, upstream, r.Values())
	if err != nil {
		for _, p := range r.values { // with the lines of the manifest
			placed := pkgmerge.File{Name: p.file, Data: append(bytes.Repeat([]byte("\n"), p.number), p.text...)}
			if _, unread := readUserFile(placed); unread != nil {
				err = unread
				break
			}
		}
		return nil, fmt.Errorf("%s: %w", r.Name, err)
	}
	compared.Name = r.Name
	if compared.Unread = append(compared.Unread, r.Unread...); len(r.Unread) > 0 {
		compared.Failures = nil // values that were not read may keep the templates from failing
		for _, f := range compared.Findings {
			if f.Class == Redundant {
				f.Class, f.Note = Needed, "it is the new default, and values that are not read may have another one"
			}
		}
	}
	if r.templateVersion != "" && origin != upstream {
		compared.Unread = append(compared.Unread, r.templateVersion)
	}
	fixed := map[string]bool{}
	for i, p := range r.values {
		fixed[r.nameOf(i)] = p.isFixed
		for _, f := range compared.Findings {
			if f.line != nil && f.File == r.nameOf(i) {
				f.line.fixed = f.line.fixed || p.isFixed
				if p.shared[f.Line+p.number] && !f.line.isAnchored {
					f.line.isAnchored = true
					f.noteAnchor()
				}
			}
		}
	}
	for _, f := range compared.Findings {
		switch {
		case f.Class != Renamed:
		case fixed[f.File]:
			f.Note = strings.TrimPrefix(f.Note+"; a value in this form is not edited, so rename it yourself", "; ")
		case fixed[f.OverriddenBy]: // else this value would be the one that counts
			f.line.fixed = true
			f.Note = strings.TrimPrefix(f.Note+"; it moves by hand, with the value that overrides it", "; ")
		}
	}
	return compared, nil
}

// Locate gives the findings of a comparison the lines and the names of the manifests. It is for after the edits.
func (r *Release) Locate(compared *Result) {
	files := map[string]*part{}
	for i, p := range r.values {
		files[r.nameOf(i)] = p
	}
	locate := func(file *string, line *int) {
		p := files[*file]
		switch {
		case p == nil:
		case p.isFixed:
			*file, *line = p.file, p.number+1
		default:
			*file, *line = p.file, *line+p.number
		}
	}
	for _, f := range compared.Findings {
		if p := files[f.OverriddenBy]; p != nil {
			f.OverriddenBy = p.file
		}
		locate(&f.File, &f.Line)
	}
	for i := range compared.Failures {
		locate(&compared.Failures[i].File, &compared.Failures[i].UserLine)
	}
}

// Files returns the names of the files that have the values and the version of the release.
func (r *Release) Files() (names []string) {
	for _, p := range append(slices.Clone(r.values), r.version) {
		if p != nil && !slices.Contains(names, p.file) {
			names = append(names, p.file)
		}
	}
	return names
}

// Replacement is the new text of a part of a file.
type Replacement struct {
	File       string
	Start, End int
	Text       []byte
}

// Replacements returns the changes of the manifests for edited values files of the release, and for a version if it is not "".
func (r *Release) Replacements(edited []pkgmerge.File, version string) (changes []Replacement, err error) {
	for i, p := range r.values {
		if !bytes.Equal(edited[i].Data, p.text) {
			changes = append(changes, Replacement{p.file, p.start, p.end, p.in(edited[i].Data)})
		}
	}
	if version == "" || version == r.Version || r.templateVersion != "" {
		return changes, nil
	}
	if r.version == nil {
		return nil, fmt.Errorf("%s: the manifest has no version of the chart that could be replaced by %s", r.Name, version)
	}
	if r.isTag {
		version = strings.ReplaceAll(version, "+", "_")
	}
	return append(changes, Replacement{r.version.file, r.version.start, r.version.end, []byte(version)}), nil
}

// Replace returns a file with the changes of its parts. Those that are twice, of a file that two releases have, are made once.
func Replace(f pkgmerge.File, changes []Replacement) (pkgmerge.File, error) {
	var own []Replacement
	for _, c := range changes {
		if c.File == f.Name && !slices.ContainsFunc(own, func(o Replacement) bool { return o.Start == c.Start && o.End == c.End && bytes.Equal(o.Text, c.Text) }) {
			own = append(own, c)
		}
	}
	slices.SortFunc(own, func(a, b Replacement) int { return b.Start - a.Start })
	data, above := f.Data, len(f.Data)
	for _, c := range own {
		if c.End > above {
			return f, fmt.Errorf("%s: two releases change one part of it in different ways; give them one by one", f.Name)
		}
		data, above = slices.Concat(data[:c.Start], c.Text, data[c.End:]), c.Start
	}
	f.Data = data
	return f, nil
}
