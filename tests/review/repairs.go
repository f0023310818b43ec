package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resource-merge/resource-merge/review"
)

// isEdited reports whether a commit within 14 days changes a file of a commit, and is no bump itself.
func isEdited(history []commit, i int) bool {
	version := regexp.MustCompile(`(?i)renovate|\bto v?[0-9]|->|→|➔|\bupdate .* v?[0-9]`)
	for later := i - 1; later >= 0 && history[later].when.Sub(history[i].when) <= 14*24*time.Hour; later-- {
		isSame := func(name string) bool { return slices.Contains(history[later].files, name) }
		if !version.MatchString(history[later].subject) && slices.ContainsFunc(history[i].files, isSame) {
			return true
		}
	}
	return false
}

// repair reports whether a later commit within 14 days edited lines of the layers of a bump, besides versions, whether the review named one of
// these lines, and whether the commit calls itself a fix.
func repair(c *clone, b *review.Bump, news []*review.Line, history []commit, i int, show bool) (edited, named, isFix bool) {
	files := map[string]bool{}
	for _, l := range b.Lines {
		files[l.File] = true
	}
	fix := regexp.MustCompile(`(?i)\bfix|revert|repair|broke|correct|restore|missing|wrong`)
	version := regexp.MustCompile(`(?i)version:|tag:|image:|ref=|targetRevision|digest|checksum|sha256`)
	for later := i - 1; later >= 0; later-- {
		one := history[later]
		if one.when.Sub(history[i].when) > 14*24*time.Hour {
			return false, false, false
		}
		for _, name := range one.files {
			if !files[name] {
				continue
			}
			delete(files, name) // the numbers of the lines hold for the first change only
			out, err := c.git("diff", "-U0", "--no-renames", history[i].id, one.id, "--", name)
			if err != nil {
				continue
			}
			lines, is := hunks(out, version)
			if !is || strings.Contains(out, "\n+++ /dev/null") { // a file that moved or is gone is no edit of its lines
				continue
			}
			if show {
				fmt.Printf("  EDIT %s %s %s -> %s | %s | then %s | %s\n%s\n", history[i].id[:8], b.Name, b.Old, b.New, history[i].subject, one.id[:8], one.subject, changedLines(out))
			}
			edited, isFix = true, isFix || fix.MatchString(one.subject)
			for _, l := range news {
				if l.File == name && slices.ContainsFunc(lines, func(n int) bool { return n == l.Number }) {
					named = true
				}
			}
		}
		if edited {
			return edited, named, isFix
		}
	}
	return false, false, false
}

// changedLines returns the first removed and added lines of a difference.
func changedLines(diff string) string {
	var lines []string
	for line := range strings.SplitSeq(diff, "\n") {
		if len(line) > 1 && (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && len(lines) < 24 {
			lines = append(lines, "      "+line)
		}
	}
	return strings.Join(lines, "\n")
}

// hunks returns the numbers of the removed lines of a difference, and whether a line that was removed or added is no version.
func hunks(diff string, version *regexp.Regexp) (lines []int, is bool) {
	at := 0
	head := regexp.MustCompile(`^@@ -([0-9]+)`)
	for line := range strings.SplitSeq(diff, "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			continue
		}
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "-"):
			lines = append(lines, at)
			at++
			is = is || !version.MatchString(line) && len(strings.TrimSpace(line)) > 1
		case strings.HasPrefix(line, "+"):
			is = is || !version.MatchString(line) && len(strings.TrimSpace(line)) > 1
		}
	}
	return lines, is
}
