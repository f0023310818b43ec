package overlay

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/resource-merge/resource-merge/internal/yamlnode"
	"github.com/resource-merge/resource-merge/merge"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// texts are the bytes of files of the base and of the fork, by their names.
type texts struct{ base, fork map[string][]byte }

func textsOf(base pkgmerge.Package, result *pkgmerge.Result, inBase, inFork documents) (t texts, err error) {
	if t.base, err = inBase.texts(); err != nil {
		return t, err
	}
	if t.fork, err = inFork.texts(); err != nil {
		return t, err
	}
	for _, f := range base.Files {
		t.base[f.Name] = f.Data
	}
	if !result.HasFiles() {
		return t, nil
	}
	files, err := result.Files()
	for _, f := range files {
		t.fork[f.Name] = f.Data
	}
	return t, err
}

// texts are the files of which no more than their documents is known.
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

func (t texts) differ(file string) bool { return !bytes.Equal(t.base[file], t.fork[file]) }

// kustomizations brings what the fork's kustomization does into the overlay's, with the files
// that this needs, and says what of it, and of those below, cannot be said there
// (rules/overlay: the fork's kustomization). It returns the files.
func (m *maker) kustomizations(base, fork tree, files texts) (brought map[string]bool) {
	if fork.top() == nil {
		return nil
	}
	for _, field := range carry(m.kustomization, base.top(), fork.top(), files.differ) {
		m.say("kustomization.yaml", field, "it differs, and cannot be said on top of the base")
	}
	m.options(yamlnode.Field(base.top(), "generatorOptions"), yamlnode.Field(fork.top(), "generatorOptions"))
	m.remotes(base, fork)
	for _, k := range fork.tops[1:] {
		if was := base.in(k.dir); was != nil {
			m.below(k.dir, was, k.node)
		}
	}
	return m.bring(files)
}

// also has the overlay do to the fork's own files what the fork's kustomization does to
// them, as far as doing it to the base again changes nothing.
func (m *maker) also(top *yaml.Node) {
	if !m.owns {
		return
	}
	for _, field := range yamlnode.Names(top) {
		switch field {
		case "namespace", "labels", "commonLabels", "commonAnnotations", "images":
			if yamlnode.Field(m.kustomization, field) == nil {
				m.kustomization.Content = append(m.kustomization.Content, yamlnode.String(field), yamlnode.Field(top, field))
				continue
			}
			*m.kustomization = *yamlnode.WithField(m.kustomization, field, yamlnode.Field(top, field))
		case "namePrefix", "nameSuffix":
			m.say("kustomization.yaml", field, "the base has it, and the copy's own files do not get it")
		}
	}
}

// options brings the options of generators along with these.
func (m *maker) options(was, is *yaml.Node) {
	generates := yamlnode.Field(m.kustomization, "configMapGenerator") != nil || yamlnode.Field(m.kustomization, "secretGenerator") != nil
	switch {
	case generates && is != nil:
		m.kustomization.Content = append(m.kustomization.Content, yamlnode.String("generatorOptions"), is)
	case !merge.Same(was, is):
		m.say("kustomization.yaml", "generatorOptions", "it differs, and cannot be said on top of the base")
	}
}

// remotes brings the remote targets that only the fork lists, and says what else it lists
// otherwise beside its own files.
func (m *maker) remotes(base, fork tree) {
	was, is := base.outside(), fork.outside()
	for _, entry := range is {
		switch {
		case slices.Contains(was, entry):
		case isRemote(entry):
			list := sequence(m.kustomization, "resources")
			list.Content = append(list.Content, yamlnode.String(entry))
		default:
			m.say("kustomization.yaml", "resources", entry+" is not in the package")
		}
	}
	for _, entry := range was {
		if !slices.Contains(is, entry) {
			m.say("kustomization.yaml", "resources", entry+" is not in the copy's, and cannot be taken off the base's")
		}
	}
}

// isRemote reports whether an entry of resources names no place in the file system.
func isRemote(entry string) bool {
	return strings.Contains(entry, "://") || strings.HasPrefix(entry, "github.com/") || strings.HasPrefix(entry, "git@")
}

// outside are the entries of the top's resources that are not in the package.
func (t tree) outside() (out []string) {
	for _, field := range [2]string{"resources", "bases"} {
		for _, e := range yamlnode.Elements(yamlnode.Field(t.top(), field)) {
			if name := path.Clean(e.Value); !t.files[name] && t.in(name) == nil {
				out = append(out, e.Value)
			}
		}
	}
	return out
}

// below says what differs in a kustomization below the top.
func (m *maker) below(dir string, was, is *yaml.Node) {
	names := append(yamlnode.Names(was), yamlnode.Names(is)...)
	slices.Sort(names)
	for _, field := range slices.Compact(names) {
		switch field {
		case "apiVersion", "kind", "metadata", "resources", "bases":
			continue
		}
		if !merge.Same(yamlnode.Field(was, field), yamlnode.Field(is, field)) {
			m.say(path.Join(dir, "kustomization.yaml"), field, "it differs, and the overlay speaks of the whole package")
		}
	}
}

// bring takes the fork's files that the overlay's kustomization reads into the overlay. An
// entry whose files are not known is said, and goes.
func (m *maker) bring(files texts) (brought map[string]bool) {
	brought = map[string]bool{}
	for _, field := range [5]string{"configMapGenerator", "secretGenerator", "patches", "patchesStrategicMerge", "patchesJson6902"} {
		list := yamlnode.Field(m.kustomization, field)
		if list == nil {
			continue
		}
		var kept []*yaml.Node
		for _, e := range list.Content {
			names := filesOf(field, e)
			if lacking := slices.IndexFunc(names, func(name string) bool { return files.fork[name] == nil }); lacking >= 0 {
				m.say("kustomization.yaml", field, names[lacking]+", which it reads, is not in the package")
				continue
			}
			kept = append(kept, e)
			for _, name := range names {
				if !brought[name] {
					m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: files.fork[name]})
					m.taken[strings.TrimSuffix(path.Base(name), path.Ext(name))] = true
					brought[name] = true
				}
			}
		}
		m.kustomization.Content = yamlnode.Without(m.kustomization, func(name string) bool { return name == field && kept == nil }).Content
		list.Content = kept
	}
	return brought
}

// filesOf are the files that an entry of a field reads.
func filesOf(field string, e *yaml.Node) []string {
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

// listing is the kustomization that a package without one needs (rules/overlay: the base).
func listing(p pkgmerge.Package, t tree) *yaml.Node {
	k, listed := newKustomization(), map[string]bool{}
	for _, r := range p.Resources {
		if t.files[r.File] && !listed[r.File] {
			listed[r.File] = true
			resources := sequence(k, "resources")
			resources.Content = append(resources.Content, yamlnode.String(r.File))
		}
	}
	return k
}

func newKustomization() *yaml.Node {
	return mapOf([2]string{"apiVersion", "kustomize.config.k8s.io/v1beta1"}, [2]string{"kind", "Kustomization"})
}

// sequence is the list of a kustomization's field, made where it is missing.
func sequence(k *yaml.Node, name string) *yaml.Node {
	if list := yamlnode.Field(k, name); list != nil {
		return list
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	k.Content = append(k.Content, yamlnode.String(name), list)
	return list
}

// mapOf is a mapping of strings; a value that is "" is left out.
func mapOf(fields ...[2]string) *yaml.Node {
	out := yamlnode.EmptyMap()
	for _, f := range fields {
		if f[1] != "" {
			out.Content = append(out.Content, yamlnode.String(f[0]), yamlnode.String(f[1]))
		}
	}
	return out
}
