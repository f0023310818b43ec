package pullrequest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/gitdriver"
	"github.com/resource-merge/resource-merge/command/internal/resolve"
	"github.com/resource-merge/resource-merge/internal/file"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// merging is the merge of the base branch into the branch of a pull request.
type merging struct {
	*run
	pull pull
	// isFork says that the branch is in another repository.
	isFork bool
	// head and base are the commits of the branches, as they are now.
	head, base string
	// comment is the comment of this program, 0 if there is none, and said the state that it tells.
	comment int64
	posted  state
	// state is the state of this merge.
	state state
	box   *sandbox
	left  *resolve.Left
}

// answer follows the answer that a comment gives.
func (r *run) answer(ctx context.Context) error {
	e := &r.event
	if reason := e.noAnswer(); reason != "" {
		r.plan.Message = reason
		return nil
	}
	may, known, err := ask[permission](r, "permission", "", "collaborators", e.Comment.User.Login, "permission")
	if err != nil {
		return err
	}
	pulls, knownPull, err := ask[pull](r, "pull-request", "", "pulls", fmt.Sprint(e.Issue.Number))
	if err != nil || !known || !knownPull {
		return err
	}
	if len(may) != 1 || !may[0].mayWrite(e.Comment.User.Login) {
		r.plan.Message = e.Comment.User.Login + " may not write to the repository, so the answer does not count"
		return nil
	}
	if len(pulls) != 1 || pulls[0].Number != e.Issue.Number {
		return fmt.Errorf("the answer pull-request.json is not about the pull request %d", e.Issue.Number)
	}
	return r.merge(ctx, pulls[0], e.Comment)
}

// noAnswer says why an event brings no answer by a user; "" if it does.
func (e *event) noAnswer() string {
	switch {
	case e.Issue == nil || e.Comment == nil || e.Action != "" && e.Action != "created":
		return "this is no new comment"
	case len(e.Issue.PullRequest) == 0 || string(e.Issue.PullRequest) == "null":
		return "the comment is on an issue, and not on a pull request"
	case e.Comment.User.Type == "Bot" || !hasAnswer(e.Comment.Body):
		return "the comment is no answer"
	case !regexp.MustCompile(`^[\w-]+(\[bot\])?$`).MatchString(e.Comment.User.Login):
		return fmt.Sprintf("%q is no name of a user", e.Comment.User.Login)
	}
	return ""
}

// merge merges the base branch into the branch of a pull request, and follows an answer if there is one.
func (r *run) merge(ctx context.Context, p pull, answer *comment) (err error) {
	m := &merging{run: r, pull: p, isFork: p.isFork(r.event.Repository)}
	if p.State == "closed" || r.event.Action == "closed" {
		r.plan.Message = "the pull request is closed"
		return nil
	}
	if err := errors.Join(checkBranch(p.Head.Ref), checkBranch(p.Base.Ref)); err != nil {
		return fmt.Errorf("the pull request: %w", err)
	}
	comments, _, err := ask[comment](r, "comments", "?per_page=100", "issues", fmt.Sprint(p.Number), "comments")
	if err != nil {
		return err
	}
	m.comment, m.posted = ownComment(comments, r.Author)
	if isFetched, err := m.fetchBranches(ctx); err != nil || !isFetched {
		return err
	}
	if m.state = m.posted; m.posted.Head != m.head || m.posted.Base != m.base {
		m.state = state{Head: m.head, Base: m.base}
	}
	if m.box, err = newSandbox(ctx, r.Dir, false); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.box.close()) }()
	return m.inSandbox(ctx, answer)
}

