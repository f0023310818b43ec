package gitrepo

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// IsRemote reports whether a text has the form of a remote: a URL, host:path, or a path with a segment that
// ends in .git.
func IsRemote(text string) bool {
	return strings.Contains(text, "://") || isHostPath(text) || strings.HasPrefix(text, "github.com/") ||
		gitSuffix().MatchString(text)
}

// isHostPath reports whether a text has the form of ssh's user@host:path.
func isHostPath(text string) bool {
	host, _, found := strings.Cut(text, ":")
	return found && strings.Contains(host, "@") && !strings.ContainsAny(host, "/\\")
}

// gitSuffix matches the .git at the end of a repository.
func gitSuffix() *regexp.Regexp { return regexp.MustCompile(`\.git(/|@|\?|$)`) }

// Parse parses a remote directory (rules/versions: remote directories) in kpt's form, repository.git/dir@version,
// or kustomize's, repository//dir?ref=version. If the end of the repository is unknown it returns all remotes that
// the text may mean, the longest repository first, for Fetch to try. It opens no connection.
func Parse(text string) ([]Remote, error) {
	all, err := parse(strings.TrimPrefix(text, "git::"))
	if err != nil {
		return nil, fmt.Errorf("%q: %w", Redact(printable(text)), err)
	}
	for _, remote := range all {
		if err := remote.check(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func parse(text string) ([]Remote, error) {
	if strings.HasPrefix(text, "github.com/") {
		text = "https://" + text
	}
	host, rest := splitHost(text)
	rest, ref, err := cutQuery(rest)
	if err != nil {
		return nil, err
	}
	repository, dir, isKnown := strings.Cut(rest, "//")
	if at := gitSuffix().FindStringIndex(rest); at != nil {
		end := at[0] + len(".git")
		repository, dir, isKnown = rest[:end], rest[end:], true
	} else if !isKnown || strings.Trim(repository, "/") == "" {
		dir, isKnown = rest, false
	}
	dir, version, err := cutVersion(dir, ref)
	switch {
	case err != nil:
		return nil, err
	case isKnown:
		return []Remote{{Repository: host + repository, Directory: clean(dir), Ref: version}}, nil
	case strings.HasSuffix(host, "://github.com"):
		return atGitHub(host, dir, version)
	}
	return candidates(host, dir, version), nil
}

// splitHost splits a remote after its host: a URL before the path, host:path after the colon. Like a version,
// a user's name may contain an @.
func splitHost(text string) (host, rest string) {
	if scheme, after, found := strings.Cut(text, "://"); found {
		at := strings.IndexAny(after, "/?")
		if at < 0 {
			at = len(after)
		}
		return scheme + "://" + after[:at], after[at:]
	}
	if isHostPath(text) {
		at := strings.IndexByte(text, ':') + 1
		return text[:at], text[at:]
	}
	return "", text
}

// cutQuery removes the query of a remote in kustomize's form, and returns the version of ref or version. It
// ignores fields about how to fetch.
func cutQuery(text string) (rest, ref string, err error) {
	rest, query, _ := strings.Cut(text, "?")
	fields, err := url.ParseQuery(query)
	if err != nil {
		return "", "", err
	}
	for name := range fields {
		switch name {
		case "ref", "version", "timeout", "submodules":
		default:
			return "", "", errors.New("only ref, version, timeout and submodules may follow the question mark")
		}
	}
	ref = cmp.Or(fields.Get("ref"), fields.Get("version"))
	if ref == "" && (fields.Has("ref") || fields.Has("version")) {
		return "", "", errors.New("the version is empty")
	}
	return rest, ref, nil
}

// cutVersion removes @version from a directory. ref is the version of the query; only one of them is allowed.
func cutVersion(text, ref string) (dir, version string, err error) {
	dir, version, found := strings.Cut(text, "@")
	version = strings.TrimSuffix(version, "/")
	switch {
	case found && ref != "":
		return "", "", errors.New("there are two versions")
	case found && version == "":
		return "", "", errors.New("no version follows the @")
	}
	return dir, cmp.Or(ref, version), nil
}

// candidates returns the remotes that a path may mean, with ever shorter repositories.
func candidates(host, path, version string) (all []Remote) {
	slash := ""
	if strings.HasPrefix(path, "/") {
		slash = "/"
	}
	steps := strings.Split(strings.Trim(path, "/"), "/")
	for n := len(steps); n > 0; n-- {
		all = append(all, Remote{
			Repository: host + slash + strings.Join(steps[:n], "/"),
			Directory:  clean(strings.Join(steps[n:], "/")),
			Ref:        version,
		})
	}
	return all
}

// atGitHub returns a remote of GitHub, whose repositories have two segments. It accepts .../tree/version/dir, as
// shown by a browser.
func atGitHub(host, path, version string) ([]Remote, error) {
	steps := strings.Split(strings.Trim(path, "/"), "/")
	if len(steps) < 2 {
		return nil, errors.New("a repository of GitHub has an owner and a name")
	}
	repository, rest := host+"/"+steps[0]+"/"+steps[1], steps[2:]
	if len(rest) > 1 && rest[0] == "tree" {
		if version != "" {
			return nil, errors.New("there are two versions")
		}
		version, rest = rest[1], rest[2:]
	}
	return []Remote{{Repository: repository, Directory: clean(strings.Join(rest, "/")), Ref: version}}, nil
}
