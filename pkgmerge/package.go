package pkgmerge

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/parallel"
	"github.com/resource-merge/resource-merge/internal/resourcelist"
	"github.com/resource-merge/resource-merge/internal/stream"
)

// Package is one version of a package: its resources, in the order of its files.
type Package struct {
	Resources []*Resource
	// Skipped are the files that were skipped on reading the package: by their names they have resources, but they
	// are not YAML, or contain something other than resources, like the templates of a Helm chart (rules/input: files
	// that are not YAML).
	Skipped []SkippedFile
	// Source names the origin of the package in messages about Skipped; "" is the name of the side.
	Source string
	// Dir is the directory of the package in a tree of several; "" is the top. Messages put it before
	// the names of added files.
	Dir string
	// IsStream reports whether the package was read as one stream of documents, such as a rendered chart: its files
	// have no meaning.
	IsStream bool
	// Files are all files of the package, sorted by name, if NewPackage made it of files; else nil.
	Files []File
	// Ignored reports whether a .krmignore of the version lists a file, which this or another version may have; nil means that
	// none is known. NewPackage finds it in the files (rules/files: ignored files).
	Ignored func(file string) bool

	contents []*content // of Files, in their order
}

// SkippedFile is a file below the top of its package, with slashes, that was left out for a reason.
type SkippedFile struct{ File, Reason string }

// NewPackage returns a package made of files (rules/files: structured files). A file that is YAML or JSON by its
// name, and has only mappings as documents, merges by structure: each document is a Resource, also one without a
// kind. Any other file merges as text, or as a whole.
//
// It is an error if a name is absolute, not clean, outside of the package or used twice, or if a Kptfile is plainly no
// mapping of YAML: a fault that only parsing finds is an error of Merge. The files' data must not be altered any more.
func NewPackage(files []File) (Package, error) { return NewVersion(files, Package{}) }

