// Package resolve is the command resource-merge resolve (docs/resolve.md): it walks over the conflict
// markers in the files of a directory, asks for a decision on each, and writes it at once.
//
// A file is read once. Its conflicts are located by the fields between their markers, so that the prompt
// can name them, tell origin's value, and know which conflicts are equal. A decision replaces the lines of
// its conflicts, and each file is replaced as a whole.
package resolve

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/resource-merge/resource-merge/internal/wording"
)

// Options say what is resolved, and how the user is asked.
type Options struct {
	// Dir is a directory, or a file.
	Dir string
	// In has the answers: keys if it is a terminal, else lines.
	In io.Reader
	// Out gets the questions, in colours if Color is set.
	Out   io.Writer
	Color bool
}

// Keys are the answers to the question about a conflict.
const (
	keyUpstream = 'u'
	keyLocal    = 'l'
	keyBoth     = 'b'
	keyEdit     = 'e'
	keyAll      = 'a'
	keyRule     = 'r'
	keySkip     = 's'
	keyBack     = '-'
	keyQuit     = 'q'
	keyHelp     = '?'
)

// session is one walk over the conflicts.
type session struct {
	Options
	answers   answers
	files     []*markedFile
	conflicts []*conflict
	// settled are the conflicts that were settled before the walk.
	settled []*conflict
	// whole are the files that git left in conflict without a marker.
	whole []string
}

// Run asks for a decision on each conflict, and returns how many markers are left. An error says why the
// walk ended early; the decisions before that are written.
func Run(ctx context.Context, o Options) (left int, err error) {
	s := &session{Options: o, answers: newAnswers(ctx, o.In, o.Out)}
	if s.files, err = findFiles(o.Dir); err == nil && len(s.files) > 0 {
		err = s.readGit(ctx, o.Dir, nil)
	}
	if err == nil {
		s.whole, err = s.findWhole(ctx)
	}
	if err != nil {
		return 0, err
	}
	err = s.walk()
	return s.tell(), err
}

// walk asks about the conflicts in their order, until none follows or the user quits.
func (s *session) walk() error {
	for at := s.next(0); at < len(s.conflicts); {
		s.show(at)
		next, err := s.ask(at)
		if err != nil || next < 0 {
			return err
		}
		at = next
	}
	return nil
}

// next returns the index of the first undecided conflict from an index on.
func (s *session) next(at int) int {
	for at < len(s.conflicts) && s.conflicts[at].decided {
		at++
	}
	return at
}

// ask reads answers until one of them leads on, and returns the index of the conflict to ask about next, -1
// to quit. An answer that cannot be followed is told, and the next one is read.
func (s *session) ask(at int) (next int, err error) {
	c := s.conflicts[at]
	for {
		key, err := s.answers.read("Take which [u,l,b,e,a,r,s,-,q,?]? ")
		if err != nil {
			return -1, err
		}
		done := false
		switch key {
		case keyUpstream, keyLocal, keyBoth:
			done, err = s.choose(c, key)
		case keyEdit:
			done, err = s.edit(c)
		case keyAll:
			done, err = s.decideEqual(c)
		case keyRule:
			done, err = s.writeRule(c)
		case keySkip:
			done = true
		case keyBack:
			if at > 0 {
				return at - 1, nil
			}
			s.say("This is the first conflict.")
		case keyQuit:
			return -1, nil
		case keyHelp:
			s.help()
		default:
			s.say("%q is no answer.", string(key))
			s.help()
		}
		switch {
		case err != nil:
			return -1, err
		case done:
			return s.next(at + 1), nil
		}
	}
}

// choose takes a side of a conflict, or both.
func (s *session) choose(c *conflict, choice byte) (done bool, err error) {
	lines, ok := c.choose(choice)
	if !ok {
		s.say("Both cannot stand: one side deleted it.")
		return false, nil
	}
	if choice == keyBoth {
		if err := c.file.check(map[*conflict][]byte{c: lines}); err != nil {
			s.say("Both cannot stand: %v.", err)
			return false, nil
		}
	}
	return true, s.decide(choice, lines, c)
}

// decide writes the decision on one conflict.
func (s *session) decide(choice byte, lines []byte, c *conflict) error {
	if err := c.file.decide(c, decision{decided: true, lines: lines, choice: choice}); err != nil {
		return err
	}
	if c.equal != nil {
		c.equal.last = c
	}
	return nil
}

