package pkgmerge

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/resource-merge/resource-merge/identity"
)

// findTexts finds the files that do not merge by structure on one side, and do on another.
func (m *merger) findTexts() {
	if !m.ofFiles {
		return
	}
	for _, side := range identity.Sides() {
		for _, c := range m.packages[side].contents {
			if c.isStructured() || !m.isStructuredElsewhere(c.Name) {
				continue
			}
			reason := c.fault
			if reason == "" {
				reason = "it is none of YAML or JSON with mappings"
			}
			m.addTextFile(textFile{c.Name, fmt.Sprintf("%s's file cannot be merged by fields: %s", side, reason)})
		}
	}
	m.more = false
}

func (m *merger) isStructuredElsewhere(name string) bool {
	for _, side := range identity.Sides() {
		if c := m.packages[side].content(name); c != nil && c.isStructured() {
			return true
		}
	}
	return false
}

// addTextFile notes a file, unless it is known.
func (m *merger) addTextFile(f textFile) {
	at, found := m.findText(f.name)
	if !found {
		m.texts, m.more = slices.Insert(m.texts, at, f), true
	}
}

func (m *merger) findText(name string) (at int, found bool) {
	return slices.BinarySearchFunc(m.texts, name, func(f textFile, name string) int { return strings.Compare(f.name, name) })
}

// addText notes the file of a resource that does not merge by structure.
func (m *merger) addText(e *unreadableError) {
	m.addTextFile(textFile{e.resource.File, e.text})
}

// postponed notes the file of an error that is one of a resource that does not merge by
// structure, and returns other errors.
func (m *merger) postponed(err error) error {
	unreadable := (*unreadableError)(nil)
	if !errors.As(err, &unreadable) {
		return err
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.addText(unreadable)
	return nil
}

// leaveOutTexts takes the resources of files that merge as text out of the packages.
func (m *merger) leaveOutTexts() {
	m.more = false
	if len(m.texts) == 0 {
		return
	}
	for side := range m.packages {
		p := &m.packages[side]
		p.Resources = slices.DeleteFunc(slices.Clone(p.Resources), func(r *Resource) bool {
			_, found := m.findText(r.File)
			return found
		})
	}
}

// textNotices tell of the files that merge as text: of local's that cannot be read they warn.
func (m *merger) textNotices() []Notice {
	var out []Notice
	for _, f := range m.texts {
		isLocals := slices.ContainsFunc(m.unread[identity.Local], func(u *unread) bool { return u.Name == f.name })
		out = append(out, Notice{Warning: isLocals, File: f.name, Text: fmt.Sprintf("%s is merged as text: %s", f.name, f.reason)})
	}
	return out
}

// unread is a file of a side that is YAML or JSON by its name and cannot be read as resources: a template,
// or a file with an error. Its text tells which resources it may hold.
type unread struct {
	*content
	reason string
	// kinds are the kinds in the text, and words all words in it.
	kinds, words map[string]bool
	// templated says that a template makes a name in the text.
	templated bool
	// held are the resources that the side lacks, and that the file may hold.
	held []*Match
}

func newUnread(c *content, reason string) *unread {
	u := &unread{content: c, reason: reason, kinds: map[string]bool{}, words: map[string]bool{}}
	u.templated = regexp.MustCompile(`name["']?:.*\{\{`).Match(c.Data)
	for _, found := range regexp.MustCompile(`\bkind["']?:\s*["']?([A-Za-z0-9]+)`).FindAllSubmatch(c.Data, -1) {
		u.kinds[string(found[1])] = true
	}
	if len(u.kinds) > 0 {
		for _, word := range bytes.FieldsFunc(c.Data, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"',{}[]", r) }) {
			u.words[string(word)] = true
		}
	}
	return u
}

// mayHold reports whether the file may hold a resource: it has its kind, and its name or a templated one.
func (u *unread) mayHold(r *Resource) bool {
	return r.Meta.Naming != identity.ByPath && u.kinds[r.Meta.Kind] && (u.words[r.Meta.Name] || u.templated)
}

// SkippedFileError is the error of a file that was left out on one side while another side has a
// resource there, which would seem to be deleted or added.
type SkippedFileError struct{ text string }

func (e *SkippedFileError) Error() string { return e.text }

// checkSkipped finds a file that was left out on one side and has resources on another.
func (m *merger) checkSkipped() error {
	type skipped struct{ source, reason string }
	files := map[string]skipped{}
	for _, side := range identity.Sides() {
		for _, s := range m.packages[side].Skipped {
			files[s.File] = skipped{m.source(side), s.Reason}
		}
	}
	for _, side := range identity.Sides() {
		for _, r := range m.packages[side].Resources {
			if s, found := files[r.File]; found && r.File != "" {
				return &SkippedFileError{fmt.Sprintf("%s: %s is not valid YAML, but the %s side has %s there: %s", s.source, r.File, side, r.ID(), s.reason)}
			}
		}
	}
	return nil
}

// skippedFiles warns of the files that were left out.
func (m *merger) skippedFiles() []Notice {
	var out []Notice
	for _, side := range identity.Sides() {
		for _, s := range m.packages[side].Skipped {
			text := fmt.Sprintf("%s: %s is not valid YAML and is left out: %s", m.source(side), s.File, s.Reason)
			out = append(out, Notice{Warning: true, File: s.File, Text: text})
		}
	}
	return out
}

// source names in messages where a side was read.
func (m *merger) source(side identity.Side) string {
	return cmp.Or(m.packages[side].Source, side.String())
}
