package overlay

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/transform"
	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// fileTexts are the contents of the files of base and fork by name.
type fileTexts struct{ base, fork map[string][]byte }

func readTexts(base pkgmerge.Package, result *pkgmerge.Result, inBase, inFork documents) (t fileTexts, err error) {
	if t.base, err = textsOf(base.Files, inBase); err != nil {
		return t, err
	}
	files, _ := result.Files() // an error says that the packages were not made of files
	t.fork, err = textsOf(files, inFork)
	return t, err
}

// textsOf returns the texts of files, or of the documents of a package that was not made of files.
func textsOf(files []pkgmerge.File, d documents) (map[string][]byte, error) {
	if len(files) == 0 {
		return d.texts()
	}
	out := map[string][]byte{}
	for _, f := range files {
		out[f.Name] = f.Data
	}
	return out, nil
}

// texts encodes the documents of each file.
func (d documents) texts() (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, nodes := range d {
		var all [][]byte
		for _, n := range nodes {
			text, err := encode(n)
			if err != nil {
				return nil, err
			}
			all = append(all, text)
		}
		out[name] = bytes.Join(all, []byte("---\n"))
	}
	return out, nil
}

func (t fileTexts) differ(file string) bool { return !bytes.Equal(t.base[file], t.fork[file]) }

// carryKustomizations adds the changes of the fork's kustomization to the overlay's, with the files
// that they need, and lists the changes of it and of kustomizations below it that the overlay
// cannot express (rules/overlay: the fork's kustomization). It returns the copied files.
func (m *maker) carryKustomizations(base, fork tree, files fileTexts) (copied map[string]bool) {
	if fork.root() == nil && base.root() == nil {
		return nil
	}
	for _, field := range carryFields(m.kustomization, base.withoutUndone(fork), fork.root(), files.differ) {
		m.addUnexpressed("kustomization.yaml", field, "it differs, and a kustomization over the base cannot express that")
	}
	m.carryGeneratorOptions(yamlnode.Field(base.root(), "generatorOptions"), yamlnode.Field(fork.root(), "generatorOptions"))
	m.carryRemotes(base, fork)
	m.compareDirectories(base, fork)
	return m.copyFiles(files)
}

// compareDirectories compares the kustomizations below the root. One that only the base builds counts if the fork builds
// a resource of its directory in another way.
func (m *maker) compareDirectories(base, fork tree) {
	for _, k := range fork.below() {
		m.compareBelow(k.dir, base.kustomization(k.dir), k.node)
	}
	for _, k := range base.below() {
		isUsed := func(p *pair) bool {
			return p.base != nil && p.fork != nil && strings.HasPrefix(p.change.Versions[identity.Upstream].File, k.dir+"/")
		}
		if fork.kustomization(k.dir) == nil && slices.ContainsFunc(m.pairs, isUsed) {
			m.compareBelow(k.dir, k.node, nil)
		}
	}
}

// transformOwnFiles applies the fields of the fork's kustomization to the fork's own files, as far
// as applying them to the base again changes nothing.
func (m *maker) transformOwnFiles(top *yaml.Node) {
	if !m.hasOwn {
		return
	}
	for _, field := range yamlnode.Names(top) {
		switch field {
		case "namespace", "labels", "commonLabels", "commonAnnotations", "images":
			if yamlnode.Field(m.kustomization, field) == nil {
				addField(m.kustomization, field, yamlnode.Field(top, field))
				continue
			}
			*m.kustomization = *yamlnode.WithField(m.kustomization, field, yamlnode.Field(top, field))
		case "namePrefix", "nameSuffix":
			if merge.Same(yamlnode.Field(m.kustomization, field), yamlnode.Field(top, field)) {
				continue
			}
			m.addUnexpressed("kustomization.yaml", field, "the base has it, and the copy's own files do not get it")
		}
	}
}

// carriesPatches reports whether the overlay has patches of the fork's kustomization.
func (m *maker) carriesPatches() bool {
	return slices.ContainsFunc([]string{"patches", "patchesStrategicMerge", "patchesJson6902"}, func(field string) bool {
		return len(yamlnode.Elements(yamlnode.Field(m.kustomization, field))) > 0
	})
}

