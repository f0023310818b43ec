package pkgmerge

import (
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/bookkeeping"
	"github.com/resource-merge/resource-merge/internal/file"
)

// files finds the files for added resources (rules/placement: added resources): local may have moved,
// split or joined the file of their neighbours.
type files struct {
	assembly *assembly
	// local are local's files.
	local map[string]bool
	// inFile and inDirectory have the resources of upstream's files and directories that stay in local's
	// package, in upstream's order.
	inFile, inDirectory map[string][]*Change
	// count counts the remaining resources of a file of the result.
	count map[string]int
	// built are the directories that upstream adds with a kustomization of their own.
	built map[string]bool
	// named counts the resources of upstream or local by identity.
	named map[identity.ID]int
}

// placeAdded puts added resources into the files of their neighbours.
func (a *assembly) placeAdded(changes, upstream []*Change) *files {
	f := a.newFiles(changes)
	for _, c := range upstream {
		f.learn(c)
	}
	for _, c := range upstream {
		u := c.Versions[identity.Upstream]
		if !a.mergesFields(u.File) || c.Action != Added || u.Meta.Naming != identity.ByName {
			continue
		}
		if file := f.fileFor(c); file != u.File && f.isFree(file) {
			c.Result.File, c.file = file, path.Join(a.packages[identity.Local].Dir, file)
			c.Result.Label = c.file
			text := "put where you have the resources beside it"
			if !a.packages[identity.Upstream].IsStream {
				text += "; upstream has it in " + a.upstreamFile(u)
			}
			c.notes = append(c.notes, note{text: text})
		}
	}
	return f
}

// newFiles returns local's files, and the numbers of resources of each file and each identity.
func (a *assembly) newFiles(changes []*Change) *files {
	f := &files{
		assembly: a, local: map[string]bool{}, inFile: map[string][]*Change{}, inDirectory: map[string][]*Change{},
		count: map[string]int{}, built: map[string]bool{}, named: map[identity.ID]int{},
	}
	for _, r := range a.packages[identity.Local].Resources {
		f.local[r.File] = true
	}
	for _, file := range a.packages[identity.Local].Files {
		f.local[file.Name] = true
	}
	for _, c := range changes {
		if c.stays() {
			f.count[c.Result.File]++
		}
		if c.Has(identity.Upstream) || c.Has(identity.Local) {
			f.named[c.ID]++
		}
	}
	return f
}

// learn records the file of a resource of upstream in the result.
func (f *files) learn(c *Change) {
	u := c.Versions[identity.Upstream]
	from := path.Dir(u.File)
	if c.Action == Added && bookkeeping.IsKustomization(u.File) {
		f.built[from] = true
	}
	if !c.stays() || u.Meta.Naming != identity.ByName || u.File == "" || c.Result.File == "" {
		return
	}
	f.inFile[u.File] = append(f.inFile[u.File], c)
	f.inDirectory[from] = append(f.inDirectory[from], c)
}

// isFree reports whether a file of the result may hold resources.
func (f *files) isFree(file string) bool {
	c := f.assembly.packages[identity.Local].content(file)
	return c == nil || c.isStructured()
}

// fileFor returns the file for an added resource: upstream's, if local has that file or none of its
// neighbours, or if another resource has the same identity and only the path tells them apart.
func (f *files) fileFor(c *Change) string {
	file := c.Versions[identity.Upstream].File
	switch beside := f.inPackageOf(c, f.inFile[file]); {
	case file == "" || f.local[file] || f.built[path.Dir(file)] || f.named[c.ID] > 1:
		return file
	case len(beside) > 0:
		return f.fileBeside(c, beside)
	}
	return f.fileInDirectory(c)
}

// inPackageOf returns the changes in the package that contains c in upstream.
func (f *files) inPackageOf(c *Change, changes []*Change) (out []*Change) {
	for _, other := range changes {
		if other.packages[identity.Local] == c.packages[identity.Upstream] {
			out = append(out, other)
		}
	}
	return out
}

// fileBeside returns the file for a resource with neighbours in upstream's file: the one file with all of them, else a
// new file beside the nearest.
func (f *files) fileBeside(c *Change, beside []*Change) string {
	file := nearestTo(c, beside).Result.File
	if isOne(beside, fileOf) && (len(beside) > 1 || f.count[file] > 1 || namingOf(beside) == nil) {
		return file
	}
	return path.Join(path.Dir(file), f.name(c, path.Dir(file), beside))
}

// fileInDirectory returns the file for a resource of a new file of upstream, whose neighbours are in upstream's directory:
// the one file into which local joined them, or upstream's name in their one directory. A file that followed a moved
// directory is there.
func (f *files) fileInDirectory(c *Change) string {
	file := c.Versions[identity.Upstream].File
	beside := f.inPackageOf(c, f.inDirectory[path.Dir(file)])
	switch {
	case len(beside) == 0 || f.assembly.unfollowed[file] != "":
		return file
	case isOne(beside, fileOf) && !isOne(beside, upstreamFileOf):
		return beside[0].Result.File
	case isOne(beside, directoryOf):
		return path.Join(directoryOf(beside[0]), path.Base(file))
	}
	return file
}

// name returns the name of a file for a single resource: by the naming rule of the other files in the
// directory, else the name that `kustomize build -o` gives.
func (f *files) name(c *Change, dir string, beside []*Change) string {
	var here []*Change
	for _, other := range beside {
		if directoryOf(other) == dir && f.count[other.Result.File] == 1 {
			here = append(here, other)
		}
	}
	if naming := namingOf(here); naming != nil {
		return file.ShortName(naming(c.Result.Meta)) + ".yaml"
	}
	return file.ShortName(kustomizeName(c.Result.Meta)) + ".yaml"
}

// kustomizeName returns the name that `kustomize build -o` gives the file of a resource, for example
// apps_v1_deployment_web.
func kustomizeName(m identity.Meta) string {
	return strings.ToLower(strings.ReplaceAll(m.APIVersion, "/", "_") + "_" + m.Kind + "_" + m.Name)
}

// namings returns the rules for naming files of one resource.
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

// namingOf returns the naming rule of the files of resources, nil if there is none.
func namingOf(changes []*Change) func(identity.Meta) string {
	for _, naming := range namings() {
		differs := func(c *Change) bool {
			base := path.Base(c.Result.File)
			return strings.TrimSuffix(base, path.Ext(base)) != file.ShortName(naming(c.Result.Meta))
		}
		if len(changes) > 0 && !slices.ContainsFunc(changes, differs) {
			return naming
		}
	}
	return nil
}

// nearestTo returns the nearest predecessor of c in upstream's file, else its successor.
func nearestTo(c *Change, beside []*Change) *Change {
	nearest := beside[0]
	for _, other := range beside {
		if isBefore(other.Versions[identity.Upstream], c.Versions[identity.Upstream]) {
			nearest = other
		}
	}
	return nearest
}

// isBefore reports whether a comes before b in their package.
func isBefore(a, b *Resource) bool { return a.File < b.File || a.File == b.File && a.Index < b.Index }

// isOne reports whether all changes have the same key.
func isOne(changes []*Change, key func(*Change) string) bool {
	return !slices.ContainsFunc(changes, func(c *Change) bool { return key(c) != key(changes[0]) })
}

func fileOf(c *Change) string { return c.Result.File }

func directoryOf(c *Change) string { return path.Dir(c.Result.File) }

func upstreamFileOf(c *Change) string { return c.Versions[identity.Upstream].File }
