package pkgmerge

import (
	"path"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
)

// files finds the files for what upstream added (rules/placement: added resources): local may
// have moved the file of the resources beside it, split it, or put several into one.
type files struct {
	merger *merger
	// local has local's files, and which have the resources that upstream has in a file, in
	// upstream's order: those that stay in local's package.
	local map[string]bool
	which map[string][]*Change
	// count is how many resources that stay a file of the result has.
	count map[string]int
	// directories has, by a directory of upstream's, the changes in its files, and moves where the
	// directory of each lies now, also as directories around it tell.
	directories map[string][]*Change
	moves       map[string]map[string]bool
	// built are the directories that upstream adds with a kustomization of their own.
	built map[string]bool
	// called counts the resources of each identity that upstream or local has.
	called map[identity.ID]int
}

// placeAdded puts what upstream added into the file where its neighbours went.
func (m *merger) placeAdded(changes, upstream []*Change) *files {
	f := &files{
		merger: m, local: map[string]bool{}, which: map[string][]*Change{}, count: map[string]int{},
		directories: map[string][]*Change{}, moves: map[string]map[string]bool{}, built: map[string]bool{},
		called: map[identity.ID]int{},
	}
	for _, r := range m.packages[identity.Local].Resources {
		f.local[r.File] = true
	}
	for _, file := range m.packages[identity.Local].Files {
		f.local[file.Name] = true
	}
	for _, c := range changes {
		if c.stays() {
			f.count[c.Result.File]++
		}
		if c.Has(identity.Upstream) || c.Has(identity.Local) {
			f.called[c.ID]++
		}
	}
	for _, c := range upstream {
		f.learn(c)
	}
	for _, c := range upstream {
		u := c.Versions[identity.Upstream]
		if !m.mergesFields(u.File) || c.Action != Added || u.Meta.Naming != identity.ByName {
			continue
		}
		if file := f.fileFor(c); file != u.File && f.isFree(file) {
			c.Result.File, c.file = file, path.Join(m.packages[identity.Local].Dir, file)
			c.Result.Label = c.file
			c.notes = append(c.notes, note{text: "put where local has the resources beside it; upstream has it in " + u.File})
		}
	}
	return f
}

// learn notes where a resource of upstream's lies in the result.
func (f *files) learn(c *Change) {
	u := c.Versions[identity.Upstream]
	from := path.Dir(u.File)
	if c.Action == Added && bookkeeping.IsKustomization(u.File) {
		f.built[from] = true
	}
	if !c.stays() || u.Meta.Naming != identity.ByName || u.File == "" || c.Result.File == "" {
		return
	}
	f.which[u.File] = append(f.which[u.File], c)
	f.directories[from] = append(f.directories[from], c)
	for to := path.Dir(c.Result.File); ; from, to = path.Dir(from), path.Dir(to) {
		if f.moves[from] == nil {
			f.moves[from] = map[string]bool{}
		}
		f.moves[from][to] = true
		if path.Dir(from) == from || path.Dir(to) == to || path.Base(from) != path.Base(to) {
			break
		}
	}
}

// isFree reports whether a file of the result may hold resources.
func (f *files) isFree(file string) bool {
	c := f.merger.packages[identity.Local].content(file)
	return c == nil || c.isStructured()
}

// fileFor is the file for an added resource: upstream's, if local has that, or nothing of what is
// beside it, or another resource has the same identity: then nothing but the path tells the next merge
// which of them upstream's is.
func (f *files) fileFor(c *Change) string {
	file := c.Versions[identity.Upstream].File
	switch beside := f.inPackageOf(c, f.which[file]); {
	case file == "" || f.local[file] || f.built[path.Dir(file)] || f.called[c.ID] > 1:
		return file
	case len(beside) > 0:
		return f.besideIn(c, beside)
	}
	return f.inDirectory(c)
}

// inPackageOf are those of changes that lie in the package that upstream has c in.
func (f *files) inPackageOf(c *Change, changes []*Change) (out []*Change) {
	for _, other := range changes {
		if other.packages[identity.Local] == c.packages[identity.Upstream] {
			out = append(out, other)
		}
	}
	return out
}

// besideIn is the file for a resource whose neighbours in upstream's file are known: the file that
// has all of them, or several and all of its kind, or several and the nearest; else a file of its own
// beside the nearest.
func (f *files) besideIn(c *Change, beside []*Change) string {
	kin := ofKind(c, beside)
	nearest := nearestTo(c, beside)
	in := map[string][]*Change{}
	for _, other := range beside {
		in[other.Result.File] = append(in[other.Result.File], other)
	}
	if len(kin) > 0 && len(in[kin[0].Result.File]) > 1 && isOne(kin, fileOf) {
		return kin[0].Result.File
	}
	file := nearest.Result.File
	if len(in[file]) > 1 || len(in) == 1 && (f.count[file] > 1 || namingOf(beside) == nil) {
		return file
	}
	if len(kin) > 0 && isOne(kin, directoryOf) {
		file = kin[0].Result.File
	}
	return path.Join(path.Dir(file), f.name(c, path.Dir(file), beside))
}