// addPatches puts the patches that make the fork's resources before the patches of the fork's kustomization, which change
// these resources. The field patchesStrategicMerge would come before all.
func (m *maker) addPatches(patches []*yaml.Node) {
	if len(patches) == 0 {
		return
	}
	all := slices.Clone(patches)
	for _, e := range yamlnode.Elements(yamlnode.Field(m.kustomization, "patchesStrategicMerge")) {
		field, entry := "path", yamlnode.EmptyMap()
		if strings.Contains(e.Value, "\n") {
			field = "patch"
		}
		addField(entry, field, e)
		all = append(all, entry)
	}
	all = append(all, yamlnode.Elements(yamlnode.Field(m.kustomization, "patches"))...)
	*m.kustomization = *yamlnode.Without(m.kustomization, func(field string) bool { return field == "patches" || field == "patchesStrategicMerge" })
	addTo(m.kustomization, "patches", all...)
}

// carryGeneratorOptions adds the fork's generatorOptions if the overlay generates anything.
func (m *maker) carryGeneratorOptions(base, fork *yaml.Node) {
	generates := yamlnode.Field(m.kustomization, "configMapGenerator") != nil || yamlnode.Field(m.kustomization, "secretGenerator") != nil
	switch {
	case generates && fork != nil:
		addField(m.kustomization, "generatorOptions", fork)
	case !merge.Same(base, fork):
		m.addUnexpressed("kustomization.yaml", "generatorOptions", "it differs, and a kustomization over the base cannot express that")
	}
}

// carryRemotes adds the remote targets that only the fork lists, and names other differences in the
// entries outside of the package.
func (m *maker) carryRemotes(base, fork tree) {
	inBase, inFork := base.entriesOutside(), fork.entriesOutside()
	for _, entry := range inFork {
		switch {
		case slices.Contains(inBase, entry):
		case transform.IsRemote(entry):
			addTo(m.kustomization, "resources", yamlnode.String(entry))
		default:
			m.addUnexpressed("kustomization.yaml", "resources", entry+" is not in the package")
		}
	}
	for _, entry := range inBase {
		if !slices.Contains(inFork, entry) {
			m.addUnexpressed("kustomization.yaml", "resources", entry+" is not in the copy's, and cannot be taken off the base's")
		}
	}
}

// entriesOutside returns the entries of the root's resources that are not in the package.
func (t tree) entriesOutside() (out []string) {
	for _, field := range [2]string{"resources", "bases"} {
		for _, e := range yamlnode.Elements(yamlnode.Field(t.root(), field)) {
			if name := path.Clean(e.Value); !t.files[name] && t.kustomization(name) == nil {
				out = append(out, e.Value)
			}
		}
	}
	return out
}

// compareBelow names the fields that differ in a kustomization below the root, nil on a side that does not build it.
func (m *maker) compareBelow(dir string, base, fork *yaml.Node) {
	names := append(yamlnode.Names(base), yamlnode.Names(fork)...)
	slices.Sort(names)
	for _, field := range slices.Compact(names) {
		switch field {
		case "apiVersion", "kind", "metadata", "resources", "bases":
			continue
		}
		if !merge.Same(yamlnode.Field(base, field), yamlnode.Field(fork, field)) {
			m.addUnexpressed(path.Join(dir, "kustomization.yaml"), field, "it differs, and the overlay has one kustomization for the whole package")
		}
	}
}

// copyFiles copies the fork's files that the overlay's kustomization reads into the overlay. An
// entry that reads a missing file, or patches a resource that upstream dropped, is named and removed.
func (m *maker) copyFiles(files fileTexts) (copied map[string]bool) {
	copied = map[string]bool{}
	for _, field := range [5]string{"configMapGenerator", "secretGenerator", "patches", "patchesStrategicMerge", "patchesJson6902"} {
		list := yamlnode.Field(m.kustomization, field)
		if list == nil {
			continue
		}
		var kept []*yaml.Node
		for _, e := range list.Content {
			names := referencedFiles(field, e)
			if missing := slices.IndexFunc(names, func(name string) bool { return files.fork[name] == nil }); missing >= 0 {
				m.addUnexpressed("kustomization.yaml", field, names[missing]+", which it reads, is not in the package")
				continue
			}
			if dropped := m.droppedTarget(field, e, files); dropped != "" {
				m.addUnexpressed("kustomization.yaml", field, "upstream dropped "+dropped+", which it patches")
				continue
			}
			kept = append(kept, e)
			m.copyNamed(names, files, copied)
		}
		m.kustomization.Content = yamlnode.Without(m.kustomization, func(name string) bool { return name == field && kept == nil }).Content
		list.Content = kept
	}
	return copied
}

