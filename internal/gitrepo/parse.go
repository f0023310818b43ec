package gitrepo

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// IsRemote reports whether a text is written as a remote: a URL, host:path, or a
// path with .git at the end of a step.
func IsRemote(text string) bool {
	return strings.Contains(text, "://") || isHostPath(text) || strings.HasPrefix(text, "github.com/") ||
		gitSuffix().MatchString(text)
}

// isHostPath reports whether a text is written as ssh's user@host:path.
func isHostPath(text string) bool {
	host, _, found := strings.Cut(text, ":")
	return found && strings.Contains(host, "@") && !strings.ContainsAny(host, "/\\")
}

// gitSuffix finds where a repository ends that says so.
func gitSuffix() *regexp.Regexp { return regexp.MustCompile(`\.git(/|@|\?|$)`) }

// Parse reads how a remote directory is written (rules/versions: remote directories):
// as kpt does it, repository.git/dir@version, or kustomize,
// repository//dir?ref=version. Where nothing in it says where the repository ends,
// there are several remotes, of which the first whose repository answers is meant: the
// longest is first. It asks nobody.
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
	rest, ref, asked, err := cutQuery(rest)
	if err != nil {
		return nil, err
	}
	if at := gitSuffix().FindStringIndex(rest); at != nil {
		end := at[0] + len(".git")
		dir, version, err := cutVersion(rest[end:], ref, asked)
		return []Remote{{Repository: host + rest[:end], Directory: clean(dir), Ref: version}}, err
	}
	if repository, dir, found := strings.Cut(rest, "//"); found && strings.Trim(repository, "/") != "" {
		dir, version, err := cutVersion(dir, ref, asked)
		return []Remote{{Repository: host + repository, Directory: clean(dir), Ref: version}}, err
	}
	where, version, err := cutVersion(rest, ref, asked)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(host, "://github.com") {
		return atGitHub(host, where, version)
	}
	return fromLongest(host, where, version)
}

// splitHost splits a remote after its host: a URL before the path, host:path after
// the colon. A user's name may have an @, as a version has.
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

// cutQuery takes the query off a remote, as kustomize has it: ref or version say
// which version, and what says how to fetch it does not matter here.
func cutQuery(text string) (rest, ref string, asked bool, err error) {
	rest, query, found := strings.Cut(text, "?")
	if !found {
		return rest, "", false, nil
	}
	fields, err := url.ParseQuery(query)
	if err != nil {
		return "", "", false, err
	}
	for name := range fields {
		switch name {
		case "ref", "version", "timeout", "submodules":
		default:
			return "", "", false, errors.New("only ref, version, timeout and submodules may follow the question mark")
		}
	}
	ref = fields.Get("ref")
	if ref == "" {
		ref = fields.Get("version")
	}
	if ref == "" && (fields.Has("ref") || fields.Has("version")) {
		return "", "", false, errors.New("the version is empty")
	}
	return rest, ref, ref != "", nil
}

// cutVersion takes @version off a directory, of which none may be there if the
// query has one.
func cutVersion(text, ref string, asked bool) (dir, version string, err error) {
	dir, version, found := strings.Cut(text, "@")
	version = strings.TrimSuffix(version, "/")
	switch {
	case found && asked:
		return "", "", errors.New("there are two versions")
	case asked:
		return dir, ref, nil
	case found && version == "":
		return "", "", errors.New("no version follows the @")
	}
	return dir, version, nil
}

// fromLongest are the remotes that a path may be, with ever shorter repositories.
func fromLongest(host, where, version string) (all []Remote, err error) {
	slash := ""
	if strings.HasPrefix(where, "/") {
		slash = "/"
	}
	steps := strings.Split(strings.Trim(where, "/"), "/")
	for n := len(steps); n > 0; n-- {
		all = append(all, Remote{
			Repository: host + slash + strings.Join(steps[:n], "/"),
			Directory:  clean(strings.Join(steps[n:], "/")),
			Ref:        version,
		})
	}
	return all, nil
}

// atGitHub is a remote of GitHub, whose repositories have two steps. What a
// browser shows as .../tree/version/dir is one too.
func atGitHub(host, where, version string) ([]Remote, error) {
	steps := strings.Split(strings.Trim(where, "/"), "/")
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
