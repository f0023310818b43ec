package resolve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"golang.org/x/term"

	"github.com/resource-merge/resource-merge/command/internal/marker"
	"github.com/resource-merge/resource-merge/internal/wording"
)

// ErrInterrupted means that the user pressed Ctrl-C.
var ErrInterrupted = errors.New("interrupted; what was decided is written")

// answers reads the user's answers: keys from a terminal, else a line each. The end of the input is q.
type answers struct {
	ctx      context.Context
	out      io.Writer
	lines    *bufio.Reader
	terminal *os.File // nil if the input is none
	// pending are keys that were read and not asked for yet.
	pending *[]byte
}

func newAnswers(ctx context.Context, in io.Reader, out io.Writer) answers {
	a := answers{ctx: ctx, out: out, lines: bufio.NewReader(in), pending: &[]byte{}}
	if f, is := in.(*os.File); is && term.IsTerminal(int(f.Fd())) {
		a.terminal = f
	}
	return a
}

// push has the next question answered with a key.
func (a answers) push(key byte) { *a.pending = append([]byte{key}, *a.pending...) }

func (a answers) read(question string) (key byte, err error) {
	if len(*a.pending) == 0 {
		_, _ = io.WriteString(a.out, question)
	}
	for a.terminal != nil && len(*a.pending) == 0 {
		if *a.pending, err = a.readKeys(); err != nil {
			_, _ = io.WriteString(a.out, "\n")
			return 0, err
		}
	}
	if len(*a.pending) > 0 {
		key, *a.pending = (*a.pending)[0], (*a.pending)[1:]
		_, _ = fmt.Fprintf(a.out, "%c\n", key)
		return key, nil
	}
	return a.readLine()
}

// readLine reads a line and returns the key of the answer: its letter, that for help if it has several, and that to quit
// at the end of the input.
func (a answers) readLine() (key byte, err error) {
	for {
		line, err := a.lines.ReadString('\n')
		line = strings.TrimSpace(line)
		switch {
		case line == "" && err == nil:
			continue
		case line == "" && errors.Is(err, io.EOF):
			line = string(keyQuit)
		case err != nil && !errors.Is(err, io.EOF):
			return 0, fmt.Errorf("read the answers: %w", err)
		}
		_, _ = io.WriteString(a.out, "\n")
		if len(line) > 1 {
			wording.Say(a.out, "%q has more than one letter.", line)
			return keyHelp, nil
		}
		return line[0], nil
	}
}

// readKeys reads the keys that the user has pressed, without the keys that answer nothing: line breaks, and keys
// that send several characters. The terminal is back as it was when it returns.
func (a answers) readKeys() (keys []byte, err error) {
	state, err := term.MakeRaw(int(a.terminal.Fd()))
	if err != nil {
		return nil, fmt.Errorf("read a key: %w", err)
	}
	defer func() { err = errors.Join(err, term.Restore(int(a.terminal.Fd()), state)) }()
	var p pressed
	select {
	case p = <-a.press():
	case <-a.ctx.Done():
		return nil, ErrInterrupted
	}
	if keys, err = answerKeys(p.keys); err != nil {
		return nil, err
	}
	if errors.Is(p.err, io.EOF) {
		return append(keys, keyQuit), nil
	}
	return keys, p.err
}

