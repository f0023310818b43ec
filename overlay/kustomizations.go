package overlay

import (
	"bytes"
	"maps"
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

func textsOf(base pkgmerge.Package, result *pkgmerge.Result) (texts, error) {
	t := texts{map[string][]byte{}, map[string][]byte{}}
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

func (t texts) differ(file string) bool { return !bytes.Equal(t.base[file], t.fork[file]) }

// kustomizations brings what the fork's kustomization does into the overlay's, with the files
// that this needs, and says what of it, and of those below, cannot be said there. It returns
// the files.
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

// bring takes the fork's files that the overlay's kustomization reads into the overlay.
func (m *maker) bring(files texts) (brought map[string]bool) {
	brought = map[string]bool{}
	named := tree{mentioned: map[string]bool{}}
	for _, field := range [5]string{"configMapGenerator", "secretGenerator", "patches", "patchesStrategicMerge", "patchesJson6902"} {
		if v := yamlnode.Field(m.kustomization, field); v != nil {
			named.mention(v, ".")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(named.mentioned)) {
		if data, found := files.fork[name]; found {
			m.files = append(m.files, pkgmerge.File{Name: name, Mode: 0o644, Data: data})
			m.taken[strings.TrimSuffix(path.Base(name), path.Ext(name))] = true
			brought[name] = true
		}
	}
	return brought
}
