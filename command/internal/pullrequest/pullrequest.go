// Package pullrequest is the command resource-merge pr (docs/pull-requests.md): it reads an event of GitHub,
// works in the checked-out repository, and returns a plan: the commit to push, and the texts to write into pull
// requests. It pushes and writes nothing itself, and nothing of a pull request is executed.
package pullrequest

import (
	"context"
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

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Jobs of the command.
const (
	Merge   = "merge"
	Upgrade = "upgrade"
	Review  = "review"
)

// Options are the inputs of a plan.
type Options struct {
	// Job is Merge, Upgrade or Review, "" for the one that the event stands for.
	Job string
	// Dir is the checked-out repository, and Remote its remote.
	Dir, Remote string
	// Event has the event.
	Event io.Reader
	// Answers is the directory with the answers of the API, "" if nothing was asked yet.
	Answers string
	// Author is the login by which comments are written.
	Author string
	// Packages are the directories to upgrade, none for all of the repository.
	Packages []string
	// Update updates the package in a directory below root to the newest version, and returns the report in
	// Markdown, and what it said.
	Update func(ctx context.Context, root, dir string) (report, said string, err error)
	// Review reviews the bumps between two commits of a repository, and returns the report in Markdown, and whether a line is of another class
	// than needed because of them.
	Review func(ctx context.Context, root, base, head string) (report string, hasNews bool, err error)
}

// Plan is the work that the action carries out. docs/pull-requests.md describes its fields.
type Plan struct {
	// Message tells people the outcome.
	Message string `json:"message"`
	// Ask are questions whose answers may change the plan.
	Ask []Question `json:"ask,omitempty"`
	// Push is the merge to push, which goes before Comment.
	Push *Push `json:"push,omitempty"`
	// Comment is the comment to write into a pull request.
	Comment *Comment `json:"comment,omitempty"`
	// PullRequests are the pull requests to open or to renew.
	PullRequests []PullRequest `json:"pullRequests,omitempty"`
	// Events are events to run the command with, one after the other.
	Events []Event `json:"events,omitempty"`
	// Errors are the packages that could not be updated.
	Errors []string `json:"errors,omitempty"`
}

// Push is a commit to push, without force.
type Push struct {
	Ref string `json:"ref"`
	SHA string `json:"sha"`
	// Expected is the commit of the branch on which SHA is built, "" for a branch that is new.
	Expected string `json:"expected"`
}

// Comment is a comment to write.
type Comment struct {
	PullRequest int `json:"pullRequest"`
	// ID is the comment to replace, 0 for a new one.
	ID   int64  `json:"id"`
	Body string `json:"body"`
}

// PullRequest is a pull request to open, or to renew.
type PullRequest struct {
	Package string `json:"package"`
	// Number is the pull request to renew, 0 for a new one.
	Number int    `json:"number"`
	Title  string `json:"title"`
	Head   string `json:"head"`
	Base   string `json:"base"`
	Body   string `json:"body"`
	// Push is nil if the branch is as it should be.
	Push *Push `json:"push,omitempty"`
}

// Event is an event about a pull request, as GitHub would send it.
type Event struct {
	Repository  repository `json:"repository"`
	PullRequest pull       `json:"pull_request"`
}

// run is a run of the command.
type run struct {
	Options
	event event
	plan  Plan
}

// Run returns the plan.
func Run(ctx context.Context, o Options) (*Plan, error) {
	r := &run{Options: o}
	var err error
	if r.event, err = readEvent(o.Event); err != nil {
		return nil, err
	}
	e := &r.event
	switch {
	case o.Job == Review && e.PullRequest != nil:
		err = r.review(ctx, *e.PullRequest)
	case o.Job == Review:
		err = errors.New("the event is about no pull request; the job review runs on pull_request and pull_request_target")
	case o.Job == Upgrade, o.Job == "" && e.PullRequest == nil && e.Issue == nil && e.After == "":
		err = r.upgrade(ctx)
	case e.Comment != nil || e.Issue != nil:
		err = r.answer(ctx)
	case e.PullRequest != nil:
		err = r.merge(ctx, *e.PullRequest, nil)
	case strings.HasPrefix(e.Ref, "refs/heads/"):
		err = r.pushed(strings.TrimPrefix(e.Ref, "refs/heads/"))
	default:
		err = errors.New("the event is about no pull request and no branch; the job merge runs on pull_request, pull_request_target, issue_comment and push")
	}
	if err != nil {
		return nil, err
	}
	return &r.plan, nil
}

// pushed plans to look at each open pull request into a branch that got commits.
func (r *run) pushed(base string) error {
	if err := checkBranch(base); err != nil {
		return err
	}
	all, known, err := ask[pull](r, "pull-requests", "?state=open&per_page=100", "pulls")
	if err != nil || !known {
		return err
	}
	for _, p := range all {
		if p.Base.Ref == base && p.State != "closed" {
			r.plan.Events = append(r.plan.Events, Event{Repository: r.event.Repository, PullRequest: p})
		}
	}
	r.plan.Message = wording.Plural(len(r.plan.Events), "pull request") + " into " + base
	return nil
}

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
		return fmt.Errorf("the event's repository.full_name is %q, want owner/name", name)
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

func readEvent(from io.Reader) (e event, err error) {
	if err = json.NewDecoder(from).Decode(&e); errors.Is(err, io.EOF) {
		return e, errors.New("the event is empty; it is the file $GITHUB_EVENT_PATH of a workflow, on stdin or as --event")
	} else if err != nil {
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
	if all, err = readPages[T](f); err != nil {
		return nil, false, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return all, true, nil
}

// readPages reads the documents of an answer. Each one is a list or a single element.
func readPages[T any](r io.Reader) (all []T, err error) {
	for decoder := json.NewDecoder(r); ; {
		var page json.RawMessage
		err := decoder.Decode(&page)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		var one []T
		if err == nil && strings.HasPrefix(strings.TrimSpace(string(page)), "{") {
			one = make([]T, 1)
			err = json.Unmarshal(page, &one[0])
		} else if err == nil {
			err = json.Unmarshal(page, &one)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
}
