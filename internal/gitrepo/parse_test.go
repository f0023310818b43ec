package gitrepo

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	one := func(repository, dir, ref string) []Remote { return []Remote{{repository, dir, ref}} }
	for text, want := range map[string][]Remote{
		// as kpt writes it
		"https://host/repo.git":                     one("https://host/repo.git", "", ""),
		"https://host/repo.git/":                    one("https://host/repo.git", "", ""),
		"https://host/repo.git@v1":                  one("https://host/repo.git", "", "v1"),
		"https://host/repo.git/@v1":                 one("https://host/repo.git", "", "v1"),
		"https://host/repo.git/dir@v1":              one("https://host/repo.git", "dir", "v1"),
		"https://host/a/repo.git/dir/sub/@dir/v1/":  one("https://host/a/repo.git", "dir/sub", "dir/v1"),
		"https://me:s3cret@host/repo.git/dir@v1":    one("https://me:s3cret@host/repo.git", "dir", "v1"),
		"git@host:team/repo.git/dir@v1":             one("git@host:team/repo.git", "dir", "v1"),
		"git@host:team/repo.git@v1":                 one("git@host:team/repo.git", "", "v1"),
		"ssh://git@host:22/team/repo.git/dir@v1":    one("ssh://git@host:22/team/repo.git", "dir", "v1"),
		"file:///there/repo.git/dir@v1":             one("file:///there/repo.git", "dir", "v1"),
		"file:///there/.git/dir@v1":                 one("file:///there/.git", "dir", "v1"),
		"/there/.git/dir@v1":                        one("/there/.git", "dir", "v1"),
		"../there/.git/dir@v1":                      one("../there/.git", "dir", "v1"),
		"https://github.com/a/b":                    one("https://github.com/a/b", "", ""),
		"https://github.com/a/b/dir/sub@v1":         one("https://github.com/a/b", "dir/sub", "v1"),
		"https://github.com/a/b/tree/main":          one("https://github.com/a/b", "", "main"),
		"https://github.com/a/b/tree/main/dir":      one("https://github.com/a/b", "dir", "main"),
		"https://host/repo.git/dir@" + id('a', 40):  one("https://host/repo.git", "dir", id('a', 40)),
		"https://host/repo.git/dir@refs/heads/main": one("https://host/repo.git", "dir", "refs/heads/main"),
		// as kustomize does
		"https://host/repo//dir?ref=v1":                       one("https://host/repo", "dir", "v1"),
		"https://host/team/repo//dir/sub?ref=v1&timeout=90s":  one("https://host/team/repo", "dir/sub", "v1"),
		"https://host/repo//dir?version=v1&submodules=false":  one("https://host/repo", "dir", "v1"),
		"https://host/repo.git?ref=v1":                        one("https://host/repo.git", "", "v1"),
		"https://host/repo.git//dir?ref=v1":                   one("https://host/repo.git", "dir", "v1"),
		"https://host/repo//dir":                              one("https://host/repo", "dir", ""),
		"git::https://host/repo//dir?ref=v1":                  one("https://host/repo", "dir", "v1"),
		"github.com/a/b//dir?ref=v1":                          one("https://github.com/a/b", "dir", "v1"),
		"git@host:team/repo//dir?ref=v1":                      one("git@host:team/repo", "dir", "v1"),
		"ssh://git@host/team/repo//dir?ref=v1":                one("ssh://git@host/team/repo", "dir", "v1"),
		"https://host/repo//dir@v1":                           one("https://host/repo", "dir", "v1"),
		"file:///there/repo//dir?ref=v1":                      one("file:///there/repo", "dir", "v1"),
		"https://dev.azure.com/org/p/_git/repo//dir?ref=v1.0": one("https://dev.azure.com/org/p/_git/repo", "dir", "v1.0"),
		// where nothing says where the repository ends
		"https://host/a/b/c@v1": {
			{"https://host/a/b/c", "", "v1"}, {"https://host/a/b", "c", "v1"}, {"https://host/a", "b/c", "v1"},
		},
		"git@host:a/b@v1":       {{"git@host:a/b", "", "v1"}, {"git@host:a", "b", "v1"}},
		"https://host/a/?ref=b": one("https://host/a", "", "b"),
		"file:///a/b":           {{"file:///a/b", "", ""}, {"file:///a", "b", ""}},
	} {
		got, err := Parse(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
		if !IsRemote(strings.TrimPrefix(text, "git::")) {
			t.Errorf("%s counts as no remote", text)
		}
	}
}

