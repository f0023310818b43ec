package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/internal/wording"
	"github.com/resource-merge/resource-merge/review"
)

// NewReview builds the report of the bumps of a repository (rules/review: reports). Lines whose class does not come from the bump are
// counted; a sentence about each is for all.
func NewReview(bumps []*review.Bump, notes []string, all bool) *Report {
	out := &Report{findings: []finding{}, isReview: true}
	counts, before, lines := map[review.Class]int{}, 0, 0
	for _, text := range notes {
		out.Notices = append(out.Notices, Notice{Severity: SeverityWarning, Message: visibleMessage(text)})
	}
	for _, b := range bumps {
		name := visible(b.Name)
		for _, l := range b.Lines {
			counts[l.Class]++
			lines++
			one := reviewFinding(b, l)
			out.findings = append(out.findings, one)
			if l.Class == review.Needed || !l.IsNews() && !all {
				if l.Class != review.Needed {
					before++
				}
				continue
			}
			n := Notice{Severity: reviewSeverity(l), Message: reviewSentence(one, l), Path: one.Path, File: one.File, Line: one.Line}
			if len(bumps) > 1 {
				n.Message = name + ": " + n.Message
			}
			n.Message, n.isLine = visibleMessage(n.Message), true
			out.Notices = append(out.Notices, n)
		}
		for _, text := range b.Notes {
			text = strings.TrimPrefix(text, b.Name+": ")
			out.Notices = append(out.Notices, Notice{Severity: SeverityWarning, Message: visibleMessage(b.Name + ": " + text), File: visible(b.File)})
		}
	}
	if before > 0 {
		text := wording.Plural(before, "line") + " did as little over the old version; --all names them"
		out.Notices = append(out.Notices, Notice{Severity: SeverityInfo, Message: text})
	}
	slices.SortStableFunc(out.Notices, func(a, b Notice) int { return strings.Compare(b.Severity, a.Severity) })
	out.Summary.Message = visibleMessage(reviewMessage(bumps, lines, counts))
	return out
}

// reviewMessage counts the lines of each class, and names the bumps.
func reviewMessage(bumps []*review.Bump, lines int, counts map[review.Class]int) string {
	if len(bumps) == 0 {
		return "nothing was bumped: no chart, base or package has another version"
	}
	var parts []string
	for _, class := range review.Classes() {
		parts = append(parts, fmt.Sprintf("%d %s", counts[class], strings.ReplaceAll(string(class), "-", " ")))
	}
	var names []string
	for _, b := range bumps {
		names = append(names, fmt.Sprintf("%s %s -> %s", b.Name, b.Old, b.New))
	}
	over := strings.Join(wording.First(names, maxBumps), ", ")
	if len(bumps) > 1 {
		over = fmt.Sprintf("%s (%s)", wording.Plural(len(bumps), "bump"), over)
	}
	return fmt.Sprintf("%s over %s: %s", wording.Plural(lines, "line"), over, strings.Join(parts, ", "))
}

// maxBumps is the number of bumps that the summary names.
const maxBumps = 3

func reviewFinding(b *review.Bump, l *review.Line) finding {
	out := finding{
		Class: string(l.Class), Path: visible(l.Path), File: visible(l.File), Line: l.Number, Value: l.Value, OldDefault: l.Old, NewDefault: l.New,
		NewPath: visible(l.NewPath), Note: visible(l.Note), Bump: visible(b.Name), Layer: l.Layer, Resource: visible(l.Resource), News: l.IsNews(),
	}
	for _, path := range l.Candidates {
		out.Candidates = append(out.Candidates, visible(path))
	}
	return out
}

// reviewSeverity returns the severity of a line: warning where it does not do what somebody wrote it for.
func reviewSeverity(l *review.Line) string {
	if l.Class == review.Redundant || l.Class == review.MovedBeneath {
		return SeverityInfo
	}
	return SeverityWarning
}

// reviewSentence returns the sentence about a line.
func reviewSentence(f finding, l *review.Line) string {
	text := f.Path
	if f.Resource != "" {
		text = strings.TrimSpace(f.Resource + " " + f.Path)
	}
	switch l.Class {
	case review.MovedBeneath:
		text += fmt.Sprintf(": moved beneath: upstream had %s and has %s; yours is %s%s", valueOr(f.OldDefault, f.NewDefault, l.HasOld),
			valueOr(f.NewDefault, f.OldDefault, l.HasNew), shortBeside(f.Value, f.NewDefault), differingElements(f))
	case review.Redundant:
		text += ": redundant: upstream now has " + shortBeside(f.Value, nil)
	case review.Renamed:
		text += ": renamed: it is now " + f.NewPath
	case review.Dead:
		text += ": dead: the new version does not use it"
	case review.Refused:
		text += ": refused"
	}
	if f.Note != "" {
		text += "; " + f.Note
	}
	if n := len(f.Candidates); n > 0 && n <= maxCandidates && l.Class != review.Renamed {
		text += "; it may be " + strings.Join(f.Candidates, " or ")
	}
	return text
}

// markdownLines returns the table of the lines whose class comes from a bump.
func markdownLines(r *Report) string {
	var rows []string
	for _, f := range r.findings {
		if !f.News {
			continue
		}
		is := strings.ReplaceAll(f.Class, "-", " ")
		what := markdownCell(strings.TrimSpace(f.Resource + " " + f.Path))
		more := wording.MarkdownText(f.Note)
		switch {
		case f.NewPath != "":
			more = "now " + wording.MarkdownCode(f.NewPath)
		case more == "" && len(f.Candidates) > 0 && len(f.Candidates) <= maxCandidates:
			more = "perhaps " + wording.MarkdownCode(strings.Join(f.Candidates, " or "))
		}
		cell := func(value any) string {
			if value == nil {
				return ""
			}
			return markdownCell(shortBeside(value, nil))
		}
		rows = append(rows, fmt.Sprintf("| %s | %s<br>%s | %s | %s | %s | %s |\n", is, what, markdownCell(fileAndLine(f.File, f.Line)), cell(f.OldDefault), cell(f.NewDefault), cell(f.Value), more))
	}
	if rows == nil {
		return ""
	}
	return fold(markdownTableOf("| | Line | upstream had | and has | you have | |\n|---|---|---|---|---|---|\n", rows, "line"), len(rows), "line")
}

// markdownCell returns a text as code, "" for none.
func markdownCell(text string) string {
	if text == "" {
		return ""
	}
	return wording.MarkdownCode(text)
}