// NewVersion is NewPackage for another version of a package. It does not read equal files again.
func NewVersion(files []File, other Package) (Package, error) {
	p := Package{Files: slices.Clone(files)}
	slices.SortStableFunc(p.Files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	err := checkFileNames(p.Files)
	if err != nil {
		return p, err
	}
	p.contents = make([]*content, len(files))
	again := other.contentsOf(p.Files)
	err = parallel.Each(len(files), func(i int) error {
		p.contents[i] = again[i].reuse(&p.Files[i])
		if c := p.contents[i]; c.fault != "" && path.Base(c.Name) == "Kptfile" {
			return fmt.Errorf("%s: %s", c.Name, c.fault)
		}
		return nil
	})
	for _, c := range p.contents {
		if c != nil {
			p.Resources = append(p.Resources, c.resources...)
		}
	}
	if slices.ContainsFunc(p.Files, func(f File) bool { return path.Base(f.Name) == file.KrmIgnore }) {
		ignored := file.Ignored(p.Files)
		p.Ignored = func(name string) bool { return ignored.Ignores(name, false) }
	}
	return p, err
}

// checkFileNames refuses names outside of the package, and names of sorted files that occur twice.
func checkFileNames(sorted []File) error {
	for i, f := range sorted {
		if f.Name == "." || f.Name != path.Clean(f.Name) || path.IsAbs(f.Name) || f.Name == ".." || strings.HasPrefix(f.Name, "../") {
			return fmt.Errorf("%q is not the name of a file below the package's directory", f.Name)
		}
		if i > 0 && sorted[i-1].Name == f.Name {
			return fmt.Errorf("the package has the file %s more than once", f.Name)
		}
	}
	return nil
}

// WithFile returns the package with an additional file, whose resources come last. It is an error if the file cannot
// be read as resources.
func (p Package) WithFile(f File) (Package, error) {
	c := newContent(&f)
	if !c.isStructured() {
		return p, fmt.Errorf("%s: %s", f.Name, cmp.Or(c.fault, "it has no resources"))
	}
	if p.contents != nil {
		at, _ := slices.BinarySearchFunc(p.contents, f.Name, compareName)
		p.contents = slices.Insert(slices.Clone(p.contents), at, c)
		p.Files = slices.Insert(slices.Clone(p.Files), at, f)
	}
	p.Resources = append(slices.Clone(p.Resources), c.resources...)
	return p, nil
}

// OnlyResources returns the package without the files that have no resources. It is an error if a
// file that is YAML or JSON by its name cannot be read as resources.
func (p Package) OnlyResources() (Package, error) {
	if err := p.checkLeftOut(); err != nil {
		return p, err
	}
	files, contents := p.Files[:0:0], p.contents[:0:0]
	for i, c := range p.contents {
		switch {
		case c.fault != "":
			return p, fmt.Errorf("%s: %s", c.Name, c.fault)
		case c.isStructured():
			files, contents = append(files, p.Files[i]), append(contents, c)
		}
	}
	p.Files, p.contents = files, contents
	return p, nil
}

// checkLeftOut returns an error if the resources of a file are left out because a document of it is unreadable.
func (p Package) checkLeftOut() error {
	count, kept := 0, map[*Resource]bool{}
	for _, c := range p.contents {
		count += len(c.resources)
	}
	if count == len(p.Resources) {
		return nil
	}
	for _, r := range p.Resources {
		kept[r] = true
	}
	for _, c := range p.contents {
		if len(c.resources) > 0 && !kept[c.resources[0]] {
			if err := c.check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if a document of a file is unreadable. Most documents are plain text, which is not.
func (c *content) check() error {
	for _, r := range c.resources {
		if !r.item.IsDoubtful() {
			continue
		}
		if err := r.check(); err != nil {
			return err
		}
	}
	return nil
}

// filter returns the package with its resources for which keep reports true.
func (p Package) filter(keep func(*Resource) bool) Package {
	p.Resources = slices.DeleteFunc(slices.Clone(p.Resources), func(r *Resource) bool { return !keep(r) })
	return p
}

// WithoutIgnored returns the package without the files that another version of it ignores.
func (p Package) WithoutIgnored(by Package) Package {
	if by.Ignored == nil {
		return p
	}
	p.Files = slices.DeleteFunc(slices.Clone(p.Files), func(f File) bool { return by.Ignored(f.Name) })
	p.contents = slices.DeleteFunc(slices.Clone(p.contents), func(c *content) bool { return by.Ignored(c.Name) })
	p.Skipped = slices.DeleteFunc(slices.Clone(p.Skipped), func(s SkippedFile) bool { return by.Ignored(s.File) })
	return p.filter(func(r *Resource) bool { return !by.Ignored(r.File) })
}

// content returns the content of a file, nil if there is none of that name.
func (p *Package) content(name string) *content {
	at, found := slices.BinarySearchFunc(p.contents, name, compareName)
	if !found {
		return nil
	}
	return p.contents[at]
}

// contentsOf returns the contents of the files with the names of others, which are sorted; nil where there is none.
func (p *Package) contentsOf(sorted []File) []*content {
	out := make([]*content, len(sorted))
	rest := p.contents
	for i, f := range sorted {
		for len(rest) > 0 && rest[0].Name < f.Name {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0].Name == f.Name {
			out[i] = rest[0]
		}
	}
	return out
}

func compareName(c *content, name string) int { return strings.Compare(c.Name, name) }

// findPackages returns the directory of the package of each resource: the nearest one with a Kptfile,
// "." for the merged package itself.
func findPackages(resources []*Resource) []string {
	dirs := packageDirectories(resources)
	out := make([]string, len(resources))
	for i, r := range resources {
		out[i] = nearest(dirs, path.Dir(r.File))
	}
	return out
}

func packageDirectories(resources []*Resource) map[string]bool {
	dirs := map[string]bool{}
	for _, r := range resources {
		if r.isKptfile() && r.File != "" {
			dirs[path.Dir(r.File)] = true
		}
	}
	return dirs
}

// nearest returns the innermost of the packages around dir, "." if there is none.
func nearest(packages map[string]bool, dir string) string {
	for len(packages) > 0 && dir != "." && dir != "/" {
		if packages[dir] {
			return dir
		}
		dir = path.Dir(dir)
	}
	return "."
}

// File is a file of a package, with all its bytes (rules/files: files).
type File struct {
	// Name is the file below the top of its package, with slashes.
	Name string
	// Mode is 0o644, 0o755 for a file that may be executed, or fs.ModeSymlink.
	Mode fs.FileMode
	// Data are the bytes of the file; of a symbolic link, its target.
	Data []byte
}

// content is the content of a file of a package.
type content struct {
	*File
	// stream has the documents of a file that merges by structure, and resources the ones that are not
	// empty; nil for another file.
	stream    *stream.Stream
	resources []*Resource
	// fault explains why a file that is YAML or JSON by its name does not merge by structure.
	fault string
}

// reuse returns the content of a file, copied from c, which may be nil, if the files are equal. Then they share their bytes, so that
// a comparison of the two looks at no byte.
func (c *content) reuse(f *File) *content {
	if c == nil || c.Mode != f.Mode || !bytes.Equal(c.Data, f.Data) {
		return newContent(f)
	}
	f.Data = c.Data
	again := &content{File: f, stream: c.stream, fault: c.fault}
	for _, r := range c.resources {
		copied := *r
		copied.item = r.item.Clone()
		again.resources = append(again.resources, &copied)
	}
	return again
}

func newContent(f *File) *content {
	c := &content{File: f}
	if f.Mode&fs.ModeSymlink != 0 || !file.IsStructured(f.Name) {
		return c
	}
	if bytes.HasPrefix(f.Data, []byte("\xFF\xFE")) || bytes.HasPrefix(f.Data, []byte("\xFE\xFF")) {
		c.fault = "line 1: it is UTF-16; save it as UTF-8"
		return c
	}
	if !isText(f.Data) {
		return c
	}
	if !utf8.Valid(f.Data) {
		c.fault = "it is not UTF-8"
		return c
	}
	s := stream.Read(f.Data)
	for n, d := range s.Documents {
		if d.IsEmpty() {
			continue
		}
		item, err := resourcelist.Document(d.Text, d.Line)
		if err != nil {
			return &content{File: f, fault: err.Error()}
		}
		r := FromItem(f.Name, len(c.resources), item)
		r.document = n
		c.resources = append(c.resources, r)
	}
	if len(c.resources) > 0 {
		c.stream = s
	}
	return c
}

// isStructured reports whether there is a file, and it merges by structure.
func (c *content) isStructured() bool { return c != nil && c.stream != nil }

// isText reports whether data is text, which merges by lines: it has no NUL byte (rules/files: text
// and other files). It need not be UTF-8.
func isText(data []byte) bool { return bytes.IndexByte(data, 0) < 0 }

// renamed returns the package with other names of files. Its resources stay its own: they may differ from the ones that
// its files have.
func (p Package) renamed(to map[string]string) Package {
	renamed := map[*Resource]*Resource{}
	if p.contents == nil {
		p.Resources = renameFiles(p.Resources, to, renamed)
		return p
	}
	contents := slices.Clone(p.contents)
	for i, c := range contents {
		if name, found := to[c.Name]; found {
			file := *c.File
			file.Name = name
			contents[i] = &content{File: &file, stream: c.stream, resources: renameFiles(c.resources, to, renamed), fault: c.fault}
		}
	}
	slices.SortFunc(contents, func(a, b *content) int { return strings.Compare(a.Name, b.Name) })
	p.contents, p.Files = contents, nil
	for _, c := range contents {
		p.Files = append(p.Files, *c.File)
	}
	p.Resources = renameFiles(p.Resources, to, renamed)
	slices.SortStableFunc(p.Resources, func(a, b *Resource) int { return strings.Compare(a.File, b.File) })
	return p
}

// renameFiles returns the resources with other names of files. renamed has the renamed versions of resources.
func renameFiles(resources []*Resource, to map[string]string, renamed map[*Resource]*Resource) []*Resource {
	resources = slices.Clone(resources)
	for i, r := range resources {
		name, found := to[r.File]
		if found && renamed[r] == nil {
			other := *r
			other.File = name
			renamed[r] = &other
		}
		if found {
			resources[i] = renamed[r]
		}
	}
	return resources
}
