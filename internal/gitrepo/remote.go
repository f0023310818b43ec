package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Remote is a directory of a version of a repository.
type Remote struct {
	// Repository is a URL, host:path, or a path.
	Repository string
	// Directory is a path below the top, with slashes but none at its ends; "" is the top.
	Directory string
	// Ref is a branch, a tag, a tag of the directory or of one above it (v1.2 for dir/v1.2), or a commit; "" is
	// the default branch.
	Ref string
}

// String returns a remote in kpt's form, without secrets.
func (r Remote) String() string {
	text := Redact(r.Repository)
	if r.Directory != "" {
		text = strings.TrimSuffix(text, "/") + "/" + r.Directory
	}
	if r.Ref != "" {
		text += "@" + r.Ref
	}
	return text
}

// maxLength limits the bytes of a repository, directory or version, as Linux limits a path.
const maxLength = 4096

// check returns an error if git could take a part of the remote for an option, for a program that reads the
// repository, or for a directory outside of it.
func (r Remote) check() error {
	for _, part := range [3]struct{ what, text string }{
		{"repository", r.Repository}, {"directory", r.Directory}, {"version", r.Ref},
	} {
		if err := checkPart(part.what, part.text); err != nil {
			return err
		}
	}
	if r.Repository == "" {
		return fmt.Errorf("%q names no repository", r.String())
	}
	if helper := helperOf(r.Repository); helper != "" {
		return fmt.Errorf("the repository %q names a helper of git, %s: only URLs and paths are read", Redact(r.Repository), helper)
	}
	if strings.HasPrefix(hostOf(r.Repository), "-") {
		return fmt.Errorf("the host of the repository %q looks like an option of ssh", Redact(r.Repository))
	}
	if r.Directory != "" && r.Directory != clean(r.Directory) || hasParent(r.Directory) {
		return fmt.Errorf("the directory %q is not below the top of the repository", r.Directory)
	}
	return checkRef(r.Ref)
}

// checkPart returns an error if git could take a part of a remote for an option, or if it is too long or has a
// control character.
func checkPart(what, text string) error {
	if strings.HasPrefix(text, "-") {
		return fmt.Errorf("the %s %q looks like an option of git", what, Redact(text))
	}
	if len(text) > maxLength {
		return fmt.Errorf("the %s %q… has %d bytes; at most %d are allowed", what, Redact(text[:60]), len(text), maxLength)
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return fmt.Errorf("the %s %q has a control character", what, Redact(text))
	}
	return nil
}

// helperOf returns the program that git would start for a repository of the form NAME::ADDRESS, or of one of
// the schemes ext and fd, which start programs or use open files. Git would allow them if the user's
// protocol.allow does, even for a stranger's package.
func helperOf(repository string) string {
	if scheme, _, found := strings.Cut(repository, "://"); found && (strings.EqualFold(scheme, "ext") || strings.EqualFold(scheme, "fd")) {
		return scheme
	}
	helper, _, found := strings.Cut(repository, "::")
	if !found || strings.ContainsAny(helper, "/[@") {
		return ""
	}
	return helper
}

// hostOf returns the host of a URL or of ssh's host:path, without its user, and "" for a path.
func hostOf(repository string) string {
	_, rest, isURL := strings.Cut(repository, "://")
	if !isURL {
		host, _, found := strings.Cut(repository, ":")
		if !found || strings.Contains(host, "/") {
			return ""
		}
		rest = host
	}
	host, _, _ := strings.Cut(rest, "/")
	return host[strings.LastIndexByte(host, '@')+1:]
}

// checkRef returns an error if a text cannot name a branch or tag by the rules of `git check-ref-format`.
func checkRef(ref string) error {
	wrong := strings.ContainsAny(ref, " ~^:?*[\\") || strings.Contains(ref, "..") || strings.Contains(ref, "@{") ||
		strings.Contains(ref, "//") || strings.HasPrefix(ref, "/") || strings.HasSuffix(ref, "/") ||
		strings.HasSuffix(ref, ".") || strings.HasSuffix(ref, ".lock") || ref == "@"
	if wrong {
		return fmt.Errorf("the version %q is not the name of a branch, tag or commit", ref)
	}
	return nil
}

