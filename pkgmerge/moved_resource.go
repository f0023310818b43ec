package pkgmerge

import (
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// resourceName is the kind and the name of a resource, or of the resource that its merge comment names. Local may have
// put all resources into another namespace.
type resourceName struct{ kind, name string }

func (f *pathFile) isNamed() bool { return f != nil && len(f.names) > 0 }

func (f *pathFile) has(name resourceName) bool { return f != nil && f.names[name] }

// add notes the name of a resource of the file.
func (f *pathFile) add(r *Resource) {
	if r.Meta.Naming == identity.ByPath {
		return
	}
	if f.names == nil {
		f.names = map[resourceName]bool{}
	}
	id := identity.Entry{Meta: r.Meta}.ID()
	f.names[resourceName{id.Kind, id.Name}] = true
}

// findRegrouped finds the files of origin and upstream in directories that local moved whose resources upstream moved
// from the one to the other, where local has the file that moved (rules/placement: moved resources).
func (d *movedDirectories) findRegrouped() map[string]bool {
	was, out := d.originFiles(), map[string]bool{}
	for to, f := range d.files[identity.Upstream] {
		for name := range f.names {
			from := was[name]
			if from == "" || from == to || d.files[identity.Upstream][from].has(name) || d.files[identity.Origin][to].has(name) {
				continue
			}
			if d.files[identity.Local][d.destination(from)].isNamed() && d.moves(from) && d.moves(to) && d.keepsUpstream(from) {
				out[from], out[to] = true, true
			}
		}
	}
	return out
}

// originFiles returns the file of each resource of origin, "" for one that lies in several.
func (d *movedDirectories) originFiles() map[resourceName]string {
	out := map[resourceName]string{}
	for file, f := range d.files[identity.Origin] {
		for name := range f.names {
			if _, several := out[name]; several {
				out[name] = ""
			} else {
				out[name] = file
			}
		}
	}
	return out
}

// moves reports whether a file of origin or upstream has another name in local, in a directory that local moved.
func (d *movedDirectories) moves(file string) bool {
	to := d.destination(file)
	return to != file && d.arrives(file, to)
}

// keepsUpstream reports whether upstream has a file of origin in the outermost directory around a file that local moved.
// Otherwise both sides moved that directory.
func (d *movedDirectories) keepsUpstream(file string) bool {
	from, _ := d.around(file)
	from = d.outermost(from)
	keeps, known := d.kept[from]
	if known {
		return keeps
	}
	for other := range d.files[identity.Origin] {
		keeps = keeps || d.files[identity.Upstream][other] != nil && (from == "." || strings.HasPrefix(other, from+"/"))
	}
	d.kept[from] = keeps
	return keeps
}
