// Package progress shows the progress of a run on a terminal.
package progress

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"
)

// interval is the least time between two texts.
const interval = 100 * time.Millisecond

// Line is a line of a terminal that is written again and again. It must not be used concurrently.
type Line struct {
	// out is nil if nothing is shown.
	out   io.Writer
	now   func() time.Time
	next  time.Time
	width int
}

// New returns a line on file if that is a terminal, else one that writes nothing.
func New(file *os.File) *Line {
	line := &Line{now: time.Now}
	if term.IsTerminal(int(file.Fd())) {
		line.out = file
	}
	return line
}

// Show shows how many of a stage's resources are done, or only the stage if none are. It drops
// texts that follow the last one too soon, and ignores errors.
func (l *Line) Show(stage string, done, total int) {
	if l.out == nil {
		return
	}
	now := l.now()
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(interval)
	l.rewrite(format(stage, done, total))
}

// Clear clears the line, and leaves the cursor at its start.
func (l *Line) Clear() {
	if l.width == 0 {
		return
	}
	l.rewrite("")
	fmt.Fprint(l.out, "\r")
}

// rewrite overwrites the last text and pads it with spaces, which every terminal supports.
func (l *Line) rewrite(text string) {
	fmt.Fprintf(l.out, "\r%-*s", l.width, text)
	l.width = len(text)
}

func format(stage string, done, total int) string {
	if done == 0 {
		return fmt.Sprintf("resource-merge: %s %s resources", stage, thousands(total))
	}
	return fmt.Sprintf("resource-merge: %s %s of %s resources", stage, thousands(done), thousands(total))
}

// thousands formats a number that is not negative with commas.
func thousands(n int) string {
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}