// hasParent reports whether a directory has a segment "..".
func hasParent(dir string) bool { return slices.Contains(strings.Split(dir, "/"), "..") }

// clean returns a directory in the form of a Remote. It keeps segments "..", which check finds.
func clean(dir string) string {
	dir = strings.Trim(dir, "/")
	if hasParent(dir) {
		return dir
	}
	return strings.TrimPrefix(path.Clean("/"+dir), "/")
}

// IsCommit reports whether a version is the full id of an object.
func IsCommit(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(ref, "0123456789abcdef") == ""
}

// isShortCommit reports whether a version may be an abbreviated id.
func isShortCommit(ref string) bool {
	return regexp.MustCompile(`^[0-9a-fA-F]{4,63}$`).MatchString(ref)
}

// refs are the branches and tags of a remote repository.
type refs struct {
	ids map[string]string // by full name
	// head is the full name of the default branch, "" if it is unknown.
	head string
}

const (
	branches = "refs/heads/"
	tags     = "refs/tags/"
)

// list lists the branches and tags of a remote repository, or its default branch alone. It ignores the
// configuration of a repository in the working directory, which could name programs.
func (g Git) list(ctx context.Context, repository string, onlyHead bool) (refs, error) {
	args := []string{"ls-remote", "--quiet", "--heads", "--tags", "--", repository}
	if onlyHead {
		args = []string{"ls-remote", "--quiet", "--symref", "--", repository, "HEAD"}
	}
	return kept(sessionOf(ctx), func(s *session) map[string]refs { return s.refs }, strings.Join(args, " "), func() (refs, error) {
		out, err := g.run(ctx, command{env: []string{"GIT_DIR=" + os.DevNull}, args: args, remote: repository})
		if err != nil {
			return refs{}, fmt.Errorf("%s: %w", Redact(repository), err)
		}
		return readRefs(string(out)), nil
	})
}

// readRefs parses the output of git ls-remote.
func readRefs(out string) refs {
	all := refs{ids: map[string]string{}}
	for line := range strings.Lines(out) {
		id, name, found := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		target, symbolic := strings.CutPrefix(id, "ref: ")
		switch {
		case symbolic && name == "HEAD":
			all.head = target
		case found && IsCommit(id):
			all.ids[name] = id
		}
	}
	return all
}

// find returns the name and the id of a version of a directory, as kpt does: of the tag of the directory or of the
// nearest one above it (dir/v1.2 for v1.2), else of the tag, else of the branch. An annotated tag has its own id.
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

// defaultBranch returns the name and the id of the default branch. If the name is unknown, the id is the name.
func (all refs) defaultBranch() (name, id string) {
	id = all.ids["HEAD"]
	if branch, found := strings.CutPrefix(all.head, branches); found {
		return branch, id
	}
	return id, id
}

// Tags lists the versions that the tags of a repository give a directory, sorted: the tag dir/v1.2 is its version v1.2,
// as in Fetch. The first of the remotes whose repository answers is asked.
func (g Git) Tags(ctx context.Context, remotes ...Remote) ([]string, error) {
	var first error
	for _, remote := range remotes {
		if err := remote.check(); err != nil {
			return nil, err
		}
		repository, err := absolute(remote.Repository)
		if err != nil {
			return nil, err
		}
		all, err := g.list(ctx, repository, false)
		if err == nil {
			return all.versions(remote.Directory), nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func (all refs) versions(dir string) (versions []string) {
	for name := range all.ids {
		tag, is := strings.CutPrefix(name, tags)
		if !is || strings.HasSuffix(tag, "^{}") {
			continue
		}
		for above := dir; above != "" && above != "."; above = path.Dir(above) {
			if version, is := strings.CutPrefix(tag, above+"/"); is {
				tag = version
				break
			}
		}
		versions = append(versions, tag)
	}
	slices.Sort(versions)
	return slices.Compact(versions)
}
