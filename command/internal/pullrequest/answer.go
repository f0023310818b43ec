package pullrequest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// take is one line of an answer: it takes a side for some conflicts, and with always, writes rules that do so
// next time.
type take struct {
	line   string
	side   identity.Side
	ranges [][2]int
	always bool
}

// hasAnswer reports whether a comment has a line that begins with /take.
func hasAnswer(body string) bool { return len(answerLines(body)) > 0 }

// answerLines returns the lines of a comment that begin with /take, outside of blocks of code.
func answerLines(body string) (lines []string) {
	fence := ""
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n \t")
		trimmed := strings.TrimLeft(line, " ")
		mark := ""
		if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
			mark = trimmed[:3]
		}
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "":
			if mark == fence {
				fence = ""
			}
		case line == "/take" || strings.HasPrefix(line, "/take "):
			lines = append(lines, line)
		}
	}
	return lines
}

// readAnswer reads the lines of a comment that settle conflicts, of which there are so many.
func readAnswer(body string, count int) (takes []take, err error) {
	for _, line := range answerLines(body) {
		t, err := readTake(line, count)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		takes = append(takes, t)
	}
	return takes, nil
}

// readTake reads /take SIDE NUMBERS [always], such as /take local 1-3,5.
func readTake(line string, count int) (t take, err error) {
	t.line = line
	words := strings.Fields(line)[1:]
	if n := len(words); n > 0 && words[n-1] == "always" {
		t.always, words = true, words[:n-1]
	}
	if len(words) < 2 {
		return t, fmt.Errorf("want a side and numbers, as in /take local 2")
	}
	switch words[0] {
	case identity.Upstream.String():
		t.side = identity.Upstream
	case identity.Local.String():
		t.side = identity.Local
	default:
		return t, fmt.Errorf("%q is no side: want upstream or local", words[0])
	}
	for _, part := range strings.FieldsFunc(strings.Join(words[1:], ","), func(r rune) bool { return r == ',' }) {
		found := regexp.MustCompile(`^([0-9]{1,6})(?:-([0-9]{1,6}))?$`).FindStringSubmatch(part)
		if found == nil {
			return t, fmt.Errorf("%q is no number and no range such as 1-3", part)
		}
		first, _ := strconv.Atoi(found[1]) // it has digits only
		last := first
		if found[2] != "" {
			last, _ = strconv.Atoi(found[2])
		}
		if first < 1 || last < first || last > count {
			return t, fmt.Errorf("%s is not among the numbers from 1 to %d", part, count)
		}
		t.ranges = append(t.ranges, [2]int{first, last})
	}
	if t.ranges == nil {
		return t, fmt.Errorf("want numbers, as in /take local 2")
	}
	return t, nil
}

// takes reports whether the line takes a side for a number.
func (t take) takes(number int) bool {
	return slices.ContainsFunc(t.ranges, func(r [2]int) bool { return r[0] <= number && number <= r[1] })
}
