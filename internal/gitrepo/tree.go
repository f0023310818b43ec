package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/pkgmerge"
)

// Version is a directory at a version, with all its files.
type Version struct {
	// Remote is where the version is from. Its Ref is the name that was found: the
	// tag of the directory, or the default branch.
	Remote
	// ID is what the name stands for: a commit, or, as kpt notes it, an annotated
	// tag, which names a commit for good.
	ID string
	// Files are those of the directory, sorted by name, or the one file that stands there.
	Files []pkgmerge.File
	// IsFile says that a file or a symbolic link stands there, and no directory.
	IsFile bool
	// Submodules are directories that are repositories of their own: none of their
	// files are read.
	Submodules []string
}

// tree is a directory of a commit, to be read.
type tree struct {
	// run runs git in the repository.
	run runner
	// commit may also be a tag's id.
	commit string
	dir    string
}

// ErrNoDirectory is in the error about a directory that a version does not have.
var ErrNoDirectory = errors.New("the version has no such directory")

// read reads the files of the directory, or the one file that stands there, into a
// version, sorted by name, and lists the submodules.
func (t tree) read(ctx context.Context, v *Version) error {
	objects, attributes, err := t.objects(ctx)
	if err != nil {
		return err
	}
	v.IsFile = len(objects) == 1 && t.dir != "" && path.Join(objects[0].above, objects[0].name) == t.dir
	var links, texts []object
	for _, o := range objects {
		if err := checkName(o.name); err != nil {
			return err
		}
		switch {
		case o.kind == "commit":
			v.Submodules = append(v.Submodules, o.name)
		case o.mode == symlink:
			links = append(links, o)
		default:
			texts = append(texts, o)
		}
	}
	targets, err := t.run.batch(ctx, links, nil)
	if err != nil {
		return err
	}
	contents, err := t.run.checkOut(ctx, texts, attributes)
	if err != nil {
		return err
	}
	v.Files = append(filesOf(links, targets), filesOf(texts, contents)...)
	slices.SortFunc(v.Files, func(a, b pkgmerge.File) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// objects lists what is in the directory, and the files of attributes above it.
func (t tree) objects(ctx context.Context) (objects, attributes []object, err error) {
	if t.dir == "" {
		objects, err = t.list(ctx, "", "-r", t.commit)
		return objects, nil, err
	}
	args := []string{t.commit, "--", t.dir}
	for above := path.Dir(t.dir); ; above = path.Dir(above) {
		args = append(args, path.Join(above, ".gitattributes"))
		if above == "." {
			break
		}
	}
	found, err := t.list(ctx, "", args...)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range found {
		switch {
		case o.name != t.dir:
			attributes = append(attributes, o)
		case o.kind == "tree":
			objects, err = t.list(ctx, t.dir, "-r", o.id)
		case o.kind == "blob":
			o.above, o.name = path.Dir(o.name), path.Base(o.name)
			objects = []object{o}
		}
	}
	if err == nil && objects == nil {
		err = fmt.Errorf("%w: %q", ErrNoDirectory, t.dir)
	}
	return objects, attributes, err
}

// list lists a tree that stands above, in a directory of the repository.
func (t tree) list(ctx context.Context, above string, args ...string) (objects []object, err error) {
	out, err := t.run(ctx, command{args: append([]string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree"}, args...)})
	if err != nil {
		return nil, err
	}
	objects = []object{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, found := strings.Cut(entry, "\t")
		fields := strings.Fields(about)
		if found && len(fields) == 3 {
			objects = append(objects, object{mode: fields[0], kind: fields[1], id: fields[2], name: name, above: above})
		}
	}
	return objects, nil
}

// filesOf are the files of objects with their contents.
func filesOf(objects []object, contents [][]byte) (files []pkgmerge.File) {
	for i, o := range objects {
		mode := fs.FileMode(0o644)
		switch o.mode {
		case executable:
			mode = 0o755
		case symlink:
			mode = fs.ModeSymlink
		}
		files = append(files, pkgmerge.File{Name: o.name, Mode: mode, Data: contents[i]})
	}
	return files
}
