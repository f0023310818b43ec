package pkgmerge

import (
	"bytes"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// movedDirectories finds the directories that local moved, by the names and the lines of their
// files. A file without a named resource, such as a script, a kustomization.yaml or a chart's
// values, is known by its directory, so upstream's version of it follows (rules/identity:
// files without a named resource).
type movedDirectories struct {
	files [3]map[string]*pathFile
	// boundaries are the directories with a Kptfile.
	boundaries [3]map[string]bool
	// known are the directories with files of origin's.
	known map[string]bool
	// to is where local has a directory of origin's.
	to map[string]string
}

// pathFile is a file as one version of the package has it.
type pathFile struct {
	texts [][]byte
	// named says that a resource with a name is in it.
	named bool
	lines map[string]int
}

// maxNamesakes is how many files of local's alone may have a name with one end: if there are more,
// it says nothing of where a directory went.
const maxNamesakes = 8

// followDirectories has origin's and upstream's versions of files that no name identifies lie
// where local moved their directories.
func (m *merger) followDirectories() {
	if _, drives := m.strategy.(Driver); drives || m.options.NoOrigin || m.options.RemovalsCollide ||
		slices.ContainsFunc(m.packages[:], func(p Package) bool { return p.IsStream }) {
		return
	}
	d := movedDirectories{known: map[string]bool{}, to: map[string]string{}}
	for side, p := range m.packages {
		d.files[side], d.boundaries[side] = p.pathFiles(), packageDirectories(p.Resources)
	}
	if d.learn(); len(d.to) == 0 {
		return
	}
	moved, taken, told := map[string]string{}, map[string]int{}, map[string]string{}
	for file := range d.both() {
		if m.mergesFields(file) && d.follows(file) {
			moved[file] = d.place(file)
			taken[moved[file]]++
		}
	}
	maps.DeleteFunc(moved, func(_, to string) bool { return taken[to] > 1 })
	for file := range moved {
		if from, _ := d.around(file); !d.same(file) {
			from = d.outermost(from)
			told[from] = d.to[from]
		}
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		m.packages[side] = m.packages[side].renamed(moved)
	}
	m.followed, m.directories = moved, replacements("", told)
}

// successors has, by each file of origin's that a side lacks, the file of that side alone that has the same
// bytes or, if no resource in it has a name, is like it.
func (m *merger) successors(side identity.Side) map[string]string {
	other := identity.Upstream + identity.Local - side
	d := movedDirectories{files: [3]map[string]*pathFile{
		identity.Origin:   m.packages[identity.Origin].pathFiles(),
		identity.Upstream: m.packages[other].pathFiles(),
		identity.Local:    m.packages[side].pathFiles(),
	}}
	namesakes, equal := d.namesakes(), map[string][]string{}
	for file, f := range d.files[identity.Local] {
		if slices.Contains(namesakes[file], file) {
			equal[f.text()] = append(equal[f.text()], file)
		}
	}
	out := map[string]string{}
	for file, f := range d.files[identity.Origin] {
		if d.files[identity.Local][file] != nil {
			continue
		}
		if same := equal[f.text()]; len(same) == 1 {
			out[file] = same[0]
		} else if to := d.heir(file, namesakes); to != "" && !f.named {
			out[file] = to
		}
	}
	return out
}

// text is all that is in a file.
func (f *pathFile) text() string { return string(bytes.Join(f.texts, nil)) }

// both are the files of origin and of upstream.
func (d *movedDirectories) both() map[string]*pathFile {
	out := maps.Clone(d.files[identity.Origin])
	maps.Copy(out, d.files[identity.Upstream])
	return out
}

// movedNotices tell which directories upstream's files followed.
func (m *merger) movedNotices() []Notice {
	if len(m.directories) == 0 {
		return nil
	}
	const most = 5
	says := m.directories
	if len(says) > most {
		says = append(slices.Clone(says[:most]), wording.Ellipsis)
	}
	return []Notice{{Text: "files without names follow the directories that local moved:" + strings.Join(says, ",")}}
}

// pathFiles are the files of a package by their names.
func (p *Package) pathFiles() map[string]*pathFile {
	out := map[string]*pathFile{}
	at := func(name string) *pathFile {
		if out[name] == nil {
			out[name] = &pathFile{}
		}
		return out[name]
	}
	for _, f := range p.Files {
		at(f.Name).texts = [][]byte{f.Data}
	}
	for _, r := range p.Resources {
		f := at(r.File)
		if f.named = f.named || r.Meta.Naming != identity.ByPath; p.Files == nil {
			f.texts = append(f.texts, r.item.Text())
		}
	}
	delete(out, "")
	return out
}

// learn finds the directories that local moved: one is moved to the directory that has more than
// half of the files that local no longer has in the one.
func (d *movedDirectories) learn() {
	namesakes := d.namesakes()
	gone, went := map[string]int{}, map[string]map[string]int{}
	for file := range d.files[identity.Origin] {
		from := path.Dir(file)
		d.known[from] = true
		if d.files[identity.Local][file] != nil {
			continue
		}
		gone[from]++
		to := d.heir(file, namesakes)
		if to == "" {
			continue
		}
		if went[from] == nil {
			went[from] = map[string]int{}
		}
		went[from][path.Dir(to)]++
	}
	for from, counts := range went {
		for to, count := range counts {
			if 2*count > gone[from] && nearest(d.boundaries[identity.Origin], from) == nearest(d.boundaries[identity.Local], to) {
				d.to[from] = to
			}
		}
	}
	d.learnParents()
}

// namesakes are the files of local's alone, by each end of their names.
func (d *movedDirectories) namesakes() map[string][]string {
	out := map[string][]string{}
	for _, file := range slices.Sorted(maps.Keys(d.files[identity.Local])) {
		if d.files[identity.Origin][file] == nil && d.files[identity.Upstream][file] == nil {
			for end := range ends(file) {
				out[end] = append(out[end], file)
			}
		}
	}
	return out
}

// learnParents finds the directories around the ones that local moved that it moved with them: all
// went to one place, and local has nothing of origin's in the old one.
func (d *movedDirectories) learnParents() {
	stays := map[string]bool{".": false}
	for file := range d.files[identity.Local] {
		if d.files[identity.Origin][file] == nil {
			continue
		}
		for dir := path.Dir(file); !stays[dir]; dir = path.Dir(dir) {
			stays[dir] = true
		}
	}
	parents := map[string]map[string]bool{}
	for from, to := range d.to {
		for from != "." && to != "." && path.Base(from) == path.Base(to) {
			from, to = path.Dir(from), path.Dir(to)
			if parents[from] == nil {
				parents[from] = map[string]bool{}
			}
			parents[from][to] = true
		}
	}
	for from, all := range parents {
		for to := range all {
			if len(all) == 1 && !stays[from] && d.to[from] == "" {
				d.to[from] = to
			}
		}
	}
}

// ends yields the name of a file, without its first directory, and so on, to its last part.
func ends(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more && yield(file); {
			_, file, more = strings.Cut(file, "/")
		}
	}
}