// fetchBranches fetches the branches of the pull request. It reports false, with a message, if a fork's cannot be fetched.
func (m *merging) fetchBranches(ctx context.Context) (isFetched bool, err error) {
	p := m.pull
	head := fetched{"refs/heads/" + p.Head.Ref, fmt.Sprintf("pull-%d-head", p.Number)}
	if m.isFork {
		head.ref = fmt.Sprintf("refs/pull/%d/head", p.Number)
	}
	commits, err := m.fetch(ctx, head, fetched{"refs/heads/" + p.Base.Ref, fmt.Sprintf("pull-%d-base", p.Number)})
	if err != nil && m.isFork {
		m.plan.Message = fmt.Sprintf("the pull request %d comes from a fork, which is never pushed to, and cannot be fetched: %v", p.Number, err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	m.head, m.base = commits[0], commits[1]
	return true, nil
}

func (m *merging) inSandbox(ctx context.Context, answer *comment) error {
	if err := m.box.checkOut(ctx, m.head); err != nil {
		return err
	}
	if _, code, err := (gitrepo.Git{}).Alone(ctx, m.box.dir, "merge-tree", "--write-tree", "--no-messages", m.head, m.base); err == nil {
		m.plan.Message = "the pull request is not in conflict"
		m.renew("No conflict is open: " + m.names() + " merge.")
		return nil
	} else if code != 1 {
		return err
	}
	if err := m.mergeBranches(ctx); err != nil {
		return err
	}
	return m.conclude(ctx, m.follow(answer))
}

// mergeBranches merges the base branch in the sandbox, and reads the conflicts that are open.
func (m *merging) mergeBranches(ctx context.Context) error {
	program, err := gitrepo.ThisProgram()
	if err != nil {
		return err
	}
	conflicts, said, err := gitdriver.Git{Dir: m.box.dir}.MergeAlone(ctx, program, m.base)
	if err != nil {
		return err
	}
	if m.left, err = resolve.Read(ctx, m.box.dir); err != nil {
		return err
	}
	if conflicts && len(m.left.Open) == 0 {
		return errors.New("git cannot merge the pull request, and does not say where")
	}
	for _, o := range m.left.Open {
		reason, failed := strings.CutPrefix(said, "resource-merge: "+o.File+": ")
		if failed && (o.IsWhole() || strings.Contains(reason, file.Config+": ")) { // rules that count for nothing settle nothing
			reason = strings.TrimSuffix(reason, "; its lines are merged, as git does")
			return fmt.Errorf("%s cannot be merged: %s", o.File, strings.ReplaceAll(reason, m.box.dir+string(os.PathSeparator), ""))
		}
	}
	return nil
}

// names names both branches.
func (m *merging) names() string {
	return wording.MarkdownCode(m.pull.Base.Ref) + " and " + wording.MarkdownCode(m.pull.Head.Ref)
}

// renew replaces the comment of this program, if there is one, by another text.
func (m *merging) renew(text string) {
	if m.comment != 0 {
		m.plan.Comment = &Comment{PullRequest: m.pull.Number, ID: m.comment, Body: state{Head: m.head, Base: m.base}.line() + text + "\n"}
	}
}

// follow adds an answer to the answers so far, and returns a note if that cannot be.
func (m *merging) follow(answer *comment) (note string) {
	switch {
	case m.posted.Head == "" && answer != nil:
		return "No numbers had been given yet, so the answer does not count. They are these:"
	case m.posted.Head != "" && (m.posted.Head != m.head || m.posted.Base != m.base):
		if answer == nil && len(m.posted.Taken) == 0 {
			return ""
		}
		if answer == nil {
			return "A branch moved. The numbers are new, and what was settled is open again."
		}
		return "The numbers of the answer are stale, because a branch moved meanwhile. They are now these:"
	case answer == nil:
		return ""
	case m.isFork:
		return "The answer does not count: this pull request comes from a fork."
	}
	takes, err := readAnswer(answer.Body, len(m.left.Open))
	if err != nil {
		return "The answer does not count: " + m.noteText(err)
	}
	return m.take(takes)
}

// take adds the choices of an answer to the answers so far. If one of them cannot be, it adds none, and returns a note.
func (m *merging) take(takes []take) (note string) {
	state := m.state
	for _, t := range takes {
		for i, o := range m.left.Open {
			switch err := o.CheckRule(t.side); {
			case t.takes(i+1) && o.ByHand:
				return fmt.Sprintf("The answer does not count: number %d has to be merged by hand.", i+1)
			case t.takes(i+1) && t.always && err != nil:
				return fmt.Sprintf("The answer does not count: no rule can decide number %d: %v.", i+1, err)
			}
		}
		state = state.with(t, len(m.left.Open))
	}
	m.state = state
	return ""
}

// noteText returns an error as a sentence of the comment.
func (m *merging) noteText(err error) string {
	text := strings.ReplaceAll(err.Error(), m.box.dir+string(os.PathSeparator), "")
	return wording.MarkdownText(wording.Cut(wording.Visible(text, ""), 300)) + "."
}

// conclude settles the answered conflicts, and plans a push if nothing is open, else a comment.
func (m *merging) conclude(ctx context.Context, note string) error {
	number := m.pull.Number
	if open := len(m.left.Open) - m.taken(); open > 0 {
		m.plan.Message = wording.Plural(open, "conflict") + " open in the pull request " + fmt.Sprint(number)
		m.planComment(m.openBody(note))
		return nil
	}
	if m.isFork {
		m.plan.Message = fmt.Sprintf("the pull request %d merges, and comes from a fork, which is never pushed to", number)
		m.planComment(m.state.line() + "**Nothing is open**: " + m.names() +
			" merge field by field. This pull request comes from a fork, which is never pushed to: in a checkout of it, `resource-merge git merge` of the base branch does it.\n")
		return nil
	}
	settled, err := m.settle()
	if err != nil {
		m.state.Taken = nil
		m.plan.Message = "what was settled cannot be done: " + err.Error()
		m.planComment(m.openBody("What was settled cannot be done: " + m.noteText(err)))
		return nil
	}
	return m.push(ctx, settled)
}

// planComment plans the comment of this program on the pull request.
func (m *merging) planComment(body string) {
	m.plan.Comment = &Comment{PullRequest: m.pull.Number, ID: m.comment, Body: body}
}

// push commits the merge, in which nothing is open, and plans to push it. settled has a line for each settled conflict.
func (m *merging) push(ctx context.Context, settled []string) error {
	tree, err := m.box.tree(ctx, true)
	if err != nil {
		return err
	}
	message := fmt.Sprintf("Merge branch '%s' into %s\n", m.pull.Base.Ref, m.pull.Head.Ref)
	if len(settled) > 0 {
		message += "\nSettled by answers:\n- " + strings.Join(settled, "\n- ") + "\n"
	}
	id, err := m.box.commit(ctx, tree, message, fmt.Sprintf("pull-%d", m.pull.Number), m.head, m.base)
	if err != nil {
		return err
	}
	m.plan.Message = fmt.Sprintf("the merge for the pull request %d is decided", m.pull.Number)
	m.plan.Push = &Push{Ref: "refs/heads/" + m.pull.Head.Ref, SHA: id, Expected: m.head}
	text := "**Merged** " + wording.MarkdownCode(m.pull.Base.Ref) + " into " + wording.MarkdownCode(m.pull.Head.Ref) + ". Nothing is open.\n"
	for _, line := range settled {
		if text += "\n- " + wording.MarkdownText(line); len(text) > maxBody {
			break
		}
	}
	m.renew(text)
	return nil
}

// settle settles the conflicts in the files, and tells each in a line.
func (m *merging) settle() (lines []string, err error) {
	for i, o := range m.left.Open {
		side, isRule, _ := m.state.side(i + 1)
		line := fmt.Sprintf("%s: %s's, in %s", cmp.Or(o.Title, "the conflict"), side, o.File)
		if isRule {
			if err := m.left.WriteRule(o, side); err != nil {
				return nil, err
			}
			line += ", with a rule"
		}
		if err := m.left.Take(o, side); err != nil {
			return nil, err
		}
		lines = append(lines, wording.CutMiddle(wording.Visible(line, ""), 300))
	}
	return lines, nil
}