func id(digit rune, n int) string { return strings.Repeat(string(digit), n) }

// What git could take for something else is refused before git sees it.
func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"https://host/repo.git/dir@--upload-pack=x":        "looks like an option",
		"https://host/repo.git/dir@-v1":                    "looks like an option",
		"https://host/repo//dir?ref=--upload-pack=x":       "looks like an option",
		"--upload-pack=x.git/dir@v1":                       "looks like an option",
		"https://host/repo.git/-dir@v1":                    "looks like an option",
		"https://host/repo.git/../dir@v1":                  "not below the top",
		"https://host/repo.git/dir/../../other@v1":         "not below the top",
		"https://host/repo//../dir?ref=v1":                 "not below the top",
		"https://host/repo.git/d\tir@v1":                   "control character",
		"https://host/repo.git/dir@v\x1b1":                 "control character",
		"https://host/repo.git/dir@v1..v2":                 "not the name of a branch",
		"https://host/repo.git/dir@v1^":                    "not the name of a branch",
		"https://host/repo.git/dir@v1:other":               "not the name of a branch",
		"https://host/repo.git/dir@":                       "no version follows",
		"https://host/repo//dir@v1?ref=v2":                 "two versions",
		"https://host/repo//dir?ref=":                      "is empty",
		"https://host/repo//dir?depth=1":                   "may follow the question mark",
		"https://me:s3cret@host/repo//dir?depth=1":         "may follow the question mark",
		"https://me:s3cret@host/repo.git/dir@--upload-pac": "looks like an option",
		"ext::sh -c touch% x.git/dir@v1":                   "helper of git",
		"fd::17/x.git":                                     "helper of git",
		"a.b::x.git/dir@v1":                                "helper of git",
		"ext://sh/x.git/dir@v1":                            "helper of git",
		"ssh://a@-oProxyCommand=x/x.git/dir@v1":            "option of ssh",
		"a@-oProxyCommand=x:x.git/dir@v1":                  "option of ssh",
		"https://host/x.git/" + strings.Repeat("a/", 3000): "at most 4096",
		"https://github.com/a":                             "owner and a name",
		"https://github.com/a/b/tree/main/dir@v1":          "two versions",
	} {
		_, err := Parse(text)
		refused(t, err, want)
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"fatal: 'https://me:s3cret@host/x' not found":   "fatal: 'https://host/x' not found",
		"https://s3cret@host https://a:s3c@ret@host/b@": "https://host https://host/b@",
		"ssh://git@host/x ssh://git:s3cret@host/x":      "ssh://git@host/x ssh://git@host/x",
		"git@host:x and a@b, https://host/a@b?c@d":      "git@host:x and a@b, https://host/a@b?c@d",
		"://": "://",
	} {
		if got := Redact(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestLastWord(t *testing.T) {
	for stderr, want := range map[string]string{
		"remote: Counting objects: 50%\rremote: Counting objects: 100%\rfatal: the remote end hung up\n":                                                                                 "the remote end hung up",
		"git@host: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n": "git@host: Permission denied (publickey).",
		"error: pathspec 'x' did not match\nhint: try\n":                          "pathspec 'x' did not match",
		"remote: \x1b[31mgone\x1b[0m\u202e\nfatal: Could not read from remote.\n": "[31mgone[0m",
		"": "",
	} {
		if got := errorLine(stderr); got != want {
			t.Errorf("%q: got %q, want %q", stderr, got, want)
		}
	}
}

// FuzzParse checks that what is read can be no option, leads nowhere else, and is
// told without a password.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"https://host/repo.git/dir@v1", "git@host:a/b.git@x", "https://h/a//b?ref=c", "a.git/../b", "ext::x.git", "github.com/a/b", "@.git@", "://",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		remotes, err := Parse(text)
		if (err == nil) != (len(remotes) > 0) {
			t.Fatalf("%d remotes, %v", len(remotes), err)
		}
		for _, r := range remotes {
			if strings.HasPrefix(r.Repository, "-") || strings.HasPrefix(r.Ref, "-") || strings.HasPrefix(r.Directory, "/") || hasParent(r.Directory) {
				t.Errorf("%q gives %#v", text, r)
			}
			if err := r.check(); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
