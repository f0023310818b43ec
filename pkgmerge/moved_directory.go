package pkgmerge

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// movedDirectories finds the directories that local moved, by the names and the lines of their files. Origin's and
// upstream's files in them are merged as if they stood in local's directories (rules/identity: moved directories).
type movedDirectories struct {
	files [3]map[string]*pathFile
	// boundaries are the directories with a Kptfile.
	boundaries [3]map[string]bool
	// heirs maps files of origin to the files of local that they may have become.
	heirs map[string]string
	// to maps directories of origin to local's.
	to map[string]string
	// whole notes for moved directories whether local moved more of origin's files below them than it left.
	whole map[string]bool
}

// pathFile is a file of one version of the package.
type pathFile struct {
	texts [][]byte
	// named means that a resource in it has a name.
	named bool
	lines map[string]int
}

// maxNamesakes limits the files that only local has with the same end of the name: if there are more, the new
// directory is not certain.
const maxNamesakes = 8

// followDirectories moves the files of origin and upstream to the directories to which local moved them.
func (p *plan) followDirectories() {
	if _, drives := p.strategy.(Driver); drives || p.options.NoOrigin || p.options.Profile.removalsCollide() ||
		p.hasStream() {
		return
	}
	if !p.lacksFiles(identity.Local) {
		return
	}
	d := movedDirectories{to: map[string]string{}, whole: map[string]bool{}}
	for side, version := range p.packages {
		d.files[side], d.boundaries[side] = version.pathFiles(), packageDirectories(version.Resources)
	}
	if d.learn(); len(d.to) == 0 {
		return
	}
	moved, directories := d.destinations(p.mergesFields), map[string]string{}
	for file := range moved {
		if from, _ := d.around(file); d.files[identity.Origin][file] == nil {
			from = d.outermost(from)
			directories[from] = d.to[from]
		}
	}
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		p.packages[side] = p.packages[side].renamed(moved)
	}
	p.followed, p.unfollowed, p.directories = moved, map[string]string{}, namesOfMoves(directories)
	for from, to := range moved {
		p.unfollowed[to] = from
	}
}

// upstreamFile returns the name that the file of a resource has in upstream, also where it follows a directory that
// local moved.
func (p *plan) upstreamFile(u *Resource) string { return cmp.Or(p.unfollowed[u.File], u.File) }

// destinations maps the merged files that follow a directory to their new names. Files that would get the
// same name stay.
func (d *movedDirectories) destinations(isMerged func(file string) bool) map[string]string {
	moved, taken := map[string]string{}, map[string]int{}
	for file := range d.both() {
		if isMerged(file) && d.arrives(file, d.destination(file)) {
			moved[file] = d.destination(file)
			taken[moved[file]]++
		}
	}
	maps.DeleteFunc(moved, func(_, to string) bool { return taken[to] > 1 })
	return moved
}

// successors maps each file of origin that a side lacks to the file that only this side has and that has
// the same bytes or, if no resource in it has a name, is similar.
func (v *versions) successors(side identity.Side) map[string]string {
	if !v.lacksFiles(side) {
		return map[string]string{}
	}
	other := identity.Upstream + identity.Local - side
	d := movedDirectories{files: [3]map[string]*pathFile{
		identity.Origin:   v.packages[identity.Origin].pathFiles(),
		identity.Upstream: v.packages[other].pathFiles(),
		identity.Local:    v.packages[side].pathFiles(),
	}}
	namesakes, equal := d.namesakes(), map[string][]string{}
	d.findHeirs(namesakes)
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
		} else if to := d.heirs[file]; to != "" && !f.named {
			out[file] = to
		}
	}
	return out
}

func (f *pathFile) text() string { return string(bytes.Join(f.texts, nil)) }

// both returns the files of origin and of upstream.
func (d *movedDirectories) both() map[string]*pathFile {
	out := maps.Clone(d.files[identity.Origin])
	maps.Copy(out, d.files[identity.Upstream])
	return out
}

// movedNotices tells which directories upstream's files followed.
func (p *plan) movedNotices() []Notice {
	if len(p.directories) == 0 {
		return nil
	}
	return []Notice{{Text: "new files follow the directories that you moved:" + strings.Join(wording.First(p.directories, 5), ",")}}
}

