package review

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/patch/kustomize"
	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Files are the files of a version of a repository.
type Files = kustomize.Files

// isManifest reports whether a name is that of a file that may have a version.
func isManifest(name string) bool {
	return kustomize.IsYAML(name) || slices.Contains([]string{"Kptfile", "Kustomization", "Chart.lock"}, path.Base(name))
}

// maxFile is the size above which a file is no manifest that somebody wrote, in bytes.
const maxFile = 1 << 20

// read returns files by their names, without those that are missing or too large.
func readFiles(f kustomize.Files, names []string) (out []pkgmerge.File, err error) {
	for _, name := range names {
		if !f.Has(name) {
			continue
		}
		data, err := f.Read(name)
		if err != nil {
			return nil, err
		}
		if len(data) <= maxFile {
			out = append(out, pkgmerge.File{Name: name, Mode: 0o644, Data: data})
		}
	}
	return out, nil
}

// changed returns the names of the YAML files that two versions have with different bytes, or that one of them has, sorted.
func changed(old, now kustomize.Files) (names []string) {
	all := maps.Clone(old.IDs)
	maps.Copy(all, now.IDs)
	for name := range all {
		if isManifest(name) && (old.IDs[name] != now.IDs[name] || old.Has(name) != now.Has(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// beside returns the names of the YAML files in the directories of some files, and of those that hold one of some texts.
func beside(f kustomize.Files, names, texts []string) (all []string, err error) {
	dirs := map[string]bool{}
	for _, name := range names {
		dirs[path.Dir(name)] = true
	}
	for name := range f.IDs {
		if !kustomize.IsYAML(name) {
			continue
		}
		if !dirs[path.Dir(name)] {
			data, err := f.Read(name)
			if err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(data, []byte(text)) }) {
				continue
			}
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all, nil
}

// isTemplate reports whether a file is a template of helm or of another program, which is no YAML yet.
func isTemplate(data []byte) bool { return strings.Contains(string(data), "{{") }
