package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"
)

// refs are what a remote repository calls its branches and tags, by full name.
type refs struct {
	ids map[string]string
	// head is the full name of the default branch, "" if the repository does not
	// tell it.
	head string
}

const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// list asks a remote repository for its branches and tags, or for its default
// branch alone. Only the user's configuration counts: that of a repository around the
// working directory could name programs.
func (g Git) list(ctx context.Context, repository string, onlyHead bool) (refs, error) {
	args := []string{"ls-remote", "--quiet", "--heads", "--tags", "--", repository}
	if onlyHead {
		args = []string{"ls-remote", "--quiet", "--symref", "--", repository, "HEAD"}
	}
	out, err := g.run(ctx, command{env: []string{"GIT_DIR=" + os.DevNull}, args: args, remote: repository})
	if err != nil {
		return refs{}, fmt.Errorf("%s: %w", Redact(repository), err)
	}
	return readRefs(string(out)), nil
}

// readRefs reads what git ls-remote writes.
func readRefs(out string) refs {
	all := refs{ids: map[string]string{}}
	for line := range strings.Lines(out) {
		id, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		target, symbolic := strings.CutPrefix(id, "ref: ")
		switch {
		case symbolic && name == "HEAD":
			all.head = target
		case found && isCommit(id):
			all.ids[name] = id
		}
	}
	return all
}

// find is the name and the id of a version of a directory, as kpt finds it: the
// tag of the directory or of the nearest one above it, so that v1.2 is dir/v1.2
// where there is such a tag; else the tag, else the branch. An annotated tag's id
// is its own, as kpt notes it.
func (all refs) find(dir, ref string) (name, id string) {
	if strings.HasPrefix(ref, branches) || strings.HasPrefix(ref, tags) {
		return ref, all.ids[ref]
	}
	for above := dir; ; above = path.Dir(above) {
		if above == "." {
			above = ""
		}
		name = path.Join(above, ref)
		if id = all.ids[tags+name]; id != "" {
			return name, id
		}
		if above == "" {
			return ref, all.ids[branches+ref]
		}
	}
}

// fallback is the name and the id of the default branch; where it has no name, the
// name is the id.
func (all refs) fallback() (name, id string) {
	id = all.ids["HEAD"]
	if branch, found := strings.CutPrefix(all.head, branches); found {
		return branch, id
	}
	return id, id
}
