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
func repair(c *clone, b *review.Bump, now review.Files, news []*review.Line, history []commit, i int, show bool) (edited, named, isFix bool) {
	files := map[string][2]int{} // the first and the last line of the layers
	for _, l := range b.Lines {
		at, found := files[l.File]
		if !found {
			at = [2]int{l.Number, l.Number}
		}
		files[l.File] = [2]int{min(at[0], l.Number), max(at[1], l.Number)}
	}
	fix := regexp.MustCompile(`(?i)\bfix|revert|repair|broke|correct|restore|missing|wrong`)
	version := regexp.MustCompile(`(?i)version:|tag:|image:|ref=|targetRevision|digest|checksum|sha256`)
	for later := i - 1; later >= 0; later-- {
		one := history[later]
		if one.when.Sub(history[i].when) > 14*24*time.Hour {
			return false, false, false
		}
		for _, name := range one.files {
			at, found := files[name]
			if !found {
				continue
			}
			delete(files, name) // the numbers of the lines hold for the first change only
			out, err := c.git("diff", "-U0", "--no-renames", history[i].id, one.id, "--", name)
			if err != nil {
				continue
			}
			lines, is := hunks(out, version, at[0]-margin, at[1]+margin)
			if !is || strings.Contains(out, "\n+++ /dev/null") { // a file that moved or is gone is no edit of its lines
				continue
			}
			if show {
				fmt.Printf("  EDIT %s %s %s -> %s | %s | then %s | %s\n%s\n", history[i].id[:8], b.Name, b.Old, b.New, history[i].subject, one.id[:8], one.subject, changedLines(out))
			}
			edited, isFix = true, isFix || fix.MatchString(one.subject)
			text, err := now.Read(name)
			if err != nil {
				continue
			}
			for _, l := range news {
				its := keysOf(l, strings.Split(string(text), "\n"))
				if l.File == name && slices.ContainsFunc(lines, func(n int) bool { return slices.Contains(its, n) }) {
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

// margin is the number of lines around the layer's lines that may be of the layer, too.
const margin = 4

// keysOf returns the numbers of a line, of the lines of its value, and of the keys above it that are in its path.
func keysOf(l *review.Line, text []string) (numbers []int) {
	indent := func(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
	if l.Number < 1 || l.Number > len(text) {
		return nil
	}
	numbers = []int{l.Number}
	at := indent(text[l.Number-1])
	for n := l.Number - 1; n > 0 && len(numbers) <= strings.Count(l.Path, "."); n-- {
		line := text[n-1]
		if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "#") && indent(line) < at {
			numbers, at = append(numbers, n), indent(line)
		}
	}
	for n := l.Number + 1; n <= len(text); n++ {
		first, line := text[l.Number-1], text[n-1]
		isElement := strings.HasPrefix(strings.TrimLeft(line, " "), "- ") && !strings.HasPrefix(strings.TrimLeft(first, " "), "- ")
		if line != "" && indent(line) <= indent(first) && !(isElement && indent(line) == indent(first)) {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
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

// hunks returns the numbers of the removed lines of a difference, and whether a line that was removed or added between two numbers is no version
// and no comment.
func hunks(diff string, version *regexp.Regexp, first, last int) (lines []int, is bool) {
	at := 0
	isEdit := func(line string) bool {
		text := strings.TrimSpace(line[1:])
		return at >= first && at <= last && text != "" && !strings.HasPrefix(text, "#") && !version.MatchString(line)
	}
	head := regexp.MustCompile(`^@@ -([0-9]+)`)
	for line := range strings.SplitSeq(diff, "\n") {
		if m := head.FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			continue
		}
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case strings.HasPrefix(line, "-"):
			lines, is = append(lines, at), is || isEdit(line)
			at++
		case strings.HasPrefix(line, "+"):
			is = is || isEdit(line)
		}
	}
	return lines, is
}