// decideEqual takes the last decision on an equal conflict for a conflict and all that are equal to it. If
// there is none, it asks for a side first (rules/resolve: equal conflicts).
func (s *session) decideEqual(c *conflict) (done bool, err error) {
	if c.equal != nil && c.equal.last != nil {
		return true, s.repeat(c.equal.last)
	}
	key, err := s.askSide("Take which for all equal ones [u,l]? ")
	if err != nil || key == 0 {
		return false, err
	}
	if done, err = s.choose(c, key); err != nil || !done {
		return done, err
	}
	return true, s.repeat(c)
}

// repeat decides all conflicts that are equal to a decided one as that was decided. Each file is written
// once. Where the decision cannot stand, the conflicts stay.
func (s *session) repeat(decided *conflict) error {
	if decided.more() == 0 {
		return nil
	}
	byFile := map[*markedFile][]*conflict{}
	for _, c := range decided.equal.conflicts {
		if !c.decided {
			byFile[c.file] = append(byFile[c.file], c)
		}
	}
	settled, files := 0, 0
	for _, f := range s.files {
		n, err := s.repeatIn(f, byFile[f], decided)
		if err != nil {
			return err
		}
		if n > 0 {
			settled, files = settled+n, files+1
		}
	}
	s.say("%s like it settled in %s.", wording.Plural(settled, "conflict"), wording.Plural(files, "file"))
	return nil
}

// repeatIn decides conflicts of one file as an equal one was decided, and returns how many it decided: all, or none if
// the decision cannot stand there.
func (s *session) repeatIn(f *markedFile, conflicts []*conflict, decided *conflict) (settled int, err error) {
	if len(conflicts) == 0 {
		return 0, nil
	}
	lines := make(map[*conflict][]byte, len(conflicts))
	decisions := make(map[*conflict]decision, len(conflicts))
	for _, c := range conflicts {
		lines[c] = c.like(decided)
		decisions[c] = decision{decided: true, lines: lines[c], choice: decided.choice}
	}
	if decided.choice == keyBoth || decided.choice == keyEdit {
		if err := f.check(lines); err != nil {
			s.say("%s: %s stay: %v.", f.name, wording.Plural(len(lines), "conflict"), err)
			return 0, nil
		}
	}
	return len(lines), f.decideAll(decisions)
}

// askSide asks for one of the two sides, and returns its key, 0 if the user wants neither.
func (s *session) askSide(question string) (key byte, err error) {
	key, err = s.answers.read(question)
	switch {
	case err != nil, key == keyUpstream, key == keyLocal:
		return key, err
	case key == keyQuit:
		s.answers.push(keyQuit)
	default:
		s.say("Nothing was decided: want u or l.")
	}
	return 0, nil
}

// tell prints and returns the number of conflicts that are left.
func (s *session) tell() int {
	left, files := s.undecided()
	switch {
	case left > 0:
		s.say("%s left in %s.", wording.Plural(left, "conflict"), wording.Plural(files, "file"))
	case len(s.files) == 0:
		s.say("%s has no conflict markers.", s.Dir)
	case slices.ContainsFunc(s.files, func(f *markedFile) bool { return f.isUnmerged }):
		s.say("No %s is left. Look at the files, and git add them.", s.what())
	default:
		s.say("No %s is left.", s.what())
	}
	for _, name := range s.whole {
		s.say("%s: git left the whole file in conflict, without markers; git add it, or git rm it.", name)
	}
	return left
}

// what names the conflicts that the walk decides.
func (s *session) what() string {
	if len(s.whole) > 0 {
		return "marker"
	}
	return "conflict"
}

// undecided counts the markers that are left, and the files that have some. It tells of markers without an end.
func (s *session) undecided() (left, files int) {
	for _, f := range s.files {
		before := left
		for _, c := range f.conflicts {
			if !c.decided {
				left++
			}
		}
		if f.broken > 0 {
			s.say("%s:%d: a line of this marker is missing: edit the file.", f.name, f.broken)
			left++
		}
		if left > before {
			files++
		}
	}
	return left, files
}

// say writes a line for the user.
func (s *session) say(format string, args ...any) { wording.Say(s.Out, format, args...) }

// help explains the keys.
func (s *session) help() {
	_, _ = fmt.Fprint(s.Out, `u  take upstream's version
l  take your version
b  take both, in the order of the file, where both can stand
e  edit the conflict in $EDITOR
a  take the last decision on an equal conflict for this one and all equal ones; if there is none, ask for
   u or l first
r  ask for u or l, write a rule that decides so next time into .resource-merge.yaml, and take it
s  skip this conflict
-  go back to the conflict before, decided or not
q  quit; what was decided stays
?  show this help
`)
}
