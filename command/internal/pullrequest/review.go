package pullrequest

import (
	"context"
	"fmt"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// leadReview is the hidden line of the comment of a review.
const leadReview = "<!-- resource-merge review -->"

// review plans the comment with the review of the bumps of a pull request, none if every line of the layers over them is needed.
func (r *run) review(ctx context.Context, p pull) error {
	switch {
	case p.State == "closed" || r.event.Action == "closed":
		r.plan.Message = "the pull request is closed"
		return nil
	case p.isFork(r.event.Repository):
		r.plan.Message = fmt.Sprintf("the pull request %d comes from a fork: it is not reviewed, since a review fetches what its files name", p.Number)
		return nil
	}
	comments, known, err := ask[comment](r, "comments", "?per_page=100", "issues", fmt.Sprint(p.Number), "comments")
	if err != nil || !known {
		return err
	}
	m := &merging{run: r, pull: p}
	for _, c := range comments {
		if line, _, _ := strings.Cut(c.Body, "\n"); strings.TrimSpace(line) == leadReview && c.User.Login == r.Author {
			m.comment = c.ID
		}
	}
	if _, err := m.fetchBranches(ctx); err != nil {
		return err
	}
	base, err := r.forkPoint(ctx, m.base, m.head)
	if err != nil {
		return err
	}
	report, hasNews, err := r.Review(ctx, r.Dir, base, m.head)
	if err != nil {
		return err
	}
	if r.plan.Message = fmt.Sprintf("the review of the pull request %d has nothing to say", p.Number); hasNews {
		r.plan.Message = fmt.Sprintf("the review of the pull request %d has a comment", p.Number)
	}
	if hasNews || m.comment != 0 {
		m.planComment(leadReview + "\n" + wording.Cut(report, maxBody))
	}
	return nil
}

// forkPoint returns the commit at which a branch left its base.
func (r *run) forkPoint(ctx context.Context, base, head string) (string, error) {
	lines, err := linesInCheckout(ctx, r.Dir, "rev-parse", base+"..."+head)
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		if id, is := strings.CutPrefix(line, "^"); is {
			return id, nil
		}
	}
	return base, nil // the branches have no common commit
}
