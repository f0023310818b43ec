package pullrequest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/resource-merge/resource-merge/command/internal/resolve"
	"github.com/resource-merge/resource-merge/identity"
	"github.com/resource-merge/resource-merge/internal/gitrepo"
	"github.com/resource-merge/resource-merge/internal/wording"
)

const (
	// maxBody limits a comment and the text of a pull request, in bytes: GitHub takes 65,536 characters.
	maxBody = 60_000
	// maxValue limits a value in a table.
	maxValue = 600
	// lead begins the hidden line of a comment of this program.
	lead = "<!-- resource-merge pr "
)

// state is the hidden line of a comment: the state of the merge whose conflicts its numbers name, and the conflicts that were
// taken for some of them.
type state struct {
	Head string `json:"head"`
	Base string `json:"base"`
	// Taken has sides by numbers, each with " always" behind it if a rule is to be written.
	Taken map[int]string `json:"taken,omitempty"`
}

// always follows a side for which a rule is to be written.
const always = " always"

// line returns the state as the first line of a comment.
func (s state) line() string {
	text, err := json.Marshal(s)
	if err != nil {
		text = []byte("{}")
	}
	return lead + string(text) + " -->\n"
}

// side returns the side that was taken for a number.
func (s state) side(number int) (side identity.Side, isRule, found bool) {
	name, isRule := strings.CutSuffix(s.Taken[number], always)
	switch name {
	case identity.Upstream.String():
		return identity.Upstream, isRule, true
	case identity.Local.String():
		return identity.Local, isRule, true
	}
	return side, false, false
}

// with returns the state with one more line of an answer.
func (s state) with(t take, count int) state {
	taken := map[int]string{}
	for number := 1; number <= count; number++ {
		if before, found := s.Taken[number]; found {
			taken[number] = before
		}
		if t.takes(number) {
			if taken[number] = t.side.String(); t.always {
				taken[number] += always
			}
		}
	}
	s.Taken = taken
	return s
}

// ownComment returns the comment of this program among the comments of a pull request, and its state. Only a comment
// by the login is its own: anybody can write the hidden line.
func ownComment(all []comment, author string) (id int64, s state) {
	for _, c := range all {
		line, _, _ := strings.Cut(c.Body, "\n")
		text, isOwn := strings.CutPrefix(strings.TrimRight(line, "\r"), lead)
		if !isOwn || c.User.Login != author {
			continue
		}
		id, s = c.ID, state{}
		if json.Unmarshal([]byte(strings.TrimSuffix(text, " -->")), &s) != nil || !gitrepo.IsCommit(s.Head) || !gitrepo.IsCommit(s.Base) {
			s = state{}
		}
	}
	return id, s
}

// openBody returns the comment about a merge with open conflicts. note is said first, "" for none.
func (m *merging) openBody(note string) string {
	open := m.left.Open
	taken := m.taken()
	var b strings.Builder
	b.WriteString(m.state.line())
	if note != "" {
		b.WriteString("> " + note + "\n\n")
	}
	fmt.Fprintf(&b, "**%s open** in the merge of %s into %s", wording.Plural(len(open)-taken, "conflict"), wording.MarkdownCode(m.pull.Base.Ref), wording.MarkdownCode(m.pull.Head.Ref))
	if taken > 0 {
		fmt.Fprintf(&b, ", %d of %d settled", taken, len(open))
	}
	fmt.Fprintf(&b, ". All other changes merge.\n\n| | Conflict | origin | upstream: %s | local: %s |\n|---|---|---|---|---|\n",
		wording.MarkdownCode(wording.Cut(m.pull.Base.Ref, 60)), wording.MarkdownCode(wording.Cut(m.pull.Head.Ref, 60)))
	m.writeRows(&b)
	return b.String()
}

// taken counts the open conflicts that answers have settled.
func (m *merging) taken() (n int) {
	for number := range m.left.Open {
		if _, _, found := m.state.side(number + 1); found {
			n++
		}
	}
	return n
}

