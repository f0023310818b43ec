package gitrepo

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
)

// Version is a directory at a version, with all its files.
type Version struct {
	// Remote is the source of the version. Its Ref is the found name: a tag of the directory, or the default branch.
	Remote
	// ID is the id of the commit, or, as in a Kptfile, of an annotated tag.
	ID string
	// Files are the files of the directory, sorted by name, or the single file if the version is one.
	Files []file.File
	// IsFile reports that the version is a file or a symbolic link instead of a directory.
	IsFile bool
	// Submodules are directories with repositories of their own, whose files are not read.
	Submodules []string
}

// tree is a directory of a commit.
type tree struct {
	run    runner
	commit string // or the id of a tag
	dir    string
}

// errNoDirectory is the error for a directory that a version lacks.
var errNoDirectory = errors.New("the version has no such directory")

// read reads the files and submodules of the directory, or a single file, into a version.
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
	slices.SortFunc(v.Files, func(a, b file.File) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// objects lists the objects in the directory, and the .gitattributes above it.
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
		err = fmt.Errorf("%w: %q", errNoDirectory, t.dir)
	}
	return objects, attributes, err
}

// list lists the objects of a tree in the directory above.
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

// filesOf returns the files of objects with their contents.
func filesOf(objects []object, contents [][]byte) (files []file.File) {
	for i, o := range objects {
		mode := fs.FileMode(0o644)
		switch o.mode {
		case executable:
			mode = 0o755
		case symlink:
			mode = fs.ModeSymlink
		}
		files = append(files, file.File{Name: o.name, Mode: mode, Data: contents[i]})
	}
	return files
}

// runner runs git in a repository.
type runner func(context.Context, command) ([]byte, error)

// object is an entry of a tree.
type object struct {
	mode, kind, id string
	// above is the listed directory, name the path below it.
	name, above string
}

const (
	executable = "100755"
	symlink    = "120000"
)

// fullName returns the path below the top of the repository.
func (o object) fullName() string { return path.Join(o.above, o.name) }

// checkName returns an error for a name that git itself never writes, but that a forged tree may have to
// place files elsewhere.
func checkName(name string) error {
	isGit := func(step string) bool { return strings.EqualFold(step, ".git") }
	if name == "." || name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) ||
		strings.ContainsRune(name, 0) || slices.ContainsFunc(strings.Split(name, "/"), isGit) {
		return fmt.Errorf("the file name %q is not allowed", name)
	}
	return nil
}

// errBroken is the error for objects that git lists but does not have.
var errBroken = errors.New("the repository is broken")

// batch reads the contents of objects, as stored, or filtered as in a work tree. Since the size of filtered
// contents is unknown, a random word separates them.
func (run runner) batch(ctx context.Context, objects []object, work *command) ([][]byte, error) {
	if len(objects) == 0 {
		return nil, nil
	}
	c, mode := command{}, []string{}
	if work != nil {
		c, mode = *work, []string{"--filters"}
	}
	word := rand.Text()
	var ask strings.Builder
	for _, o := range objects {
		// Git reads a request up to the end of the line; the name only selects attributes.
		name := strings.ReplaceAll(o.fullName(), "\n", "?")
		if work == nil {
			name = ""
		}
		ask.WriteString(strings.TrimSpace(o.id+" "+name) + "\n")
	}
	c.stdin = strings.NewReader(ask.String())
	c.args = append(append(c.args, "cat-file", "--buffer", "--batch="+word+" %(objectname)"), mode...)
	out, err := run(ctx, c)
	if err != nil {
		return nil, err
	}
	return splitBatch(out, word, objects)
}

// splitBatch splits the output of git cat-file at the word.
func splitBatch(out []byte, word string, objects []object) ([][]byte, error) {
	contents := make([][]byte, len(objects))
	out, first := bytes.CutPrefix(out, []byte(word+" "))
	if !first || !bytes.HasSuffix(out, []byte("\n")) {
		return nil, errBroken
	}
	parts := bytes.Split(out[:len(out)-1], []byte("\n"+word+" "))
	if len(parts) != len(objects) {
		return nil, errBroken
	}
	for i, part := range parts {
		id, content, found := bytes.Cut(part, []byte("\n"))
		if !found || !bytes.HasPrefix(id, []byte(objects[i].id)) {
			return nil, errBroken
		}
		contents[i] = content[:len(content):len(content)]
	}
	return contents, nil
}

// checkOut reads files as git would check them out of the tree (rules/versions: checked-out files), with the
// .gitattributes of the tree in the directory and above it. Git reads these from a temporary work tree.
func (run runner) checkOut(ctx context.Context, texts, attributes []object) (contents [][]byte, err error) {
	for _, o := range texts {
		if path.Base(o.name) == ".gitattributes" {
			attributes = append(attributes, o)
		}
	}
	rules, err := run.batch(ctx, attributes, nil)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "resource-merge-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	for i, o := range attributes {
		file := filepath.Join(work, filepath.FromSlash(o.fullName()))
		err = errors.Join(checkName(o.fullName()), os.MkdirAll(filepath.Dir(file), 0o700))
		if err == nil {
			err = os.WriteFile(file, rules[i], 0o600)
		}
		if err != nil {
			return nil, err
		}
	}
	return run.batch(ctx, texts, &command{
		dir:  work,
		args: []string{"-c", "core.bare=false", "--work-tree=" + work},
	})
}