// lacksFiles reports whether origin has a file that a side lacks: no other file has moved.
func (v *versions) lacksFiles(side identity.Side) bool {
	own := v.packages[side].fileNames()
	for name := range v.packages[identity.Origin].fileNames() {
		if !own[name] {
			return true
		}
	}
	return false
}

// fileNames returns the files of a package, and those of its resources.
func (p *Package) fileNames() map[string]bool {
	names := make(map[string]bool, len(p.Files))
	for _, f := range p.Files {
		names[f.Name] = true
	}
	for _, r := range p.Resources {
		names[r.File] = true
	}
	delete(names, "")
	return names
}

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
		f.named = f.named || r.Meta.Naming != identity.ByPath
		if p.Files == nil {
			f.texts = append(f.texts, r.item.Text())
		}
	}
	delete(out, "")
	return out
}

// learn finds the directories that you moved: the new one has more than half of the files that local no longer has in the
// old one. Files that upstream deleted or moved do not count.
func (d *movedDirectories) learn() {
	d.findHeirs(d.namesakes())
	gone, went := map[string]int{}, map[string]map[string]int{}
	for file := range d.files[identity.Origin] {
		if d.files[identity.Local][file] != nil || d.files[identity.Upstream][file] == nil {
			continue
		}
		from, to := path.Dir(file), d.heirs[file]
		gone[from]++
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
	d.learnParents(d.remaining())
}

// namesakes returns the files that only local has, by each end of their names. A file is under no end that is shorter
// than the one that it has in common with a file like it of origin or upstream: it is no other file's.
func (d *movedDirectories) namesakes() map[string][]string {
	out, others := map[string][]string{}, map[string][]string{}
	for _, file := range slices.Sorted(maps.Keys(d.both())) {
		for end := range ends(file) {
			others[end] = append(others[end], file)
		}
	}
	for _, file := range slices.Sorted(maps.Keys(d.files[identity.Local])) {
		if d.files[identity.Origin][file] != nil || d.files[identity.Upstream][file] != nil {
			continue
		}
		isLike := func(other string) bool { return d.alike(other, file) }
		for end := range ends(file) {
			out[end] = append(out[end], file)
			if slices.ContainsFunc(others[end][:min(len(others[end]), maxNamesakes)], isLike) {
				break
			}
		}
	}
	return out
}

// learnParents adds the parents that local moved with these directories: all below such a parent went to one new parent,
// and local has no file of origin left below the old one.
func (d *movedDirectories) learnParents(stays map[string]bool) {
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

// remaining returns the directories in which local has a file of origin, at any depth.
func (d *movedDirectories) remaining() map[string]bool {
	stays := map[string]bool{}
	for file := range d.files[identity.Local] {
		if d.files[identity.Origin][file] == nil || !d.remains(file, d.heirs[file]) {
			continue
		}
		for dir := path.Dir(file); !stays[dir]; dir = path.Dir(dir) {
			stays[dir] = true
		}
	}
	return stays
}

// ends yields the name of a file, then the name without its first directory, and so on, down to its last part.
func ends(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more && yield(file); {
			_, file, more = strings.Cut(file, "/")
		}
	}
}

// findHeirs finds the heir of each file of origin. A file that several may have become belongs to the one whose name has the longest
// end in common with its own, then to the one whose whole name that is, and else to nobody: which of them it is most like may
// change with a merge.
func (d *movedDirectories) findHeirs(namesakes map[string][]string) {
	d.heirs = map[string]string{}
	most, claims := map[string]int{}, map[string]int{}
	for file := range d.files[identity.Origin] {
		to := d.heir(file, namesakes)
		if to == "" {
			continue
		}
		switch claim := claimOf(file, to); {
		case claim > most[to]:
			most[to], claims[to] = claim, 1
		case claim == most[to]:
			claims[to]++
		}
		d.heirs[file] = to
	}
	maps.DeleteFunc(d.heirs, func(file, to string) bool { return claims[to] > 1 || claimOf(file, to) < most[to] })
}

// claimOf returns the claim of a file of origin to be one of local's: twice the length of the end that their names have in common, in
// whole parts, and one more if the end is the whole name of origin's.
func claimOf(file, local string) int {
	for end := range ends(file) {
		switch {
		case end != local && !strings.HasSuffix(local, "/"+end):
		case end == file:
			return 2*len(end) + 1
		default:
			return 2 * len(end)
		}
	}
	return 0
}

// heir returns local's file that is similar to a file of origin, and has the longest common end of the
// name; "" if there is none or several.
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

// alike reports whether a file of local has more than half of its lines in common with a file of origin,
// or with upstream's version of it.
func (d *movedDirectories) alike(file, local string) bool { return d.likeness(file, local) > 0.5 }

// likeness is the share of the lines that a file of local has in common with a file of origin, or with upstream's
// version of it.
func (d *movedDirectories) likeness(file, local string) float64 {
	most := 0.0
	for _, side := range [2]identity.Side{identity.Origin, identity.Upstream} {
		if f := d.files[side][file]; f != nil {
			most = max(most, alike(f.counted(), d.files[identity.Local][local].counted()))
		}
	}
	return most
}

// remains reports whether local has a file of origin under its old name: not if its file there is a new one, and the
// file that local moved, to, is more like origin's.
func (d *movedDirectories) remains(file, to string) bool {
	local := d.files[identity.Local]
	return local[file] != nil && (to == file || local[to] == nil || d.likeness(file, file) >= d.likeness(file, to))
}

// counted counts the lines of the file without bookkeeping, which a function's items have and files do not.
func (f *pathFile) counted() map[string]int {
	if f.lines == nil {
		f.lines = map[string]int{}
		for _, text := range f.texts {
			for line := range strings.Lines(string(text)) {
				if name, _, found := strings.Cut(strings.TrimSpace(line), ":"); !found || !bookkeeping.Is(name) {
					f.lines[strings.TrimRight(line, "\r\n")]++
				}
			}
		}
	}
	return f.lines
}

// arrives reports whether a file of origin or upstream lies in a directory that local moved, and has another name there:
// local lacks it, and no version has another file of the new name. A file that upstream added arrives only with a
// directory that local moved as a whole.
func (d *movedDirectories) arrives(file, to string) bool {
	if d.remains(file, to) || path.Base(file) == "Kptfile" || d.files[identity.Origin][file] == nil && !d.wholly(file) ||
		d.files[identity.Origin][to] != nil || d.files[identity.Upstream][to] != nil {
		return false
	}
	return nearest(d.boundaries[identity.Upstream], path.Dir(file)) == nearest(d.boundaries[identity.Origin], path.Dir(file))
}

// wholly reports whether local moved most of the nearest moved directory around a file.
func (d *movedDirectories) wholly(file string) bool {
	from, _ := d.around(file)
	whole, known := d.whole[from]
	if known {
		return whole
	}
	moved := 0
	for name := range d.files[identity.Origin] {
		below, found := strings.CutPrefix(name, from+"/")
		switch {
		case !found && from != ".":
		case d.remains(name, path.Join(d.to[from], below)):
			moved--
		case d.files[identity.Local][path.Join(d.to[from], below)] != nil:
			moved++
		}
	}
	d.whole[from] = moved > 0
	return moved > 0
}

// destination returns the name of a file that follows the directory that local moved.
func (d *movedDirectories) destination(file string) string {
	from, below := d.around(file)
	if from == "" {
		return file
	}
	return path.Join(d.to[from], below)
}

// around returns the nearest directory around a file that local moved, and the file below it; "" if there is none.
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

// outermost returns the outermost directory that local moved together with dir.
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

// namesOfMoves describes moved directories. The top, which has no name, is only named if it alone moved.
func namesOfMoves(directories map[string]string) (out []string) {
	for _, from := range slices.Sorted(maps.Keys(directories)) {
		if from != "" {
			out = append(out, " "+from+" is "+directories[from])
		} else if len(directories) == 1 {
			out = append(out, " "+directories[from])
		}
	}
	return out
}
