package source

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// place is a name in an archive: a directory with the names in it, a file or a link. Each step from a directory to a name in it takes
// time in proportion to the name, however deep the directory lies.
type place struct {
	mode fs.FileMode // fs.ModeDir, or the mode of a file or link
	in   map[string]*place
	// isEntry reports whether a directory has an entry of its own in a layer of an image.
	isEntry bool
}

func newPlace() *place { return &place{mode: fs.ModeDir} }

// make returns the place of a name in a directory, and whether it is new. A new one is a directory.
func (p *place) make(name string) (in *place, isNew bool) {
	if in = p.in[name]; in != nil {
		return in, false
	}
	if p.in == nil {
		p.in = map[string]*place{}
	}
	in = newPlace()
	p.in[name] = in
	return in, true
}

// enter adds the name of an entry, and returns the number of names that are new. It is an error if the name is there, except for a
// directory that comes again, or if it lies below a file or a link.
func (p *place) enter(name string, mode fs.FileMode) (added int, err error) {
	at, isNew := p, false
	for part := range strings.SplitSeq(name, "/") {
		if !at.mode.IsDir() {
			return added, fmt.Errorf("%s: it lies below a file or a link of the archive", name)
		}
		if at, isNew = at.make(part); isNew {
			added++
		}
	}
	if !isNew && !(at.mode.IsDir() && mode.IsDir()) {
		return added, fmt.Errorf("%s: twice in the archive", name)
	}
	at.mode = mode
	return added, nil
}

// sorted sorts files by name. It is an error if a name is there twice or lies below a file or a link, or if a link leads out of the
// files or goes over another link (rules/versions: archives).
func sorted(files []pkgmerge.File) ([]pkgmerge.File, error) {
	slices.SortFunc(files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	top := newPlace()
	for _, f := range files {
		if _, err := top.enter(f.Name, f.Mode); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		if f.Mode&fs.ModeSymlink == 0 {
			continue
		}
		if fault := top.follow(f.Name, string(f.Data)); fault != "" {
			return nil, fmt.Errorf("%s: the link to %q %s", f.Name, f.Data, fault)
		}
	}
	return files, nil
}

// follow goes the way of a link, and returns what is wrong with it, or "". A link at the end of the way is not followed: it is measured
// on its own.
func (p *place) follow(name, to string) (fault string) {
	if path.IsAbs(to) || strings.Contains(to, `\`) {
		return "leads out of the archive"
	}
	way := []*place{p} // nil stands for a name that the archive does not have
	for part := range strings.SplitSeq(path.Dir(name)+"/"+to, "/") {
		at := way[len(way)-1]
		if at != nil && at.mode&fs.ModeSymlink != 0 {
			return "goes over another link"
		}
		switch part {
		case "", ".":
		case "..":
			if way = way[:len(way)-1]; len(way) == 0 {
				return "leads out of the archive"
			}
		default:
			var next *place
			if at != nil {
				next = at.in[part]
			}
			way = append(way, next)
		}
	}
	return ""
}

// cover notes an entry of a layer: what it hides in the layers below it. A file, a link or a removal hides its name and all names
// below, a directory hides a file of its name.
func (p *place) cover(name string, mode fs.FileMode) {
	at := p
	for part := range strings.SplitSeq(name, "/") {
		if part != "." {
			at, _ = at.make(part)
		}
	}
	if mode.IsDir() {
		at.isEntry = true
	} else {
		at.mode = mode
	}
}

// hides reports whether a layer above hides a file.
func (p *place) hides(name string) bool {
	at := p
	for part := range strings.SplitSeq(name, "/") {
		if !at.mode.IsDir() {
			return true
		}
		if at = at.in[part]; at == nil {
			return false
		}
	}
	return at.isEntry || !at.mode.IsDir()
}
