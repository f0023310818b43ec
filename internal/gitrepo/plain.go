package gitrepo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/file"
)

// errUnusual is the error of a version that git has to check out, or to refuse in its own words.
var errUnusual = errors.New("git has to read the version")

// treeEntry is a file or directory in a tree of git.
type treeEntry struct {
	mode, path, id string
}

// readPlain reads the version from git's objects, which takes no checkout, if git would write all its files as they are.
// Otherwise, and if anything about the tree is unusual, it returns an error.
func (t tree) readPlain(r *reader, v *Version) error {
	if !r.convertsNothing() {
		return errUnusual
	}
	files, attributes, err := t.list(r.objects)
	if err != nil {
		return err
	}
	read := *v
	var ids []string
	for _, f := range files {
		if err := t.add(&read, f.path, f.mode); err != nil {
			return err
		}
		if f.mode != submodule {
			ids = append(ids, f.id)
		}
	}
	texts, err := r.objects.readAll("blob", slices.Concat(ids, attributes))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(texts[len(ids):], mayConvert) || t.dir != "" && len(files) == 0 {
		return errUnusual
	}
	for i := range read.Files {
		read.Files[i].Data = texts[i]
	}
	read.sort()
	*v = read
	return nil
}

// list lists the files of the directory, and the ids of all attributes that apply to them.
func (t tree) list(o *Objects) (files []treeEntry, attributes []string, err error) {
	const directory = "40000"
	for level := []treeEntry{{path: "", id: t.commit + "^{tree}"}}; len(level) > 0; {
		ids := make([]string, len(level))
		for i, dir := range level {
			ids[i] = dir.id
		}
		texts, err := o.readAll("tree", ids)
		if err != nil {
			return nil, nil, err
		}
		var below []treeEntry
		for i, text := range texts {
			entries, err := readTree(text, level[i].path, len(t.commit)/2)
			if err != nil {
				return nil, nil, err
			}
			for _, e := range entries {
				isInside := t.dir == "" || e.path == t.dir || strings.HasPrefix(e.path, t.dir+"/")
				switch {
				case e.mode == directory && (isInside || strings.HasPrefix(t.dir, e.path+"/")):
					below = append(below, e)
				case e.mode == directory:
				case isInside:
					files = append(files, e)
					fallthrough
				default:
					if path.Base(e.path) == ".gitattributes" {
						attributes = append(attributes, e.id)
					}
				}
			}
		}
		level = below
	}
	return files, attributes, nil
}

// readTree reads the entries of a tree whose ids have a number of bytes. A name that git may refuse is an error.
func readTree(text []byte, dir string, size int) (entries []treeEntry, err error) {
	known := map[string]bool{}
	for len(text) > 0 {
		head, rest, _ := bytes.Cut(text, []byte{0})
		mode, name, _ := strings.Cut(string(head), " ")
		if known[name] || !isPlainName(name) || len(rest) < size {
			return nil, errUnusual
		}
		known[name] = true
		entries = append(entries, treeEntry{mode: mode, path: path.Join(dir, name), id: hex.EncodeToString(rest[:size])})
		text = rest[size:]
	}
	return entries, nil
}

// isPlainName reports whether git and every file system take a name as it is, so that git does not refuse it.
func isPlainName(name string) bool {
	if strings.HasPrefix(strings.ToLower(name), ".git") {
		return slices.Contains([]string{".gitattributes", ".gitignore", ".gitkeep", ".github"}, name)
	}
	isUnusual := func(r rune) bool { return r < ' ' || r >= '~' || strings.ContainsRune(`/\:`, r) }
	return name != "" && name != "." && name != ".." && !strings.ContainsFunc(name, isUnusual)
}

// readAll reads objects of a kind. A missing one is an error.
func (o *Objects) readAll(kind string, names []string) (texts [][]byte, err error) {
	for some := range slices.Chunk(names, 200) { // git's answers and the questions wait in pipes
		if err := o.skip(); err != nil {
			return nil, err
		}
		if err := o.Ask(some...); err != nil {
			return nil, err
		}
		for range some {
			object, err := o.Next()
			if err != nil {
				return nil, err
			}
			if object.Kind != kind {
				return nil, errUnusual
			}
			texts = append(texts, object.Data)
		}
	}
	return texts, nil
}

// convertsNothing reports whether git checks out all files of the repository as they are unless an attribute of their
// version says otherwise: neither the configuration nor attributes outside of the versions ask for line ends or a filter.
func (r repository) convertsNothing(ctx context.Context) bool {
	program, err := exec.LookPath("git")
	home, homeErr := os.UserHomeDir()
	if err != nil || homeErr != nil || runtime.GOOS == "windows" {
		return false
	}
	out, err := r.run(ctx, command{args: []string{
		"config", "--null", "--type=path", "--get-regexp", `^(core\.(autocrlf|eol|attributesfile)|attr\.tree)$`,
	}})
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return false
	}
	user := filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "attributes")
	for setting := range strings.SplitSeq(string(out), "\x00") {
		value, isFile := strings.CutPrefix(setting, "core.attributesfile\n")
		if isFile {
			user = value
		} else if !slices.Contains([]string{"", "core.autocrlf\nfalse", "core.autocrlf\ninput", "core.eol\nlf"}, setting) {
			return false
		}
	}
	system := filepath.Join(filepath.Dir(filepath.Dir(program)), "etc", "gitattributes")
	return !slices.ContainsFunc([]string{r.attributes, user, system, "/etc/gitattributes"}, func(name string) bool {
		text, err := file.ReadGitFile(name)
		return err != nil && !errors.Is(err, fs.ErrNotExist) || mayConvert(text)
	})
}

// mayConvert reports whether attributes may ask for line ends or a filter: a text has one of their words.
func mayConvert(attributes []byte) bool {
	return slices.ContainsFunc([]string{"eol", "crlf", "filter", "ident", "encoding"}, func(word string) bool {
		return bytes.Contains(attributes, []byte(word))
	})
}