// droppedTarget names the resource that an entry of patches is for and that upstream dropped, "" if there is none. Kustomize
// refuses a patch without its resource, but one whose target selects none.
func (m *maker) droppedTarget(field string, e *yaml.Node, files fileTexts) string {
	if !strings.HasPrefix(field, "patches") || yamlnode.Field(e, "target") != nil {
		return ""
	}
	text := []byte(e.Value + yamlnode.Text(yamlnode.Field(e, "patch")))
	if names := referencedFiles(field, e); len(names) > 0 {
		text = files.fork[names[0]]
	}
	patches, err := pkgmerge.NewPackage([]pkgmerge.File{{Name: "patches.yaml", Data: text}})
	if err != nil {
		return ""
	}
	for _, r := range patches.Resources {
		if m.isDropped(r.Meta.Kind, r.Meta.Name) {
			return wording.Object(r.Meta.Kind, r.Meta.Namespace, r.Meta.Name)
		}
	}
	return ""
}

// isDropped reports whether upstream dropped a resource of a kind and name, and the overlay builds no other one.
func (m *maker) isDropped(kind, name string) bool {
	isIt := func(n *yaml.Node) bool {
		return n != nil && yamlnode.MetaOf(n).Kind == kind && yamlnode.MetaOf(n).Name == name
	}
	dropped := func(p *pair) bool { return p.isDroppedUpstream() && isIt(p.versions[identity.Local]) }
	built := func(p *pair) bool { return p.isBuilt() && (isIt(p.base) || isIt(p.fork)) }
	return slices.ContainsFunc(m.pairs, dropped) && !slices.ContainsFunc(m.pairs, built)
}

// copyNamed copies files of the fork into the overlay, each once.
func (m *maker) copyNamed(names []string, files fileTexts, copied map[string]bool) {
	for _, name := range names {
		if !copied[name] {
			m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: files.fork[name]})
			m.fileNames[strings.TrimSuffix(path.Base(name), path.Ext(name))] = true
			copied[name] = true
		}
	}
}

// referencedFiles returns the files that an entry of a field reads.
func referencedFiles(field string, e *yaml.Node) []string {
	switch {
	case strings.HasSuffix(field, "Generator"):
		return generatorFiles(e)
	case e.Kind == yaml.ScalarNode && !strings.Contains(e.Value, "\n"):
		return []string{path.Clean(e.Value)}
	case yamlnode.Field(e, "path") != nil:
		return []string{path.Clean(yamlnode.Text(yamlnode.Field(e, "path")))}
	}
	return nil
}

// baseKustomization returns the kustomization that a package without one needs (rules/overlay: the base).
func baseKustomization(p pkgmerge.Package, t tree) *yaml.Node {
	k, listed := newKustomization(), map[string]bool{}
	for _, r := range p.Resources {
		if t.files[r.File] && !listed[r.File] {
			listed[r.File] = true
			addTo(k, "resources", yamlnode.String(r.File))
		}
	}
	return k
}

func newKustomization() *yaml.Node {
	return newMapping("apiVersion", "kustomize.config.k8s.io/v1beta1", "kind", "Kustomization")
}

// addTo adds elements to the list in a field of a kustomization.
func addTo(k *yaml.Node, name string, elements ...*yaml.Node) {
	list := yamlnode.Field(k, name)
	if list == nil {
		list = newList()
		addField(k, name, list)
	}
	list.Content = append(list.Content, elements...)
}

func newList() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"} }

// addField adds a field to a mapping.
func addField(mapping *yaml.Node, name string, v *yaml.Node) {
	mapping.Content = append(mapping.Content, yamlnode.String(name), v)
}

// newMapping returns a mapping of names and strings in turn, without the fields that are "".
func newMapping(fields ...string) *yaml.Node {
	out := yamlnode.EmptyMap()
	for field := range slices.Chunk(fields, 2) {
		if field[1] != "" {
			addField(out, field[0], yamlnode.String(field[1]))
		}
	}
	return out
}
