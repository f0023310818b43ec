package pullrequest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// event is the part that counts of an event of GitHub.
type event struct {
	Action     string     `json:"action"`
	Repository repository `json:"repository"`
	// PullRequest is that of the event pull_request and its like.
	PullRequest *pull `json:"pull_request"`
	// Issue and Comment are set for the event issue_comment.
	Issue *struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	Comment *comment `json:"comment"`
	// Ref is the branch of the event push.
	Ref string `json:"ref"`
	// After is the commit of the event push, and tells it from others with a ref.
	After string `json:"after"`
}

type repository struct {
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch,omitempty"`
}

// pull is a pull request, as events and the API have it.
type pull struct {
	Number int    `json:"number"`
	State  string `json:"state,omitempty"`
	Head   branch `json:"head"`
	Base   branch `json:"base"`
}

type branch struct {
	Ref string `json:"ref"`
	// Repo is nil if the repository was deleted.
	Repo *repository `json:"repo"`
}

type comment struct {
	ID   int64  `json:"id"`
	Body string `json:"body"`
	User user   `json:"user"`
}

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

// permission is a user's permission in a repository.
type permission struct {
	Permission string `json:"permission"`
	User       *user  `json:"user"`
}

// mayWrite reports whether it lets a user write.
func (p permission) mayWrite(login string) bool {
	return (p.Permission == "write" || p.Permission == "admin" || p.Permission == "maintain") &&
		(p.User == nil || strings.EqualFold(p.User.Login, login))
}

// isFork reports whether the pull request is of another repository than the one that it goes into. A repository
// that is gone is another one.
func (p pull) isFork(into repository) bool {
	return p.Head.Repo == nil || p.Head.Repo.FullName != into.FullName || p.Base.Repo != nil && p.Base.Repo.FullName != into.FullName
}

// check returns an error for an event whose names could be something else than names.
func (e *event) check() error {
	if name := e.Repository.FullName; !regexp.MustCompile(`^[\w.-]+(/[\w.-]+)+$`).MatchString(name) || regexp.MustCompile(`(^|/)\.+(/|$)`).MatchString(name) {
		return fmt.Errorf("the event's repository.full_name is %q, and no owner/name", name)
	}
	return nil
}

// checkBranch returns an error if a text cannot name a branch by the rules of git check-ref-format.
func checkBranch(name string) error {
	if name == "" || regexp.MustCompile(`[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^/|/$|\.$|(^|/)\.|\.lock(/|$)`).MatchString(name) {
		return fmt.Errorf("%q is no name of a branch", name)
	}
	return nil
}

// readEvent reads an event.
func readEvent(from io.Reader) (e event, err error) {
	if err = json.NewDecoder(from).Decode(&e); err != nil {
		return e, fmt.Errorf("the event is no JSON of an event: %w", err)
	}
	return e, e.check()
}

// Question is a question to the API of GitHub.
type Question struct {
	// File is the name of the file for the answer in the directory of answers.
	File string `json:"file"`
	// Path is the path of the API.
	Path string `json:"path"`
}

// ask reads the answer to a question about the repository. Without an answer it notes the question, and
// reports false. An answer of several pages has several documents, which are lists.
func ask[T any](r *run, name string, query string, path ...string) (all []T, known bool, err error) {
	file := name + ".json"
	f, err := os.Open(filepath.Join(r.Answers, file))
	if r.Answers == "" || errors.Is(err, fs.ErrNotExist) {
		for i, part := range path {
			path[i] = url.PathEscape(part)
		}
		r.plan.Ask = append(r.plan.Ask, Question{File: file, Path: "repos/" + r.event.Repository.FullName + "/" + strings.Join(path, "/") + query})
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	for decoder := json.NewDecoder(f); ; {
		var page json.RawMessage
		err := decoder.Decode(&page)
		if errors.Is(err, io.EOF) {
			return all, true, nil
		}
		var one []T
		if err == nil && strings.HasPrefix(strings.TrimSpace(string(page)), "{") {
			one = make([]T, 1)
			err = json.Unmarshal(page, &one[0])
		} else if err == nil {
			err = json.Unmarshal(page, &one)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s: %w", f.Name(), err)
		}
		all = append(all, one...)
	}
}
