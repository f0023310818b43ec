// Package progress shows on a terminal what a run is doing.
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

// Line is one line of a terminal, written over and over. It is for one
// goroutine.
type Line struct {
	// out is nil if nobody is to see anything.
	out   io.Writer
	now   func() time.Time
	next  time.Time
	width int
}

// On is a line on file if that is a terminal, else one that writes nothing.
func On(file *os.File) *Line {
	line := &Line{now: time.Now}
	if term.IsTerminal(int(file.Fd())) {
		line.out = file
	}
	return line
}

// Show says that of a stage's total resources so many are done, or which stage
// it is where nothing is done yet. What follows the last text too soon is
// dropped. Nothing depends on the text: that it cannot be written is no error.
func (l *Line) Show(stage string, done, total int) {
	if l.out == nil {
		return
	}
	now := l.now()
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(interval)
	l.rewrite(text(stage, done, total))
}

// Clear takes the text off the terminal; the cursor is where it was before the
// first.
func (l *Line) Clear() {
	if l.width == 0 {
		return
	}
	l.rewrite("")
	fmt.Fprint(l.out, "\r")
}

// rewrite writes a text over the last one, with spaces over what is left of it:
// every terminal knows these.
func (l *Line) rewrite(text string) {
	fmt.Fprintf(l.out, "\r%-*s", l.width, text)
	l.width = len(text)
}

func text(stage string, done, total int) string {
	if done == 0 {
		return fmt.Sprintf("resource-merge: %s %s resources", stage, thousands(total))
	}
	return fmt.Sprintf("resource-merge: %s %s of %s resources", stage, thousands(done), thousands(total))
}

// thousands writes a number that is not negative with commas.
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
