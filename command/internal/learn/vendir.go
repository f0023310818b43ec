package learn

import (
	"context"
	"path"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/pkgmerge"
	"github.com/resource-merge/resource-merge/source"
)

const (
	vendirLock   = "vendir.lock.yml"
	vendirConfig = "vendir.yml"
)

// vendirFile is a vendir.yml or its lock: the config says where contents come from, and the lock at which version.
type vendirFile struct {
	Directories []struct {
		Path     string
		Contents []vendirContent
	}
}

type vendirContent struct {
	Path, NewRootPath string
	Git               *struct{ URL, SHA, Ref string }
	HelmChart         *struct {
		Name, Version string
		Repository    struct{ URL string }
	}
}

// contents returns the contents of a file by their paths below the file's directory.
func (f vendirFile) contents() map[string]vendirContent {
	all := map[string]vendirContent{}
	for _, d := range f.Directories {
		for _, c := range d.Contents {
			all[path.Join(d.Path, c.Path)] = c
		}
	}
	return all
}

// vendored returns the versions in the innermost vendir lock at or above the package: of the package's directory, of
// one around it, or of several in it.
func (h history) vendored(revision string) (out []version, err error) {
	for _, dir := range h.above() {
		var files [2]vendirFile
		for i, name := range [2]string{vendirConfig, vendirLock} {
			text, err := h.text(revision, path.Join(dir, name))
			if err != nil {
				return nil, err
			}
			if yaml.Unmarshal(text, &files[i]) != nil {
				return nil, nil // a former text need not be right
			}
		}
		config := files[0].contents()
		for _, d := range files[1].Directories {
			for _, locked := range d.Contents {
				at := path.Join(d.Path, locked.Path)
				if v, found := h.placed(config[at].at(locked), path.Join(dir, at)); found {
					out = append(out, v)
				}
			}
		}
		if len(out) > 0 {
			return out, nil
		}
	}
	return nil, nil
}

// at returns the version of a content at its lock; it has no source if that is none of git and of a chart in a
// registry of OCI.
func (c vendirContent) at(lock vendirContent) (v version) {
	switch {
	case c.Git != nil && lock.Git != nil:
		at := gitrepo.Remote{Repository: c.Git.URL, Directory: strings.Trim(path.Clean("/"+c.NewRootPath), "/"), Ref: lock.Git.SHA}
		v = version{Source: remote(at), id: at.String(), name: short(at.Ref)}
	case c.HelmChart != nil && lock.HelmChart != nil:
		v.name = lock.HelmChart.Version
		v.id = strings.TrimSuffix(c.HelmChart.Repository.URL, "/") + "/" + c.HelmChart.Name + ":" + v.name
		v.Source = named(v.id)
	}
	return v
}

// placed returns a version of a directory of the repository as one of the package.
func (h history) placed(v version, dir string) (version, bool) {
	if v.where = dir; v.Source == nil {
		return v, false
	}
	below, isBelow := strings.CutPrefix(dir+"/", h.work.Name+"/")
	above, isAbove := strings.CutPrefix(h.work.Name+"/", dir+"/")
	switch {
	case h.work.Name == "" || h.work.Name == ".":
		v.Source = moved{Source: v.Source, under: dir}
	case isBelow:
		v.Source = moved{Source: v.Source, under: strings.TrimSuffix(below, "/")}
	case isAbove:
		v.Source = moved{Source: v.Source, from: strings.TrimSuffix(above, "/")}
	}
	return v, h.work.Name == "" || isBelow || isAbove
}

// moved is a version whose directory from is the directory under of the package.
type moved struct {
	source.Source
	from, under string
}

// Read reads the version.
func (m moved) Read(ctx context.Context) (pkgmerge.Package, error) {
	p, err := m.Source.Read(ctx)
	if err != nil || m.from == "" && m.under == "" {
		return p, err
	}
	var files []pkgmerge.File
	for _, f := range p.Files {
		name, is := strings.CutPrefix("/"+f.Name, path.Join("/", m.from, "/")+"/")
		if m.from == "" {
			name, is = f.Name, true
		}
		if f.Name = path.Join(m.under, name); is {
			files = append(files, f)
		}
	}
	return pkgmerge.NewPackage(files)
}

// together returns the files of all versions as one package.
func together(all []version) source.Source {
	if len(all) == 1 {
		return all[0].Source
	}
	return several(all)
}

type several []version

// Read reads the versions.
func (s several) Read(ctx context.Context) (p pkgmerge.Package, err error) {
	var files []pkgmerge.File
	for _, v := range s {
		one, err := v.Source.Read(ctx)
		if err != nil {
			return p, err
		}
		files = append(files, one.Files...)
	}
	return pkgmerge.NewPackage(file.WithoutIgnored(files, files))
}