// answerKeys returns the keys that may answer something. The key that interrupts is an error.
func answerKeys(pressed []byte) (keys []byte, err error) {
	const ctrlC, ctrlD = 3, 4
	for _, key := range regexp.MustCompile("\x1b[[O][0-9;]*[@-~]").ReplaceAll(pressed, nil) { // such as an arrow
		switch {
		case key == ctrlC:
			return nil, ErrInterrupted
		case key == ctrlD:
			keys = append(keys, keyQuit)
		case key > ' ' && key < 0x7f:
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// pressed are the keys that a terminal sent.
type pressed struct {
	keys []byte
	err  error
}

// press waits for keys from the terminal, and sends them.
func (a answers) press() <-chan pressed {
	done := make(chan pressed, 1)
	go func() {
		buffer := make([]byte, 64)
		n, err := a.terminal.Read(buffer)
		done <- pressed{buffer[:n], err}
	}()
	return done
}

// border is before each side of a conflict, and behind the last.
const border = "---"

// Colours of the parts of a question.
const (
	plain    = ""
	bold     = "1"
	dim      = "2"
	green    = "32"
	cyan     = "36"
	contextN = 3  // lines around a conflict
	shownN   = 30 // lines of a side
)

// show shows a conflict: the resource and the path, the sides in the order of the file, with origin's lines if they are known,
// and the lines around them.
func (s *session) show(at int) {
	c := s.conflicts[at]
	s.line(plain, "")
	s.line(bold, c.heading())
	more := ""
	if n := c.more(); n > 0 {
		more = fmt.Sprintf(", and %d more like it", n)
	}
	s.line(dim, fmt.Sprintf("conflict %d of %d%s", at+1, len(s.conflicts), more))
	if c.equal != nil && c.equal.last != nil && !c.decided {
		s.line(dim, "a decides as "+c.equal.last.file.name+" was decided: "+c.equal.last.decisionText())
	}
	s.block(dim, lastLines(c.file.around(c.index, -1), contextN))
	for _, side := range [3]marker.Side{marker.Ours, marker.Base, marker.Theirs} { // as in the file
		switch side {
		case marker.Base:
			if c.knowsOrigin {
				s.side(dim, "origin", c.Labels[side], indented(c.origin, c.indentation()))
			}
		case c.local():
			s.side(cyan, "local (yours)", c.Labels[side], c.Sides[side])
		default:
			s.side(green, "upstream", c.Labels[side], c.Sides[side])
		}
	}
	if c.decided {
		s.side(bold, "decided", string(c.choice), c.lines)
	}
	s.line(dim, border)
	s.block(dim, firstLines(c.file.around(c.index, 1), contextN))
}

// heading returns the resource and path of a conflict, if they are known, and its location.
func (c *conflict) heading() string {
	location := fmt.Sprintf("%s:%d", c.file.name, c.file.position(c.index).Line)
	if name := c.title(); name != "" {
		return name + " (" + location + ")"
	}
	return location
}

// decisionText tells in one line how a conflict was decided.
func (c *conflict) decisionText() string {
	switch c.choice {
	case keyUpstream:
		return "upstream's"
	case keyLocal:
		return "yours"
	case keyBoth:
		return "both"
	}
	return wording.CutMiddle(strings.Join(strings.Fields(string(c.lines)), " "), 60)
}

// around returns the text before (step -1) or after (step 1) a conflict, up to the next one that is undecided.
func (f *markedFile) around(index, step int) (text []byte) {
	for at := index; ; at += step {
		if step < 0 {
			text = append(f.between[at][:len(f.between[at]):len(f.between[at])], text...)
		} else {
			text = append(text, f.between[at+1]...)
		}
		next := at + step
		if next < 0 || next >= len(f.conflicts) || !f.conflicts[next].decided || bytes.Count(text, []byte("\n")) >= contextN {
			return text
		}
		if step < 0 {
			text = append(f.conflicts[next].lines[:len(f.conflicts[next].lines):len(f.conflicts[next].lines)], text...)
		} else {
			text = append(text, f.conflicts[next].lines...)
		}
	}
}

// side writes the lines of a side below its name and its label.
func (s *session) side(colour, name, label string, lines []byte) {
	if label != "" && !strings.HasPrefix(name+" ", label+" ") {
		name += ": " + label
	}
	if len(lines) == 0 {
		name += ", nothing"
	}
	s.line(colour, border+" "+name)
	shown := firstLines(lines, shownN)
	s.block(colour, shown)
	if rest := bytes.Count(lines, []byte("\n")) - bytes.Count(shown, []byte("\n")); rest > 0 {
		s.line(colour, fmt.Sprintf("%s %s more", wording.Ellipsis, wording.Plural(rest, "line")))
	}
}

func (s *session) block(colour string, lines []byte) {
	for line := range bytes.Lines(lines) {
		s.line(colour, strings.TrimRight(string(line), "\r\n"))
	}
}

// line writes a line in a colour, with invisible characters as their numbers.
func (s *session) line(colour, text string) {
	text = wording.Visible(text, "\t")
	if s.Color && colour != plain && text != "" {
		text = "\x1b[" + colour + "m" + text + "\x1b[m"
	}
	_, _ = io.WriteString(s.Out, text+"\n")
}

// firstLines and lastLines return some lines at an end of a text.
func firstLines(text []byte, n int) []byte {
	end := 0
	for line := range bytes.Lines(text) {
		if n--; n < 0 {
			break
		}
		end += len(line)
	}
	return text[:end]
}

func lastLines(text []byte, n int) []byte {
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for ; n > 0 && at > 0; n-- {
		at = bytes.LastIndexByte(text[:at], '\n')
	}
	return text[max(at, 0):]
}