// writeRows writes the rows of a table of the open conflicts, as many as there is room for, and the foot of the comment.
func (m *merging) writeRows(b *strings.Builder) {
	open, foot := m.left.Open, m.foot()
	for number, o := range open {
		row := m.row(number+1, o)
		if b.Len()+len(row)+len(foot) > maxBody {
			fmt.Fprintf(b, "\n%s had no room here: numbers %d to %d.\n", wording.Plural(len(open)-number, "conflict"), number+1, len(open))
			break
		}
		b.WriteString(row)
	}
	b.WriteString(foot)
}

func (m *merging) row(number int, o *resolve.Open) string {
	where := wording.MarkdownCode(wording.CutMiddle(wording.Visible(o.File, ""), 300))
	if o.Title != "" {
		where = wording.MarkdownCode(wording.CutMiddle(wording.Visible(o.Title, ""), 300)) + "<br>" + where
	}
	side, isRule, found := m.state.side(number)
	if isRule {
		where += "<br>a rule is to be written"
	}
	row := "| " + strconv.Itoa(number) + " | " + where
	for _, of := range identity.Sides() {
		row += " | " + value(o.Values[of])
		if found && of == side {
			row += " ← taken"
		}
	}
	return row + " |\n"
}

// value returns a value for a cell of a table.
func value(v resolve.Value) string {
	if v.Note != "" {
		return "*" + v.Note + "*"
	}
	var lines []string
	for line := range strings.Lines(wording.CutMiddle(v.Text, maxValue)) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimLeft(line, " ")
		lines = append(lines, strings.Repeat("&nbsp;", len(line)-len(text))+wording.MarkdownCode(text))
	}
	return strings.Join(lines, "<br>")
}

// foot tells how conflicts are settled.
func (m *merging) foot() string {
	local := "In a checkout of the pull request, `resource-merge git merge` of the base branch, then `resource-merge resolve`, settle them by hand."
	if m.isFork {
		return "\nThis pull request comes from a fork, which is never pushed to: settle it there. " + local + "\n"
	}
	one, several := "1", "1" // numbers of the table
	if count := len(m.left.Open); count > 1 {
		one, several = "2", fmt.Sprintf("1-%d", min(count, 3))
	}
	return `
Whoever may write to this repository settles them with a comment, one line each:

` + "```text" + `
/take local ` + one + `
/take upstream ` + several + `
/take local ` + one + ` always
` + "```" + `

The numbers count for this state of both branches. ` + "`always`" + ` also writes a rule into the package's ` + "`.resource-merge.yaml`" + `.
Once all are settled, the merge is pushed. ` + local + "\n"
}

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

// readAnswer reads the lines of a comment that settle conflicts; count is the number of conflicts.
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
	if t.side, err = readSide(words[0]); err != nil {
		return t, err
	}
	for _, part := range strings.FieldsFunc(strings.Join(words[1:], ","), func(r rune) bool { return r == ',' }) {
		numbers, err := readRange(part, count)
		if err != nil {
			return t, err
		}
		t.ranges = append(t.ranges, numbers)
	}
	if t.ranges == nil {
		return t, fmt.Errorf("want numbers, as in /take local 2")
	}
	return t, nil
}

// readSide reads the name of a side that an answer takes.
func readSide(word string) (identity.Side, error) {
	switch word {
	case identity.Upstream.String():
		return identity.Upstream, nil
	case identity.Local.String():
		return identity.Local, nil
	}
	return 0, fmt.Errorf("%q is no side: want upstream or local", word)
}

// readRange reads a number or a range such as 1-3, with numbers up to a count.
func readRange(part string, count int) (numbers [2]int, err error) {
	found := regexp.MustCompile(`^([0-9]{1,6})(?:-([0-9]{1,6}))?$`).FindStringSubmatch(part)
	if found == nil {
		return numbers, fmt.Errorf("%q is no number and no range such as 1-3", part)
	}
	first, _ := strconv.Atoi(found[1]) // it has digits only
	last := first
	if found[2] != "" {
		last, _ = strconv.Atoi(found[2])
	}
	if first < 1 || last < first || last > count {
		return numbers, fmt.Errorf("%s is not among the numbers from 1 to %d", part, count)
	}
	return [2]int{first, last}, nil
}

// takes reports whether the line takes a side for a number.
func (t take) takes(number int) bool {
	return slices.ContainsFunc(t.ranges, func(r [2]int) bool { return r[0] <= number && number <= r[1] })
}