// heir is the one of local's files that is like a file of origin's, and whose name ends most like
// its name; "" if there is none or several.
func (d *movedDirectories) heir(file string, namesakes map[string][]string) (found string) {
	for end := range ends(file) {
		if len(namesakes[end]) > maxNamesakes {
			return ""
		}
		for _, candidate := range namesakes[end] {
			if !d.alike(file, candidate) {
				continue
			}
			if found != "" {
				return ""
			}
			found = candidate
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// alike reports whether a file of local's has more than half of its lines in common with a file of
// origin's, or with upstream's version of it.
func (d *movedDirectories) alike(file, local string) bool {
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if f := d.files[side][file]; f != nil && alike(f.counted(), d.files[identity.Local][local].counted()) > 0.5 {
			return true
		}
	}
	return false
}

// counted are the lines of a file, each with how often it is there.
func (f *pathFile) counted() map[string]int {
	if f.lines == nil {
		f.lines = map[string]int{}
		for _, text := range f.texts {
			for line := range strings.Lines(string(text)) {
				f.lines[strings.TrimRight(line, "\r\n")]++
			}
		}
	}
	return f.lines
}

// follows reports whether a file of origin's or upstream's has another place in local: no name
// identifies what is in it, or its directory is new; local lacks it, and no version has another
// file at that place.
func (d *movedDirectories) follows(file string) bool {
	to := d.place(file)
	if d.files[identity.Local][file] != nil || path.Base(file) == "Kptfile" {
		return false
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if f := d.files[side][file]; d.files[side][to] != nil || f != nil && f.named && d.known[path.Dir(file)] {
			return false
		}
	}
	if f := d.files[identity.Local][to]; f != nil && f.named && d.known[path.Dir(file)] {
		return false
	}
	return nearest(d.boundaries[identity.Upstream], path.Dir(file)) == nearest(d.boundaries[identity.Origin], path.Dir(file))
}

// place is where a file lies if it follows the directory around it that local moved.
func (d *movedDirectories) place(file string) string {
	from, below := d.around(file)
	if from == "" {
		return file
	}
	return path.Join(d.to[from], below)
}

// around is the nearest directory around a file that local moved, and the file below it; "" if
// there is none.
func (d *movedDirectories) around(file string) (from, below string) {
	below = path.Base(file)
	for from = path.Dir(file); d.to[from] == ""; from = path.Dir(from) {
		if from == "." || from == "/" {
			return "", file
		}
		below = path.Join(path.Base(from), below)
	}
	return from, below
}

// outermost is the directory around one that local moved with everything below it.
func (d *movedDirectories) outermost(dir string) string {
	for dir != "." {
		parent := path.Dir(dir)
		if d.to[parent] == "" || d.to[dir] != path.Join(d.to[parent], path.Base(dir)) {
			break
		}
		dir = parent
	}
	return dir
}

// same reports whether origin and upstream have the same file.
func (d *movedDirectories) same(file string) bool {
	o, u := d.files[identity.Origin][file], d.files[identity.Upstream][file]
	return o != nil && u != nil && maps.Equal(o.counted(), u.counted())
}

// renamed is the package with files under other names.
func (p Package) renamed(to map[string]string) Package {
	name := func(file string) string {
		if other, found := to[file]; found {
			return other
		}
		return file
	}
	resource := func(r *Resource) *Resource {
		if name(r.File) == r.File {
			return r
		}
		other := *r
		other.File = name(r.File)
		return &other
	}
	if p.contents == nil {
		p.Resources = slices.Clone(p.Resources)
		for i, r := range p.Resources {
			p.Resources[i] = resource(r)
		}
		return p
	}
	contents := slices.Clone(p.contents)
	for i, c := range contents {
		if name(c.Name) == c.Name {
			continue
		}
		other, file := *c, *c.File
		file.Name = name(c.Name)
		other.File, other.resources = &file, slices.Clone(c.resources)
		for n, r := range other.resources {
			other.resources[n] = resource(r)
		}
		contents[i] = &other
	}
	slices.SortFunc(contents, func(a, b *content) int { return strings.Compare(a.Name, b.Name) })
	p.contents, p.Files, p.Resources = contents, nil, nil
	for _, c := range contents {
		p.Files, p.Resources = append(p.Files, *c.File), append(p.Resources, c.resources...)
	}
	return p
}