// inDirectory is the file for a resource of a file that is new upstream: in the directory where the
// other files of its directory went, or in the one file that local made of them.
func (f *files) inDirectory(c *Change) string {
	file := c.Versions[identity.Upstream].File
	from := path.Dir(file)
	if beside := f.inPackageOf(c, f.directories[from]); len(beside) > 0 {
		switch kin := ofKind(c, beside); {
		case isOne(beside, fileOf) && !isOne(beside, upstreamFileOf):
			return beside[0].Result.File
		case isOne(beside, directoryOf):
			return path.Join(directoryOf(beside[0]), path.Base(file))
		case isOne(aroundOf(c, beside), directoryOf):
			return path.Join(directoryOf(aroundOf(c, beside)[0]), path.Base(file))
		case len(kin) > 1 && isOne(kin, directoryOf):
			return path.Join(directoryOf(kin[0]), path.Base(file))
		}
		return file
	}
	below := path.Base(file)
	for dir := from; ; dir = path.Dir(dir) {
		switch to := f.moves[dir]; {
		case len(to) == 1:
			for only := range to {
				return path.Join(only, below)
			}
		case len(to) > 1 || dir == "." || dir == "/":
			return file
		}
		below = path.Join(path.Base(dir), below)
	}
}

// name is the name of a file for a resource alone: by the rule by which the files beside it in the
// directory are named, else as `kustomize build -o` names it.
func (f *files) name(c *Change, dir string, beside []*Change) string {
	var here []*Change
	for _, other := range beside {
		if directoryOf(other) == dir && f.count[other.Result.File] == 1 {
			here = append(here, other)
		}
	}
	naming := namingOf(here)
	if naming == nil {
		naming = kustomizeName
	}
	return naming(c.Result.Meta) + ".yaml"
}

// kustomizeName is the name that `kustomize build -o` gives the file of a resource, such as
// apps_v1_deployment_web.
func kustomizeName(m identity.Meta) string {
	return strings.ToLower(strings.ReplaceAll(m.APIVersion, "/", "_") + "_" + m.Kind + "_" + m.Name)
}

// namings are the rules by which files of one resource are named.
func namings() []func(identity.Meta) string {
	joined := func(separator string, kindFirst bool) func(identity.Meta) string {
		return func(m identity.Meta) string {
			if kindFirst {
				return strings.ToLower(m.Kind + separator + m.Name)
			}
			return strings.ToLower(m.Name + separator + m.Kind)
		}
	}
	return []func(identity.Meta) string{
		kustomizeName, joined("-", true), joined("-", false), joined("_", true), joined("_", false), joined(".", false), joined(".", true),
	}
}

// namingOf is the rule by which the files of resources are named, nil if there is none.
func namingOf(changes []*Change) func(identity.Meta) string {
	for _, naming := range namings() {
		fits := len(changes) > 0
		for _, c := range changes {
			base := path.Base(c.Result.File)
			fits = fits && strings.TrimSuffix(base, path.Ext(base)) == naming(c.Result.Meta)
		}
		if fits {
			return naming
		}
	}
	return nil
}

// nearestTo is the nearest predecessor of c in upstream's file, else its successor.
func nearestTo(c *Change, beside []*Change) *Change {
	nearest := beside[0]
	for _, other := range beside {
		if isBefore(other.Versions[identity.Upstream], c.Versions[identity.Upstream]) {
			nearest = other
		}
	}
	return nearest
}

// aroundOf are the neighbours of c on either side, in upstream's order; or the one of them whose file
// has more words at the beginning of its name in common with that of c.
func aroundOf(c *Change, beside []*Change) []*Change {
	around := beside[len(beside)-1:]
	for i, other := range beside {
		if isBefore(c.Versions[identity.Upstream], other.Versions[identity.Upstream]) {
			around = beside[max(i-1, 0) : i+1]
			break
		}
	}
	if len(around) < 2 {
		return around
	}
	switch before, after := commonWords(c, around[0]), commonWords(c, around[1]); {
	case before > after:
		return around[:1]
	case after > before:
		return around[1:]
	}
	return around
}

// commonWords is how much the names of two files of upstream's have in common, in whole words.
func commonWords(a, b *Change) int {
	x, y, words := upstreamFileOf(a), upstreamFileOf(b), 0
	for i := 0; i < min(len(x), len(y)) && x[i] == y[i]; i++ {
		if strings.IndexByte("-_.", x[i]) >= 0 {
			words = i
		}
	}
	return words
}

// isBefore reports whether a comes before b in their package.
func isBefore(a, b *Resource) bool { return a.File < b.File || a.File == b.File && a.Index < b.Index }

// ofKind are those of changes that are of the kind of c.
func ofKind(c *Change, changes []*Change) (out []*Change) {
	for _, other := range changes {
		if other.ID.Group == c.ID.Group && other.ID.Kind == c.ID.Kind {
			out = append(out, other)
		}
	}
	return out
}

// isOne reports whether all changes have the same of something.
func isOne(changes []*Change, what func(*Change) string) bool {
	for _, c := range changes {
		if what(c) != what(changes[0]) {
			return false
		}
	}
	return true
}

func fileOf(c *Change) string { return c.Result.File }

func directoryOf(c *Change) string { return path.Dir(c.Result.File) }

func upstreamFileOf(c *Change) string { return c.Versions[identity.Upstream].File }
