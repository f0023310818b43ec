package pkgmerge

import (
	"maps"
	"slices"
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
	was, out := d.leavers(), map[string]bool{}
	for to, f := range d.files[identity.Upstream] {
		for name := range f.names {
			if d.files[identity.Origin][to].has(name) {
				continue
			}
			from := nearestEnd(to, was[name])
			if d.files[identity.Local][d.destination(from)].isNamed() && d.moves(from) && d.moves(to) && d.keepsUpstream(from) {
				out[from], out[to] = true, true
			}
		}
	}
	return out
}

// isVariant reports whether upstream added a file with a resource that it has in other files, too: only the path tells
// them apart, so the file does not go to its neighbours (rules/placement: added resources).
func (d *movedDirectories) isVariant(file string) bool {
	f := d.files[identity.Upstream][file]
	if f == nil || d.files[identity.Origin][file] != nil {
		return false
	}
	for name := range f.names {
		if d.crowded()[name] {
			return true
		}
	}
	return false
}

func (d *movedDirectories) findCrowded() map[resourceName]bool {
	count, out := map[resourceName]int{}, map[resourceName]bool{}
	for _, f := range d.files[identity.Upstream] {
		for name := range f.names {
			if count[name]++; count[name] > 1 {
				out[name] = true
			}
		}
	}
	return out
}

// leavers returns origin's files of the resources that upstream no longer has in them, sorted.
func (d *movedDirectories) leavers() map[resourceName][]string {
	out := map[resourceName][]string{}
	for _, file := range slices.Sorted(maps.Keys(d.files[identity.Origin])) {
		for name := range d.files[identity.Origin][file].names {
			if !d.files[identity.Upstream][file].has(name) {
				out[name] = append(out[name], file)
			}
		}
	}
	return out
}

// nearestEnd returns the only one of some files, or the only one of the files whose names end most like a file's; else "".
func nearestEnd(file string, among []string) string {
	for end := range ends(file) {
		among := slices.DeleteFunc(slices.Clone(among), func(other string) bool { return !strings.HasSuffix("/"+other, "/"+end) })
		if len(among) == 1 {
			return among[0]
		}
	}
	if len(among) == 1 {
		return among[0]
	}
	return ""
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
